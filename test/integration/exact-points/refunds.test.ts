import { describe, expect, test } from 'vitest';
import { STORE_SECRET } from '../../support/store-and-connector.ts';
import { openShops, type Shop } from './open-shops.ts';

const shops = openShops();

describe('refunds of a completed order', () => {
  test('one after another: 100 → 80 → 40 → 20 points, and 0 after the cancel', async () => {
    const shop = await shops.open();
    // Three shirts of 20 and a coat of 40.
    const order = shop.sell([[20, 3], 40]);
    await shop.rest();
    expect(shop.points(order)).toBe(100);
    shop.refundLine(order, 0);
    await shop.rest();
    expect(shop.points(order)).toBe(80);
    shop.refundLine(order, 1);
    await shop.rest();
    expect(shop.points(order)).toBe(40);
    shop.refundLine(order, 0);
    await shop.rest();
    expect(shop.points(order)).toBe(20);
    // The service documents that a lowered total and a partial cancel might count twice.
    expect(shop.held(order)?.OrderTotal).toBe(100);
    const [shirt, coat] = order.lines.map(({ productId }) => productId);
    const taken = shop.loyalty.journal.entries({ operation: 'partiallyCancelPosOrder' });
    expect(taken.map(({ body }) => body)).toEqual(
      [
        { CancelKey: `${order.id}-20000`, ValueToRefund: 20, OriginalId: shirt },
        { CancelKey: `${order.id}-60000`, ValueToRefund: 40, OriginalId: coat },
        { CancelKey: `${order.id}-80000`, ValueToRefund: 20, OriginalId: shirt },
      ].map(({ OriginalId, ...call }) => ({
        ...call,
        Products: [{ OriginalId, ValueToRefund: call.ValueToRefund }],
      })),
    );
    shop.later(60);
    shop.actions.cancelOrder({ orderId: order.id });
    await shop.rest();
    expect(shop.held(order)).toMatchObject({ IsCancelledOrReturned: true, points: 0 });
    expect(shop.balance()).toBe(0);
    expect(shop.orderCalls().filter((name) => name === 'sendOrder')).toHaveLength(1);
    expect(await shop.parked()).toBe(0);
  });
});

test('an exchange by an edit: 86 → 80 points, which 6.00 back do not change, and 79 after 1.00 as goodwill', async () => {
  const shop = await shops.open();
  const order = shop.sell([86]);
  await shop.rest();
  expect(shop.points(order)).toBe(86);
  const [coat] = order.lines;
  const steps = [
    () =>
      shop.actions.editOrder({
        orderId: order.id,
        set: [{ lineId: coat?.id ?? '', quantity: 0 }],
        add: [{ title: 'Other coat', price: 80 }],
      }),
    () => shop.actions.refundOrder({ orderId: order.id, amount: 6 }),
    () => shop.actions.refundOrder({ orderId: order.id, amount: 1 }),
  ];
  const points = [];
  for (const step of steps) {
    shop.later(60);
    step();
    await shop.rest();
    points.push(shop.points(order));
  }
  expect(points).toEqual([80, 80, 79]);
  expect(await shop.parked()).toBe(0);
});

test('by the webhook of the order alone: 50 points after a refund of shipping, 30 after 24.00 without lines', async () => {
  // Other webhooks of a refund make the connector read the order from the store.
  const shop = await shops.open({ disorder: { drop: 1 } });
  const deliverLatest = async () => {
    const sent = shop.store.deliveries.all().filter(({ topic }) => topic === 'orders/updated');
    const body = Buffer.from(sent.at(-1)?.body ?? '');
    await shop.connector.deliver(['orders/updated', body, { secret: STORE_SECRET }]);
  };
  const taxes = [{ title: 'VAT', rate: 0.2 }];
  const order = shop.sell([50], { shipping: [{ price: 10 }], taxes, taxesIncluded: false });
  await deliverLatest();
  expect(shop.points(order)).toBe(50);
  shop.later(60);
  shop.actions.refundOrder({ orderId: order.id, shipping: 'all' });
  await deliverLatest();
  expect(shop.points(order)).toBe(50);
  // The webhook itself tells shipping from goods; the store is asked only before points are taken.
  expect(shop.store.journal.entries()).toEqual([]);
  // 24 of the 60 that the goods cost with taxes: 50 × 36 / 60.
  shop.later(60);
  shop.actions.refundOrder({ orderId: order.id, amount: 24 });
  await deliverLatest();
  expect(shop.points(order)).toBe(30);
  expect(await shop.parked()).toBe(0);
});

const HOUR = 3600;

/** 100 points, of which 20 were taken back. */
async function refundedOrder(shop: Shop) {
  const order = shop.sell([[20, 3], 40]);
  await shop.rest();
  shop.refundLine(order, 0);
  await shop.rest();
  expect(shop.points(order)).toBe(80);
  shop.later(60);
  return order;
}

describe.each([
  ['both-flags', 'one cancel call'],
  ['cancel-completed', 'the cancel call, refused, and the order sent as returned'],
  ['never', 'one cancel call'],
] as const)('where error 13 comes as "%s"', (error13, how) => {
  const shops = openShops({ error13 });

  test(`a cancel after a partial cancel is ${how}: 100 → 80 → 0 points`, async () => {
    const shop = await shops.open();
    const order = await refundedOrder(shop);
    shop.orderCalls();
    shop.actions.cancelOrder({ orderId: order.id });
    await shop.rest();
    expect(shop.balance()).toBe(0);
    expect(shop.held(order)).toMatchObject({ IsCancelledOrReturned: true, points: 0 });
    const [first, second] = shop.orderCalls();
    expect(first).toMatch(/^cancel/);
    expect(second).toBe(error13 === 'cancel-completed' ? 'sendOrder' : undefined);
    if (error13 === 'cancel-completed') {
      expect(shop.held(order)).toMatchObject({ IsCompleted: false });
    }
    expect(await shop.parked()).toBe(0);
  });
});

describe('where cancels show late: isCanceled is false, and true a day later', () => {
  const shops = openShops({ lateCancel: true });

  test('100 points stay for a day and are 0 then; nothing is parked', async () => {
    const { shop, order } = await shops.openSold([100]);
    shop.later(60);
    shop.actions.cancelOrder({ orderId: order.id });
    await shop.store.deliveries.settled();
    for (let hour = 0; hour < 23; hour += 1) {
      await shop.connector.work();
      shop.later(HOUR);
    }
    // Not carried out yet, and not given up: the message is still there.
    expect(shop.points(order)).toBe(100);
    expect(await shop.connector.waiting()).toBeGreaterThan(0);
    expect(await shop.parked()).toBe(0);
    await shop.rest();
    expect(shop.balance()).toBe(0);
    expect(shop.held(order)?.IsCancelledOrReturned).toBe(true);
    expect(await shop.parked()).toBe(0);
  });
});
