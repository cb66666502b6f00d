import { describe, expect, test } from 'vitest';
import { STORE_SECRET } from '../../support/store-and-connector.ts';
import { openShops, type Shop } from './open-shops.ts';

const shops = openShops();

/** The newest body of the order. */
const newest = (shop: Shop) =>
  shop.store.deliveries
    .all()
    .filter(({ topic }) => topic === 'orders/updated')
    .at(-1)?.body ?? '';

const deliver = async (shop: Shop, body: string) => {
  await shop.connector.deliver(['orders/updated', Buffer.from(body), { secret: STORE_SECRET }]);
};

/** Sold for 100 and refunded; nothing is delivered by itself. */
async function openRefunded() {
  const shop = await shops.open({ disorder: { drop: 1 } });
  const order = shop.sell([100]);
  await deliver(shop, newest(shop));
  expect(shop.points(order)).toBe(100);
  shop.refundLine(order, 0);
  const refunded = newest(shop);
  expect(JSON.parse(refunded)).toMatchObject({ financial_status: 'refunded', cancelled_at: null });
  return { shop, order, refunded };
}

describe('a webhook that says refunded', () => {
  test('while the store already shows an exchange for 60: 100 → 60 points, not cancelled', async () => {
    const { shop, order, refunded } = await openRefunded();
    shop.later(60);
    shop.actions.editOrder({ orderId: order.id, add: [{ title: 'Coat', price: 60 }] });
    shop.actions.payOrder({ orderId: order.id });
    await deliver(shop, refunded);
    expect(shop.points(order)).toBe(60);
    await deliver(shop, newest(shop));
    expect(shop.held(order)).toMatchObject({ IsCancelledOrReturned: false, points: 60 });
    expect(await shop.parked()).toBe(0);
  });

  test('while the store says so, too: cancelled', async () => {
    const { shop, order, refunded } = await openRefunded();
    await deliver(shop, refunded);
    expect(shop.held(order)).toMatchObject({ IsCancelledOrReturned: true, points: 0 });
    expect(await shop.parked()).toBe(0);
  });
});

test('a rise after a partial cancel is asked for first: 100 → 80, and no raise by an old webhook', async () => {
  // A webhook of the state before a second refund of the same second arrives late.
  const shop = await shops.open({
    disorder: { drop: 1 },
    assumptions: { raiseAfterPartialCancel: 'send-gross' },
  });
  const order = shop.sell([[20, 3], 40]);
  await deliver(shop, newest(shop));
  shop.refundLine(order, 0);
  await deliver(shop, newest(shop));
  expect(shop.points(order)).toBe(80);
  shop.later(60);
  shop.actions.editOrder({ orderId: order.id, add: [{ title: 'Wrap', price: 15 }] });
  const raised = newest(shop);
  const set = [{ lineId: order.lines[1]?.id ?? '', quantity: 0 }];
  shop.actions.editOrder({ orderId: order.id, set });
  await deliver(shop, raised);
  expect(shop.points(order)).toBe(55);
  expect(shop.balances()).toEqual([100, 80, 55]);
});
