import { expect, it } from 'vitest';
import { isStoreEvent, type QueuedEvent } from '../../../shared/core/events/event.ts';
import { receiveDelivery } from '../../../shared/core/events/receive-delivery.ts';
import { encodeSnapshot } from '../../../shared/core/store/store.ts';
import { readVendureEvent, sign, vendureDeliveries } from '../../../shared/vendure/deliveries.ts';
import { vendureHealing } from '../../../shared/vendure/healing.ts';
import { storeProduct } from '../../fixtures/store-entities.ts';
import { recordTelemetry } from '../../support/recorded-telemetry.ts';

const NOW = new Date('2026-11-17T12:00:00.000Z');
const SECRETS = { current: 'newer', previous: 'older' };
const EVENT = {
  ...{ id: '83d608e8-a626-4207-a224-8bec7b26f999', kind: 'order', entityId: '12' },
  ...{ change: 'changed', at: '2026-11-17T11:59:59.000Z' },
};

async function deliver(
  value: unknown,
  { secret = 'newer', seconds = NOW.getTime() / 1000, tampered = false } = {},
) {
  const body = Buffer.from(typeof value === 'string' ? value : JSON.stringify(value));
  const queued: QueuedEvent[] = [];
  const timestamp = String(seconds);
  const headers = {
    'X-Loyalty-Timestamp': timestamp,
    'X-Loyalty-Signature': sign(secret, timestamp, body),
  };
  const secrets = {
    get: async () => SECRETS,
    refresh: async () => ({ kind: 'unchanged', value: SECRETS }) as const,
  };
  const shop = {
    ...{ domain: 'vendure.example.com', secrets },
    deliveries: vendureDeliveries,
  };
  const answer = await receiveDelivery(
    { method: 'POST', path: '/vendure', headers, body: tampered ? Buffer.from('{}') : body },
    {
      ...{ shops: new Map([['/vendure', shop]]), telemetry: recordTelemetry() },
      ...{ now: () => NOW, countOfEntity: () => 1 },
      queue: { send: async (event) => void queued.push(event) },
    },
  );
  return { status: answer.status, queued };
}

it.each([
  ['order', 'order'],
  ['product', 'product'],
  ['promotion', 'discount'],
])('queues the event of a Vendure %s under the connector’s own kind', async (kind, own) => {
  const { status, queued } = await deliver({ ...EVENT, kind, change: 'deleted' });
  expect(status).toBe(200);
  expect(queued).toMatchObject([
    { shop: 'vendure.example.com', kind: own, id: '12', claim: 'deleted', origin: 'webhook' },
  ]);
});

it('queues the deletion of a customer as a request to erase them, and their changes as those of a member', async () => {
  const deleted = await deliver({ ...EVENT, kind: 'customer', change: 'deleted' });
  expect(deleted.queued).toMatchObject([
    { kind: 'customer', id: '12', claim: 'customer-redaction', topic: 'customer/deleted' },
  ]);
  const [queued] = deleted.queued.filter(isStoreEvent);
  expect(queued && readVendureEvent(queued)).toEqual({
    kind: 'task',
    task: { kind: 'redact', customerId: '12', orderIds: [] },
  });
  const changed = await deliver({ ...EVENT, kind: 'customer' });
  expect(changed.queued).toMatchObject([{ kind: 'member', id: '12', claim: 'changed' }]);
});

it('accepts both secrets for five minutes, and nothing that was changed or captured', async () => {
  const at = NOW.getTime() / 1000;
  expect((await deliver(EVENT, { secret: 'older' })).status).toBe(200);
  expect((await deliver(EVENT, { seconds: at - 300 })).status).toBe(200);
  for (const wrong of [
    { seconds: at - 301 },
    { seconds: at + 301 },
    { seconds: Number.NaN },
    { secret: 'guessed' },
    { tampered: true },
  ]) {
    expect(await deliver(EVENT, wrong)).toEqual({ status: 401, queued: [] });
  }
});

it.each([
  ['no JSON', '{'],
  ['no object', 'null'],
  ['no id', { ...EVENT, entityId: undefined }],
  ['an id with other characters', { ...EVENT, entityId: '12|order' }],
  ['an id that is too long', { ...EVENT, entityId: '1'.repeat(65) }],
  ['an unknown change', { ...EVENT, change: 'made' }],
  ['no moment', { ...EVENT, at: 'yesterday' }],
])('refuses %s with 400, so that the plugin does not repeat it', async (_, value) => {
  expect(await deliver(value)).toEqual({ status: 400, queued: [] });
});

it.each([
  ['ten years ago', '2016-11-17T12:00:00.000Z'],
  ['more than a week ago, when no plugin sends any more', '2026-11-09T11:59:59.000Z'],
  ['more than five minutes ahead', '2026-11-17T12:05:01.000Z'],
  ['at the end of time', '+275760-09-13T00:00:00.000Z'],
])('queues a change whose clock said %s, and does not believe the moment', async (_, at) => {
  const { status, queued } = await deliver({ ...EVENT, at });
  expect(status).toBe(200);
  expect(queued).toMatchObject([{ kind: 'order', id: '12', claim: 'changed' }]);
  expect(queued[0]).not.toHaveProperty('triggeredAt');
});

it.each([
  ['2026-11-10T12:00:00.000Z', '2026-11-10T12:00:00.000Z'],
  ['2026-11-17T12:05:00.000Z', '2026-11-17T12:05:00.000Z'],
  // What a body repeats at will is not carried on: Date.parse ignores what stands in brackets.
  [`Tue, 17 Nov 2026 11:00:00 GMT (${'x'.repeat(10_000)})`, '2026-11-17T11:00:00.000Z'],
])('keeps a moment that can be right, as a moment only', async (at, triggeredAt) => {
  expect((await deliver({ ...EVENT, at })).queued).toMatchObject([{ triggeredAt }]);
});

it('answers 200 to a test of the address and to kinds of a newer plugin, and queues neither', async () => {
  for (const kind of ['probe', 'stock']) {
    expect(await deliver({ ...EVENT, kind })).toEqual({ status: 200, queued: [] });
  }
});

const event = {
  claim: 'changed',
  origin: 'webhook',
  body: Buffer.from('{}'),
  ...{ shop: 'vendure.example.com', id: '12', topic: '', deliveryId: 'd' },
  receivedAt: NOW.toISOString(),
} as const;

it('asks the store for whatever an event names', () => {
  const isCurrent = true;
  expect(readVendureEvent({ ...event, kind: 'order' })).toEqual({ kind: 'ask-store', isCurrent });
  expect(readVendureEvent({ ...event, kind: 'product' })).toEqual({ kind: 'ask-store', isCurrent });
  expect(readVendureEvent({ ...event, kind: 'discount' })).toEqual({
    kind: 'task',
    task: { kind: 'fan-out', discountId: '12', isCurrent },
  });
});

it('takes a snapshot from what the connector itself read, and never from an event', () => {
  const entity = { kind: 'product', product: { ...storeProduct(), id: '12' } } as const;
  const read = { ...event, kind: 'product', body: encodeSnapshot(entity, NOW) } as const;
  expect(readVendureEvent(read)).toMatchObject({ kind: 'ask-store' });
  expect(readVendureEvent({ ...read, origin: 'backfill' })).toMatchObject({
    kind: 'snapshot',
    entity,
  });
});

it.each([
  ['order', 'changed', 'order/changed'],
  ['product', 'deleted', 'product/deleted'],
  ['coupon', 'changed', 'promotion/changed'],
  ['discount', 'deleted', 'promotion/deleted'],
  ['member', 'changed', 'customer/changed'],
] as const)(
  'calls an event of a %s that is %s and made here %s, as the plugin does',
  (kind, claim, topic) => {
    expect(vendureHealing.topicOf({ kind, claim })).toBe(topic);
  },
);
