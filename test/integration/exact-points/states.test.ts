import { describe, expect, test } from 'vitest';
import { STORE_SECRET } from '../../support/store-and-connector.ts';
import { openShops } from './open-shops.ts';

const shops = openShops();

describe('the completion date', () => {
  test.each(['fulfilled', 'paid'] as const)(
    'is not before the placement, also within one second, with completeWhen: %s',
    async (completeWhen) => {
      const shop = await shops.open({ rules: { completeWhen } });
      const order = shop.buy([50]);
      shop.actions.fulfilOrder({ orderId: order.id });
      await shop.rest();
      const { OrderPlacementDate, OrderCompletedDate, points } = shop.held(order) ?? {};
      expect(points).toBe(50);
      expect(OrderCompletedDate).toBe(OrderPlacementDate);
      expect(await shop.parked()).toBe(0);
    },
  );

  test('does not move with a refund, a tag, an addition or its shipping', async () => {
    const { shop, order } = await shops.openSold([60, 40]);
    const { OrderCompletedDate } = shop.held(order) ?? {};
    shop.later(86_400);
    shop.actions.editOrder({ orderId: order.id, add: [{ title: 'Wrap', price: 15 }] });
    await shop.rest();
    shop.later(86_400);
    shop.actions.fulfilOrder({ orderId: order.id });
    await shop.rest();
    shop.refundLine(order, 0);
    shop.actions.tagOrder({ orderId: order.id, tags: ['checked'] });
    await shop.rest();
    expect(shop.held(order)).toMatchObject({ OrderCompletedDate, IsCompleted: true, points: 55 });
    expect(shop.balances()).toEqual([100, 115, 55]);
  });
});

describe('an order that is not shipped yet', () => {
  test('makes no call, and one when it is complete', async () => {
    const shop = await shops.open();
    const order = shop.buy([60, 40], { payment: 'none' });
    await shop.rest();
    shop.later(60);
    shop.actions.payOrder({ orderId: order.id });
    const lines = [{ lineId: order.lines[0]?.id ?? '', quantity: 1 }];
    shop.actions.fulfilOrder({ orderId: order.id, lines });
    await shop.rest();
    expect(shop.orderCalls()).toEqual([]);
    shop.later(60);
    shop.actions.fulfilOrder({ orderId: order.id });
    await shop.rest();
    expect(shop.orderCalls()).toEqual(['sendOrder']);
    expect(shop.balances()).toEqual([100]);
  });
});

test('an order without the key `customer` is a guest: 0 points, no call, and not unreadable', async () => {
  const shop = await shops.open({ disorder: { drop: 1 } });
  const guest = shop.sell([50], { customerId: null, email: null });
  const other = shop.sell([30]);
  for (const order of [guest, other]) {
    const sent = shop.store.deliveries
      .all()
      .filter(({ topic }) => topic === 'orders/fulfilled')
      .map(({ body }) => JSON.parse(body))
      .find(({ name }) => name === `#${order.number}`);
    if (order === guest) {
      delete sent.customer;
      expect('customer' in sent).toBe(false);
    }
    const body = Buffer.from(JSON.stringify(sent));
    await shop.connector.deliver(['orders/fulfilled', body, { secret: STORE_SECRET }]);
  }
  expect(shop.held(guest)).toBeUndefined();
  expect(shop.orderCalls()).toEqual(['sendOrder']);
  expect(shop.balances()).toEqual([30]);
  expect(await shop.parked()).toBe(0);
});

describe('an order of a customer with a telephone number only', () => {
  const openWith = async (customersWithoutEmail: 'skip' | 'send') => {
    const shop = await shops.open({ rules: { customersWithoutEmail } });
    const phone = '+15555550142';
    const { id: customerId } = shop.actions.createCustomer({ firstName: 'Robin', phone });
    await shop.rest();
    const order = shop.sell([50], { customerId, email: null });
    await shop.rest();
    return { shop, order, customerId };
  };

  test('earns 0 points without a call, and all 50 once there is an e-mail address', async () => {
    const { shop, order, customerId } = await openWith('skip');
    expect(shop.orderCalls()).toEqual([]);
    expect(await shop.parked()).toBe(0);
    shop.later(60);
    shop.actions.updateCustomer({ customerId, email: 'robin.q@example.com' });
    await shop.rest();
    shop.later(60);
    shop.actions.tagOrder({ orderId: order.id, tags: ['seen'] });
    await shop.rest();
    expect(shop.points(order)).toBe(50);
  });

  test('is parked by name where the settings send it and the service refuses it (error 50)', async () => {
    const { shop } = await openWith('send');
    const code = 'ApiExternalCustomer_document_email_empty';
    const letters = await shop.connector.deadLetters();
    expect(letters.map(({ attributes }) => attributes.code)).toContain(code);
  });
});
