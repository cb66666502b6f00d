import { describe, expect, test } from 'vitest';
import { STORE_SECRET } from '../../support/store-and-connector.ts';
import { openShops } from './open-shops.ts';

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
