import { beforeEach, describe, expect, it } from 'vitest';
import { amountHeld } from '../../../local/harness/held-order.ts';
import type { CallFailure } from '../../../shared/loyalty/result.ts';
import { orderAt, storeOrderOf } from '../../fixtures/order-life.ts';
import { storeCoupon } from '../../fixtures/store-entities.ts';
import { withoutRecords } from '../../support/dying-worker.ts';
import { openConnector, SHOP } from '../../support/in-process-connector.ts';

const ID = '5512345678901';
const shipped = { fulfilledAfterDays: 1 };
const gid = 'gid://shopify/DiscountCodeNode/1688847450345';
const unreachable: CallFailure = { kind: 'failure', reason: 'connection', mayHaveHappened: false };

let connector: ReturnType<typeof openConnector>;
beforeEach(() => {
  connector = openConnector();
});

const worth = (second: number, price: string) =>
  orderAt(second, shipped, { current_subtotal_price: price });
const deliver = (second: number, price: string) =>
  connector.deliver({ topic: 'orders/updated', payload: worth(second, price) });
const store = (second: number, price: string) =>
  connector.store.putOrder(SHOP, storeOrderOf(worth(second, price)));
const refund = (second?: number) =>
  connector.deliver({
    topic: 'refunds/create',
    payload: {
      ...{ id: 9, order_id: Number(ID) },
      ...(second !== undefined && { created_at: worth(second, '0').updated_at }),
    },
  });
const held = () => {
  const order = connector.loyalty.rows.orders.get(ID);
  return order && amountHeld(order);
};
const calls = () => connector.loyalty.journal.length;

describe('an order that changes twice within one second', () => {
  it.each([
    ['after the first change was sent', true],
    ['in one batch with the first change', false],
  ])('is what the store says, when a refund comes %s: 30 points', async (_, isSent) => {
    store(5, '30.00');
    await deliver(5, '50.00');
    if (isSent) {
      await connector.drain();
      expect(held()).toBe(50);
    }
    await refund(5);
    await connector.drain();
    expect(held()).toBe(30);
  });

  it.each([
    ['last', false],
    ['first', true],
  ])(
    'is sent once, as the last webhook to arrive says, where SQS lists it %s',
    async (_, turns) => {
      store(5, '30.00');
      await deliver(5, '50.00');
      await deliver(5, '30.00');
      const { orders } = connector.queues;
      const { receive } = orders;
      const reversed: typeof receive = (...limits) => receive(...limits).toReversed();
      if (turns) Object.assign(orders, { receive: reversed });
      await connector.drain();
      expect([held(), calls()]).toEqual([30, 1]);
    },
  );
});

describe('an event behind one that fails', () => {
  it('is not sent while the store does not answer for the newer one', async () => {
    await deliver(1, '50.00');
    await connector.drain();
    connector.store.outage = { kind: 'unavailable', why: 'throttled' };
    await deliver(2, '90.00');
    await deliver(3, '30.00');
    expect(await connector.work('orders')).toEqual({ received: 2, left: 2 });
    expect([calls(), held()]).toEqual([1, 50]);
  });

  it('is not sent where the store answered and the service did not', async () => {
    store(2, '50.00');
    let asked = 0;
    connector.loyalty.world.interfere = () => {
      asked += 1;
      return unreachable;
    };
    await refund();
    await deliver(1, '40.00');
    expect(await connector.work('orders')).toEqual({ received: 2, left: 2 });
    expect(asked).toBe(1);
  });
});

describe('a deletion', () => {
  const product = { id: 8, title: 'Shirt', status: 'active', variants: [{ price: '9.00' }] };
  const created = { ...product, updated_at: '2026-10-09T11:00:00Z' };

  it('of a product that was never sent costs no call', async () => {
    await connector.deliver({ topic: 'products/create', payload: created });
    await connector.deliver({ topic: 'products/delete', payload: { id: 8 } });
    await connector.drain();
    expect(calls()).toBe(0);
  });

  it('of a product is sent, if a worker may have sent it and a second one reached nothing', async () => {
    const { ledger } = connector;
    await connector.deliver({ topic: 'products/create', payload: created });
    connector.parts.ledger = withoutRecords(ledger);
    await connector.work('products');
    expect(calls()).toBe(1);
    await connector.deliver({ topic: 'products/delete', payload: { id: 8 } });
    connector.parts.ledger = { ...ledger, readMany: () => Promise.reject(new Error('away')) };
    connector.clock.ms += 60_000;
    expect(await connector.work('products')).toEqual({ received: 2, left: 2 });
    connector.parts.ledger = ledger;
    await connector.drain();
    expect(calls()).toBe(2);
  });

  it('of an order is believed although the app sees only recent orders', async () => {
    const old = { created_at: '2026-07-01T09:00:00Z', processed_at: '2026-07-01T09:00:00Z' };
    await connector.deliver({ topic: 'orders/updated', payload: orderAt(1, shipped, old) });
    await connector.drain();
    connector.store.allOrders = false;
    await connector.deliver({ topic: 'orders/delete', payload: { id: Number(ID) } });
    expect(await connector.work('orders')).toEqual({ received: 1, left: 0 });
    expect(connector.loyalty.rows.orders.get(ID)?.IsCancelledOrReturned).toBe(true);
  });
});

describe('a code that the store does not have any more', () => {
  const redeem_code = { id: 'gid://shopify/DiscountRedeemCode/1', code: 'AUTUMN10' };
  const notice = { admin_graphql_api_id: gid, redeem_code, updated_at: '2026-10-09T11:00:00Z' };
  const isActive = () => [...connector.loyalty.rows.coupons.values()][0]?.isActive;

  it.each([
    ['at once, where its removal is announced', 'discounts/redeemcode_removed', 0],
    ['ten minutes later, where it is not', 'discounts/redeemcode_added', 660_000],
  ])('ends %s', async (_, topic, waitMs) => {
    connector.store.putCoupon(SHOP, storeCoupon({ updatedAt: '2026-10-09T11:00:00.000Z' }));
    await connector.deliver({ topic: 'discounts/redeemcode_added', payload: notice });
    await connector.drain();
    expect(isActive()).toBe(true);
    connector.store.remove(SHOP, 'coupon', 'AUTUMN10');
    await connector.deliver({ topic, payload: notice });
    await connector.work('coupons');
    await connector.work('coupons');
    connector.clock.ms += waitMs / 2;
    await connector.work('coupons');
    expect(isActive()).toBe(waitMs > 0);
    connector.clock.ms += waitMs / 2;
    await connector.work('coupons');
    expect(isActive()).toBe(false);
  });
});
