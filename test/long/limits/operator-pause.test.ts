import { describe, expect, it } from 'vitest';
import { productAt } from '../../../local/harness/product-payload.ts';
import { orderAt, storeOrderOf } from '../../fixtures/order-life.ts';
import {
  deliverAll,
  deliverOfBoth,
  expectAllOnce,
  expectEachRefundedOnce,
  ORDERS_OF_A,
  ORDERS_OF_B,
  order,
  refundEach,
} from '../../integration/limits/entities.ts';
import { runConnectors } from '../../support/running-connector.ts';
import { A, B, useTwoAccounts } from '../../support/two-accounts.ts';

const open = useTwoAccounts(runConnectors());
const DAY = 86_400;

describe('a pause by an operator', () => {
  it('of one shop stops its calls and no other; after resume all of it is sent once, within the documented time', async () => {
    const accounts = await open();
    const { connector } = accounts;
    await connector.pauseShop(A);
    await deliverOfBoth(accounts);
    await accounts.workNow();
    expect(accounts.takenOrders(B)).toEqual(ORDERS_OF_B);
    await accounts.workFor(600, 20);
    expect(accounts.callsOf(A)).toEqual([]);

    await connector.resumeShop(A);
    // No command ended the waits: the longest one is an hour.
    await accounts.workFor(3_600, 120);
    expect(await connector.waiting()).toBe(0);
    await expectAllOnce(accounts);
  });

  it('of one queue stops that queue of that shop only', async () => {
    const accounts = await open();
    const { connector, callsOf } = accounts;
    await connector.pauseShop(A, 'orders');
    await deliverOfBoth(accounts);
    await accounts.workFor(600, 20);
    expect(accounts.takenOrders(A)).toEqual([]);
    expect(callsOf(A).map(({ what }) => what)).toEqual(
      expect.arrayContaining(['PUT /Product/1', 'POST /Coupons']),
    );
    expect(accounts.takenOrders(B)).toEqual(ORDERS_OF_B);
    // The pause of another queue does not end it.
    await connector.resumeShop(A, 'products');
    await accounts.workFor(600, 60);
    expect(accounts.takenOrders(A)).toEqual([]);
    await connector.resumeShop(A, 'orders');
    await expectAllOnce(accounts);
  });

  it('of all shops stops every call', async () => {
    const accounts = await open();
    const { connector } = accounts;
    for (const shop of [A, B]) await connector.pauseShop(shop);
    await deliverOfBoth(accounts);
    await accounts.workFor(3_600, 120);
    expect(accounts.calls).toEqual([]);
    for (const shop of [A, B]) await connector.resumeShop(shop);
    await expectAllOnce(accounts);
  });

  it('that begins while messages wait for a retry stops the retries, too', async () => {
    const accounts = await open();
    accounts.answer(A, () => ({ status: 503 }));
    await deliverOfBoth(accounts);
    await accounts.workFor(300, 10);
    await accounts.connector.pauseShop(A);
    const tried = accounts.callsOf(A).length;
    expect(tried).toBeGreaterThan(0);
    accounts.answer(A);
    await accounts.workFor(2 * 3_600, 120);
    expect(accounts.callsOf(A)).toHaveLength(tried);
    await accounts.connector.resumeShop(A);
    await expectAllOnce(accounts);
  });

  it('of several changes of one entity sends the last state once', async () => {
    const accounts = await open();
    const { connector } = accounts;
    await connector.pauseShop(A);
    for (const second of [1, 2, 3, 4]) {
      const price = `${10 + second}.00`;
      const product = productAt(second, { variants: [{ id: 1, price, inventory_quantity: 1 }] });
      await connector.post('products/update', product, { shop: A });
      await accounts.workNow();
      connector.pass(600);
    }
    await connector.resumeShop(A);
    await connector.settle();
    const { products } = connector.loyalty.state();
    expect(products).toMatchObject([{ ProductPrice: 14 }]);
    expect(accounts.callsOf(A).at(-1)?.body).toMatchObject({ ProductPrice: 14 });
    expect(await connector.deadLetters()).toEqual([]);
  });
});

describe('a pause by an operator and one by the service at the same time', () => {
  async function bothPaused(part: 'all' | 'orders') {
    const accounts = await open();
    accounts.answer(A, () => ({ status: 429, headers: { 'retry-after': '3000' } }));
    await deliverOfBoth(accounts);
    await accounts.workNow();
    await accounts.connector.pauseShop(A, part);
    accounts.answer(A);
    const refused = accounts.callsOf(A).length;
    return { accounts, refused };
  }

  it('lasts as long as the longer one: the end of Retry-After does not end the operator’s', async () => {
    const { accounts, refused } = await bothPaused('all');
    await accounts.workFor(9_000, 300);
    expect(accounts.callsOf(A)).toHaveLength(refused);
    await accounts.connector.resumeShop(A);
    await expectAllOnce(accounts);
  });

  it('resume of a queue does not end the service’s', async () => {
    const { accounts, refused } = await bothPaused('orders');
    await accounts.workFor(300, 30);
    await accounts.connector.resumeShop(A, 'orders');
    await accounts.workFor(2_500, 60);
    expect(accounts.callsOf(A)).toHaveLength(refused);
    await expectAllOnce(accounts);
  });

  it('resume of the shop ends both, in processes that knew of the service’s, too', async () => {
    const { accounts, refused } = await bothPaused('all');
    await accounts.workFor(300, 30);
    expect(accounts.callsOf(A)).toHaveLength(refused);
    await accounts.connector.resumeShop(A);
    // 300 of 3000 seconds have passed. What waited returns within the spread of the service's pause.
    await accounts.connector.post('orders/create', order(9), { shop: A });
    await accounts.workFor(60, 5);
    expect(accounts.takenOrders(A)).toContain(9);
  });
});

describe('a refund', () => {
  const lines = (takenBack: number) => [
    { product: 1, priceCents: 2_000, quantity: 3, discountCents: 0, takenBack },
  ];
  const refunded = (second: number, takenBack: number) =>
    orderAt(
      second,
      { lines: lines(takenBack), fulfilledAfterDays: 1 },
      takenBack > 0 ? { financial_status: 'partially_refunded' } : {},
    );

  it('whose answer is lost before a pause is taken once, as is a second one during the pause', async () => {
    const accounts = await open();
    const { connector } = accounts;
    connector.store.putOrder(A, storeOrderOf(refunded(1, 0)));
    await connector.deliver(['orders/create', refunded(1, 0), { shop: A }]);
    connector.loyalty.faults.add({
      kind: 'reset-after',
      operation: 'partiallyCancelPosOrder',
      count: 1,
    });
    connector.store.putOrder(A, storeOrderOf(refunded(2, 1)));
    await connector.post('orders/updated', refunded(2, 1), { shop: A });
    await accounts.workNow();
    await connector.pauseShop(A);
    await accounts.workFor(5 * DAY, DAY / 6);
    // A second refund during the pause.
    connector.store.putOrder(A, storeOrderOf(refunded(3, 2)));
    await connector.post('orders/updated', refunded(3, 2), { shop: A });
    await accounts.workFor(3_600, 300);
    await connector.resumeShop(A);
    await connector.settle();
    const [customer] = connector.loyalty.state().customers;
    expect(customer?.points).toBe(20);
    const [held] = connector.loyalty.state().orders;
    expect(held).toMatchObject({ OrderTotal: 60, points: 20 });
    expect(await connector.deadLetters()).toEqual([]);
  });

  it('of every order during a pause is taken once after it', async () => {
    const accounts = await open();
    const { connector } = accounts;
    await deliverAll(accounts, A, ORDERS_OF_A);
    await connector.settle();
    await connector.pauseShop(A);
    await refundEach(accounts);
    await accounts.workFor(6 * DAY, DAY / 6);
    await connector.resumeShop(A);
    await expectEachRefundedOnce(accounts);
  });
});
