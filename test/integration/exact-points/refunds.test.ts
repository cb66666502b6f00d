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

  test('the products of a partial cancel add up to its value', async () => {
    const shop = await shops.open();
    // A third of 100 off: 66.67 for the shirt of 60 and the socks of 40, 40.00 and 26.67.
    const order = shop.sell([60, 40], { discounts: [{ code: 'THIRD', amount: '33.33' }] });
    await shop.rest();
    expect(shop.points(order)).toBe(66.67);
    shop.refundLine(order, 1);
    await shop.rest();
    expect(shop.points(order)).toBe(40);
    const [call] = shop.loyalty.journal.entries({ operation: 'partiallyCancelPosOrder' });
    const socks = order.lines[1]?.productId;
    expect(call?.body).toMatchObject({
      ValueToRefund: 26.67,
      Products: [{ OriginalId: socks, ValueToRefund: 26.67 }],
    });
  });

  test('of a return: the points go when the goods do, and the payment changes nothing', async () => {
    const { shop, order } = await shops.openSold([[20, 3], 40]);
    shop.later(60);
    const lines = [{ lineId: order.lines[0]?.id ?? '', quantity: 2 }];
    const returned = shop.actions.returnItems({ orderId: order.id, lines });
    await shop.rest();
    expect(shop.points(order)).toBe(60);
    shop.later(60);
    shop.actions.refundOrder({ orderId: order.id, returnId: returned.id });
    await shop.rest();
    expect(shop.points(order)).toBe(60);
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

test('an order that is deleted after a refund: 80 → 0 points', async () => {
  const { shop, order } = await shops.openSold([[20, 3], 40]);
  shop.refundLine(order, 0);
  await shop.rest();
  expect(shop.points(order)).toBe(80);
  shop.later(60);
  shop.actions.deleteOrder({ orderId: order.id });
  await shop.rest();
  expect(shop.balance()).toBe(0);
  expect(await shop.parked()).toBe(0);
});

test('a refund before completion: 0 points, then 80 at once, after a look at the service', async () => {
  const shop = await shops.open();
  const order = shop.buy([[20, 3], 40]);
  await shop.rest();
  shop.refundLine(order, 0);
  await shop.rest();
  expect(shop.held(order)).toBeUndefined();
  shop.later(60);
  shop.actions.fulfilOrder({ orderId: order.id });
  await shop.rest();
  expect(shop.points(order)).toBe(80);
  expect(shop.balances()).toEqual([80]);
  // The ledger may have been lost since the order was sent.
  expect(shop.orderCalls()).toEqual(['getOrder', 'sendOrder']);
});

test('a refund before completion where pending orders are sent: sent again with 80, nothing taken', async () => {
  const shop = await shops.open({ rules: { pendingOrders: 'send' } });
  const order = shop.buy([[20, 3], 40]);
  await shop.rest();
  shop.refundLine(order, 0);
  await shop.rest();
  expect(shop.held(order)).toMatchObject({ OrderTotal: 80, IsCompleted: false, points: 0 });
  shop.later(60);
  shop.actions.fulfilOrder({ orderId: order.id });
  await shop.rest();
  expect(shop.held(order)).toMatchObject({ OrderTotal: 80, IsCompleted: true, points: 80 });
  expect(shop.held(order)?.partialCancels).toEqual([]);
});

describe('an exchange on a fulfilled order', () => {
  test('8600 → 9270.95 points, never through 0, at the first completion date', async () => {
    const { shop, order } = await shops.openSold([8600]);
    const { OrderCompletedDate } = shop.held(order) ?? {};
    shop.later(3600);
    const set = [{ lineId: order.lines[0]?.id ?? '', quantity: 0 }];
    shop.actions.editOrder({ orderId: order.id, set, add: [{ title: 'Coat', price: 9270.95 }] });
    await shop.rest();
    expect(shop.points(order)).toBe(9270.95);
    shop.later(3600);
    shop.actions.payOrder({ orderId: order.id });
    shop.actions.fulfilOrder({ orderId: order.id });
    await shop.rest();
    expect(shop.balances()).toEqual([8600, 9270.95]);
    expect(shop.held(order)).toMatchObject({ IsCompleted: true, OrderCompletedDate });
  });
});

describe('a line of 15 added after a refund of 20 of 100', () => {
  test('parks by default, and the 80 points stay', async () => {
    const { shop, order } = await shops.openSold([[20, 3], 40]);
    shop.refundLine(order, 0);
    await shop.rest();
    shop.later(60);
    shop.actions.editOrder({ orderId: order.id, add: [{ title: 'Wrap', price: 15 }] });
    await shop.rest();
    expect(shop.points(order)).toBe(80);
    expect(await shop.parked()).toBeGreaterThan(0);
    // The coat of 40 comes back: 95 − 40 = 55 is below 80 again, so 25 are taken.
    shop.refundLine(order, 1);
    await shop.rest();
    expect(shop.points(order)).toBe(55);
  });

  test('with send-gross: 80 → 95 points, then 75 after another refund of 20', async () => {
    const assumptions = { raiseAfterPartialCancel: 'send-gross' } as const;
    const { shop, order } = await shops.openSold([[20, 3], 40], { assumptions });
    shop.refundLine(order, 0);
    await shop.rest();
    shop.later(60);
    shop.actions.editOrder({ orderId: order.id, add: [{ title: 'Wrap', price: 15 }] });
    await shop.rest();
    // Sent with 80 + 15 + 20 = 115, of which 20 are taken.
    expect(shop.held(order)).toMatchObject({ OrderTotal: 115, points: 95 });
    shop.refundLine(order, 0);
    await shop.rest();
    expect(shop.points(order)).toBe(75);
    expect(await shop.parked()).toBe(0);
  });
});

describe('with refunds: resend', () => {
  test('a refund of 20 sends 80 again: 100 → 80 points, nothing taken', async () => {
    const { shop, order } = await shops.openSold([[20, 3], 40], {
      assumptions: { refunds: 'resend' },
    });
    shop.refundLine(order, 0);
    await shop.rest();
    expect(shop.held(order)).toMatchObject({ OrderTotal: 80, partialCancels: [], points: 80 });
    shop.later(60);
    shop.actions.editOrder({ orderId: order.id, add: [{ title: 'Wrap', price: 15 }] });
    await shop.rest();
    expect(shop.points(order)).toBe(95);
    shop.later(60);
    shop.actions.cancelOrder({ orderId: order.id });
    await shop.rest();
    expect(shop.balance()).toBe(0);
  });
});

describe('a refund before the points, which come after 14 days', () => {
  const waiting = openShops({ daysToWaitToGrantPoints: 14 });

  test('lowers them before they come: 0 → 0 → 80 points', async () => {
    const { shop, order } = await waiting.openSold([[20, 3], 40]);
    shop.refundLine(order, 0);
    await shop.rest();
    expect(shop.points(order)).toBe(0);
    // Last in this file: the clock is that of all services.
    shop.loyalty.advance(15 * 86_400_000);
    expect(shop.points(order)).toBe(80);
  });
});
