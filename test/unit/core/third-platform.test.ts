import { createHmac } from 'node:crypto';
import { expect, it } from 'vitest';
import type { StoreEvent } from '../../../shared/core/events/event.ts';
import { receiveDelivery, whichSigned } from '../../../shared/core/events/receive-delivery.ts';
import type { StorePlatform } from '../../../shared/core/platform/platform.ts';
import { lineOf } from '../../fixtures/order-spec.ts';
import { storeOrder } from '../../fixtures/store-entities.ts';
import { openConnector, SHOP } from '../../support/in-process-connector.ts';
import { createMemoryEventQueue } from '../../support/memory-queue.ts';

/** It signs `{"order": 7}`: neither an id of the delivery nor a time. */
const market: Pick<StorePlatform, 'deliveries' | 'readEvent'> & {
  readonly healing: Omit<StorePlatform['healing'], 'openStore'>;
} = {
  deliveries: {
    maySign: () => true,
    check: ({ headers, body }, secrets) =>
      whichSigned(secrets, headers['x-market'] ?? '', (secret) => sign(secret, body)),
    identify({ body }) {
      const id = String(JSON.parse(Buffer.from(body).toString()).order);
      return { kind: 'event', event: { kind: 'order', id, claim: 'changed', topic: 'order.new' } };
    },
    isProbe: () => false,
  },
  readEvent: () => ({ kind: 'ask-store' }),
  healing: {
    versionsAreReadings: ['coupon'],
    topicOf: ({ kind, claim }) => `${kind}.${claim}`,
  },
};

const sign = (secret: string, body: Uint8Array) =>
  createHmac('sha256', secret).update(body).digest('hex');

it('a third platform is received, synced and healed by its record alone', async () => {
  const connector = openConnector();
  const { store, parts, queues, loyalty, clock, telemetry } = connector;
  parts.read = market.readEvent;
  const value = { current: 'secret', previous: undefined };
  const get = async () => value;
  const secrets = { get, refresh: async () => ({ kind: 'unchanged', value }) as const };
  const shop = { domain: SHOP, secrets, deliveries: market.deliveries };
  const body = Buffer.from('{"order": 7}');
  const receive = async (secret: string) => {
    const headers = { 'x-market': sign(secret, body) };
    const delivery = { method: 'POST', path: '/market', headers, body };
    const { status } = await receiveDelivery(delivery, {
      shops: new Map([['/market', shop]]),
      queue: createMemoryEventQueue(queues),
      ...{ telemetry, now: () => new Date(clock.ms), countOfEntity: () => 1 },
    });
    return status;
  };
  const totals = () => [...loyalty.rows.orders.values()].map(({ OrderTotal }) => OrderTotal);

  // Equal bytes are two changes: the queue must not drop the second.
  store.putOrder(SHOP, orderAt(clock.ms, 4000));
  expect([await receive('secret'), await receive('secret'), await receive('other')]).toEqual([
    ...[200, 200, 401],
  ]);
  expect(queues.orders.size).toBe(2);
  await connector.drain();
  expect(totals()).toEqual([40]);

  clock.ms += 3_600_000;
  store.putOrder(SHOP, orderAt(clock.ms, 3000));
  clock.ms += 3_600_000;
  const sent: StoreEvent[] = [];
  const { send } = parts.queue;
  parts.queue = {
    send: async (event, name) => {
      sent.push(event as StoreEvent);
      await send(event, name);
    },
  };
  await connector.reconcile({ platform: market.healing });
  await connector.drain();
  expect(sent.map(({ topic }) => topic)).toEqual(['order.changed']);
  expect(totals()).toEqual([30]);
});

const orderAt = (ms: number, priceCents: number) => ({
  ...storeOrder({ lines: [lineOf(priceCents)] }),
  ...{ id: '7', updatedAt: new Date(ms).toISOString() },
});
