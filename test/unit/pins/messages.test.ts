import { describe, expect, it } from 'vitest';
import { openConnector, SHOP } from '../../../local/harness/in-process-connector.ts';
import { createSqsLetterQueue } from '../../../shared/aws/sqs-dead-letters.ts';
import { isStoreEvent } from '../../../shared/core/events/event.ts';
import { groupIdOf } from '../../../shared/core/events/message-ids.ts';
import { createEventReader, decodeMessage } from '../../../shared/shopify/webhooks/read-event.ts';
import { storeCoupon, storeOrder, storeProduct } from '../../fixtures/store-entities.ts';
import letters from '../../fixtures/v0.1.0/dead-letters.json' with { type: 'json' };
import messages from '../../fixtures/v0.1.0/messages.json' with { type: 'json' };

type Name = keyof typeof messages;

const ORDER = '5512345678901';
const PRODUCT = '8012345678901';
const DISCOUNT = '1688847450345';
const CUSTOMER = '6940095564';
const RECEIVED_AT = '2026-10-09T12:00:00.000Z';

const read = createEventReader(new Set([SHOP]));

/** The envelope's own fields, the group it must wait in, and what its body says. */
function readStoreMessage(name: Name) {
  const decoded = decodeMessage(messages[name].body);
  if (decoded.kind !== 'event') return decoded;
  const { event } = decoded;
  if (!isStoreEvent(event)) throw new Error(`${name} is no event of the store`);
  expect(event).toMatchObject({ shop: SHOP, receivedAt: RECEIVED_AT });
  // Messages of two releases about one entity must wait for each other.
  expect(groupIdOf(event)).toBe(messages[name].group);
  const { kind, id, cursor, history, force, replays } = event;
  const fields = { kind, id, cursor, history, force, replays };
  const said = Object.entries(fields).filter(([, value]) => value !== undefined);
  return { ...Object.fromEntries(said), reading: read(event) };
}

const order = { kind: 'order', id: ORDER };
const product = { kind: 'product', id: PRODUCT };
const discount = { kind: 'discount', id: DISCOUNT };
const coupon = { kind: 'coupon', id: 'AUTUMN10' };
const asksStore = { reading: { kind: 'ask-store' } };
const task = (one: object) => ({ reading: { kind: 'task', task: one } });
const fansOut = task({ kind: 'fan-out', discountId: DISCOUNT });
const snapshot = (version: string, entity: object) => ({
  reading: { kind: 'snapshot', version: Date.parse(version), entity },
});
const unreadable = (why: RegExp) => ({ kind: 'unreadable', why: expect.stringMatching(why) });
const ofRobin = {
  kind: 'customers',
  customers: [{ id: CUSTOMER, name: 'Robin Sample', email: 'robin.sample@example.com' }],
};
const coupons = (given: object) => ({ kind: 'coupon', coupon: { discountId: DISCOUNT, ...given } });

const STORE_MESSAGES: Partial<Record<Name, object>> = {
  'order, body as brotli': {
    ...order,
    ...snapshot('2026-10-09T06:00:00.000Z', {
      kind: 'order',
      order: { id: ORDER, name: '#1001', customer: { id: CUSTOMER }, subtotal: '120.3' },
    }),
  },
  'order, body as text': { ...order, ...asksStore },
  'order, body as bytes': { kind: 'order', reading: unreadable(/./) },
  'order, body omitted': { ...order, ...asksStore },
  'order, body omitted and beginning kept': unreadable(/1400000 bytes/),
  'order, no body': { kind: 'order', id: '5512345678902', ...asksStore },
  'order, referred to by a refund': { ...order, ...asksStore },
  'order, replayed twice, forced, history': {
    ...order,
    history: true,
    force: true,
    replays: [
      { at: '2026-10-10T08:00:00.000Z', by: 'operator' },
      { at: '2026-10-10T09:00:00.000Z', by: 'arn:aws:sts::123456789012:assumed-role/ops/dana' },
    ],
  },
  'product, body as text': {
    ...product,
    ...snapshot('2026-10-09T11:00:00.000Z', {
      kind: 'product',
      product: { id: PRODUCT, title: 'Linen shirt', price: '49.9', vendor: 'North Loom' },
    }),
  },
  'product, deleted': { ...product, ...asksStore },
  'discount, body as text': { ...discount, ...fansOut },
  'discount, a code was added': { ...discount, ...task({ kind: 'sync-code', code: 'AUTUMN10' }) },
  'customer, redaction': {
    kind: 'customer',
    id: CUSTOMER,
    ...task({ kind: 'redact', customerId: CUSTOMER, orderIds: [ORDER, '5512345678902'] }),
  },
  'customer, data request': {
    kind: 'customer',
    id: CUSTOMER,
    ...task({ kind: 'notify', notice: 'data-request', id: '9999' }),
  },
  'shop, app uninstalled': { kind: 'shop', ...task({ notice: 'app-uninstalled' }) },
  'shop, redaction': { kind: 'shop', ...task({ notice: 'shop-redact' }) },
  'coupon, from the fan-out of a discount': {
    ...coupon,
    ...snapshot(
      '2026-10-01T00:00:00.000Z',
      coupons({
        code: 'AUTUMN10',
        kind: 'percentage',
        value: '10',
        useLimit: 1,
        audience: ofRobin,
      }),
    ),
  },
  'coupon, from the fan-out of a discount 2': {
    kind: 'coupon',
    id: 'été 🎁',
    ...snapshot(
      '2026-10-01T00:00:00.000Z',
      coupons({
        code: 'été 🎁',
        kind: 'fixed-amount',
        value: '5.5',
        audience: { kind: 'segment' },
      }),
    ),
  },
  'discount, next page of its codes (cursor)': { ...discount, cursor: '50', ...fansOut },
  'discount, gone, next page of the ledger (cursor)': {
    ...discount,
    cursor: `gone:${SHOP}|coupon|C50`,
    ...fansOut,
  },
  'coupon, of a discount that is gone': { ...coupon, ...asksStore },
  // Its body says too little about taxes and refunds.
  'order, backfill snapshot': { ...order, history: true, ...asksStore },
  'order, backfill without its snapshot': {
    kind: 'order',
    id: '5512345678902',
    history: true,
    ...asksStore,
  },
  'product, backfill snapshot': {
    ...product,
    ...snapshot('2026-10-05T09:00:00.000Z', { kind: 'product', product: { price: '49.9' } }),
  },
  'coupon, backfill snapshot': {
    ...coupon,
    ...snapshot('2026-10-01T00:00:00.000Z', coupons({ code: 'AUTUMN10', audience: ofRobin })),
  },
  'order, reconcile': { ...order, ...asksStore },
  'product, reconcile': { ...product, ...asksStore },
  'coupon, reconcile': {
    ...coupon,
    ...snapshot('2026-10-01T00:00:00.000Z', coupons({ code: 'AUTUMN10', value: '10' })),
  },
  'order, reconcile found it deleted': { ...order, ...asksStore },
  'product, reconcile found it deleted': { ...product, ...asksStore },
  'discount, reconcile found it deleted': { ...discount, ...fansOut },
  'coupon, reconcile found it deleted': { ...coupon, ...asksStore },
};

const redemption = { kind: 'redemption', shop: SHOP, id: 'K7Q2M9XBP4TA', customerId: CUSTOMER };
const balance = { kind: 'balance', shop: SHOP, id: CUSTOMER, topic: 'Point_Add' };
const STOREFRONT_MESSAGES: Partial<Record<Name, object>> = {
  balance: {
    ...balance,
    deliveryId: 'Point_Add/90210/2026-10-09T11:59:30.000Z',
    eventDate: '2026-10-09T11:59:30.000Z',
    points: '310',
    cashback: '15.5',
    receivedAt: RECEIVED_AT,
  },
  // What 0.1.0 noted of the spending has no use any more.
  'balance, points were spent': { ...balance, points: '210', cashback: '15.5' },
  'redemption, redeem': { ...redemption, topic: 'redeem', receivedAt: RECEIVED_AT },
  'redemption, point-event': { ...redemption, topic: 'point-event' },
  'redemption, operator': { ...redemption, topic: 'operator' },
};

const namesOf = (expected: object) => Object.keys(expected) as Name[];

describe('a message that version 0.1.0 wrote', () => {
  it.each(namesOf(STORE_MESSAGES))('is read as it was meant: %s', (name) => {
    expect(readStoreMessage(name)).toMatchObject(STORE_MESSAGES[name] ?? {});
  });

  it.each(namesOf(STOREFRONT_MESSAGES))('is read as it was meant: %s', (name) => {
    const decoded = decodeMessage(messages[name].body);
    expect(decoded).toMatchObject({ kind: 'event', event: STOREFRONT_MESSAGES[name] });
    if (decoded.kind === 'event') expect(groupIdOf(decoded.event)).toBe(messages[name].group);
  });

  it('has an expectation here, whatever its form', () => {
    const expected = { ...STORE_MESSAGES, ...STOREFRONT_MESSAGES };
    expect(Object.keys(expected).toSorted()).toEqual(Object.keys(messages).toSorted());
  });
});

/** What the loyalty service holds in the end, however a release names what happened. */
describe('a message of version 0.1.0 that a worker takes from its queue', () => {
  type Connector = ReturnType<typeof openConnector>;

  async function send({ queues }: Connector, name: Name): Promise<void> {
    const { queue, body, group, deduplication } = messages[name];
    queues[queue as keyof typeof queues].send({
      body,
      groupId: group,
      deduplicationId: deduplication,
    });
  }

  const robin = { name: 'Robin Sample', email: 'robin.sample@example.com', phone: undefined };
  const autumn = storeCoupon({
    audience: { kind: 'customers', customers: [{ id: CUSTOMER, createdAt: undefined, ...robin }] },
  });

  /** A connector that has synced an order, a product and a coupon. */
  async function openWithHistory(): Promise<Connector> {
    const connector = openConnector();
    connector.store.putOrder(SHOP, storeOrder());
    connector.store.putProduct(SHOP, storeProduct());
    connector.store.putCoupon(SHOP, autumn);
    await send(connector, 'order, reconcile');
    await send(connector, 'product, reconcile');
    await send(connector, 'discount, body as text');
    await connector.drain();
    return connector;
  }

  const heldBy = ({ loyalty: { rows } }: Connector) => ({
    orderCancelled: rows.orders.get(ORDER)?.IsCancelledOrReturned,
    productActive: rows.products.get(PRODUCT)?.IsActive,
    couponActive: [...rows.coupons.values()].find(({ CouponCode }) => CouponCode === 'AUTUMN10')
      ?.isActive,
  });

  it('brings the entities to the loyalty service', async () => {
    const connector = await openWithHistory();
    expect(connector.dead.size).toBe(0);
    expect(heldBy(connector)).toEqual({
      orderCancelled: false,
      productActive: true,
      couponActive: true,
    });
  });

  it.each([
    ['order', ORDER, 'order, body as text', { orderCancelled: true }],
    ['order', ORDER, 'order, reconcile found it deleted', { orderCancelled: true }],
    ['product', PRODUCT, 'product, deleted', { productActive: false }],
    ['product', PRODUCT, 'product, reconcile found it deleted', { productActive: false }],
    ['coupon', 'AUTUMN10', 'coupon, of a discount that is gone', { couponActive: false }],
    ['coupon', 'AUTUMN10', 'coupon, reconcile found it deleted', { couponActive: false }],
    ['discount', DISCOUNT, 'discount, reconcile found it deleted', { couponActive: false }],
  ] as const)('ends the %s %s that is gone from the store: %s', async (kind, id, name, held) => {
    const connector = await openWithHistory();
    connector.store.remove(SHOP, kind, id);
    connector.clock.ms += 3_600_000;
    await send(connector, name);
    await connector.drain();
    expect(heldBy(connector)).toMatchObject(held);
    expect(connector.dead.size).toBe(0);
  });
});

describe('a dead letter that version 0.1.0 parked', () => {
  const expected: Record<keyof typeof letters, object> = {
    'order, rejected': {
      reason: 'rejected',
      why: 'The loyalty service refused it: the customer has no document',
      code: 'CustomerInvalid',
      attempts: 3,
      at: Date.parse('2026-10-09T12:05:00.000Z'),
    },
    'order, retry window over': { reason: 'retry-window-over', attempts: 97, code: undefined },
    'order, unreadable': { reason: 'unreadable', why: 'the body is not JSON' },
    'product, unmappable': { reason: 'unmappable' },
    'balance, retry window over': { reason: 'retry-window-over', attempts: 40 },
    'redemption, rejected': { reason: 'rejected', why: 'the store does not take the code' },
    'order, moved by SQS after too many receives': { reason: 'crashed', attempts: undefined },
  };

  it.each(Object.keys(letters) as (keyof typeof letters)[])(
    'keeps its reason: %s',
    async (name) => {
      const letter = letters[name];
      const message = {
        Body: letter.body,
        MessageAttributes: 'attributes' in letter ? letter.attributes : {},
      };
      const client = { receiveMessage: async () => ({ Messages: [message] }) };
      const [received] = await createSqsLetterQueue(client as never, '', 'orders').receive(30);
      expect(received).toMatchObject({ body: letter.body, ...expected[name] });
    },
  );

  it('of a newer release, for a reason that this one does not know, is shown with that reason', async () => {
    const attributes = {
      reason: { DataType: 'String', StringValue: 'too-old' },
      why: { DataType: 'String', StringValue: 'it is older than the shop' },
    };
    const message = { Body: '{}', MessageAttributes: attributes };
    const client = { receiveMessage: async () => ({ Messages: [message] }) };
    const [received] = await createSqsLetterQueue(client as never, '', 'orders').receive(30);
    expect(received).toMatchObject({
      reason: 'unknown',
      why: 'too-old: it is older than the shop',
    });
  });
});
