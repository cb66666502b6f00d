import { describe, expect, it } from 'vitest';
import { accountsOf, transactionsOf } from '../../../local/store-sandbox/model/store-credit.ts';
import { type OpenStore, openStore } from './open-store.ts';

const GATEWAY = 'shopify_store_credit';
const DAY_MS = 86_400_000;

function openWithCustomer(shop: Parameters<typeof openStore>[0] = {}) {
  const store = openStore(shop);
  const customerId = store.do('createCustomer', { firstName: 'Robin' }).id;
  const inDays = (days: number) => new Date(store.clock.ms + days * DAY_MS).toISOString();
  const give = (amount: number, days?: number) =>
    store.do('creditCustomer', {
      customerId,
      amount,
      ...(days !== undefined && { expiresAt: inDays(days) }),
    });
  const order = (price: number, more: object = {}) =>
    store.do('placeOrder', { lines: [{ title: 'Coat', price }], customerId, ...more });
  return { ...store, customerId, inDays, give, order };
}

const historyOf = ({ world }: Pick<OpenStore, 'world'>, customerId: string) =>
  accountsOf(world, customerId).flatMap(({ id }) =>
    transactionsOf(world, id).map(({ kind, event, minor, balanceAfterMinor }) => [
      kind,
      event,
      minor,
      balanceAfterMinor,
    ]),
  );

const remainingOf = ({ rows }: OpenStore, id: string) => {
  const row = rows.storeCreditTransactions.get(id);
  return row?.kind === 'credit' ? row.remainingMinor : undefined;
};

describe('a payment with store credit', () => {
  it('spends the soonest expiring credit first, and one without an end last', () => {
    const store = openWithCustomer();
    const endless = store.give(10);
    const late = store.give(10, 30);
    const soon = store.give(10, 5);
    store.order(15, { payment: 'paid', gateway: GATEWAY });
    expect([soon, late, endless].map(({ id }) => remainingOf(store, id))).toEqual([0, 500, 1000]);
  });

  it('pays a part, and the card the rest', () => {
    const store = openWithCustomer();
    store.give(10);
    const { transactions, gateways } = store.order(25, { payment: 'paid', storeCredit: 'all' });
    expect(transactions.map(({ gateway, minor }) => [gateway, minor])).toEqual([
      [GATEWAY, 1000],
      ['shopify_payments', 1500],
    ]);
    expect(gateways).toEqual(['shopify_payments', GATEWAY]);
  });

  it('is refused beyond the balance, and without a customer', () => {
    const store = openWithCustomer();
    store.give(10);
    const dear = store.order(25);
    const pay = (orderId: string) => store.attempt('payOrder', { orderId, gateway: GATEWAY });
    expect(pay(dear.id)).toMatchObject({ code: 'INSUFFICIENT_FUNDS' });
    const guest = store.do('placeOrder', { lines: [{ title: 'Coat', price: 5 }] });
    expect(pay(guest.id)).toMatchObject({ kind: 'refused' });
    expect(store.rows.orders.get(dear.id)?.transactions).toEqual([]);
    expect(historyOf(store, store.customerId)).toHaveLength(1);
  });
});

describe('a refund', () => {
  it('of store credit reverts the debit: the same credit has it again', () => {
    const store = openWithCustomer();
    const gift = store.give(10);
    const { id } = store.order(10, { payment: 'paid', gateway: GATEWAY });
    store.do('refundOrder', { orderId: id, amount: 4 });
    expect(remainingOf(store, gift.id)).toBe(400);
    expect(historyOf(store, store.customerId)).toEqual([
      ['credit', 'ADJUSTMENT', 1000, 1000],
      ['debit', 'ORDER_PAYMENT', -1000, 0],
      ['debit-revert', 'ORDER_REFUND', 400, 400],
    ]);
  });

  it('of a card payment to store credit is a new credit, also when the order is cancelled', () => {
    const store = openWithCustomer();
    const orderId = store.order(10, { payment: 'paid' }).id;
    store.do('refundOrder', { orderId, amount: 4, to: 'store-credit' });
    store.do('cancelOrder', { orderId, to: 'store-credit' });
    expect(historyOf(store, store.customerId)).toEqual([
      ['credit', 'ORDER_REFUND', 400, 400],
      ['credit', 'ORDER_CANCELLATION', 600, 1000],
    ]);
    expect(store.rows.orders.get(orderId)?.transactions.map(({ gateway }) => gateway)).toEqual([
      'shopify_payments',
      GATEWAY,
      GATEWAY,
    ]);
  });

  it('whose money is pending gives the credit when it settles', () => {
    const store = openWithCustomer();
    const orderId = store.order(10, { payment: 'paid' }).id;
    store.do('refundOrder', { orderId, amount: 4, to: 'store-credit', pending: 'balanced' });
    expect(historyOf(store, store.customerId)).toEqual([]);
    store.do('settleRefund', { orderId });
    expect(historyOf(store, store.customerId)).toHaveLength(1);
  });
});

describe('a credit', () => {
  it('expires with what is left of it', () => {
    const store = openWithCustomer();
    store.give(10, 5);
    store.order(4, { payment: 'paid', gateway: GATEWAY });
    store.clock.ms += 6 * DAY_MS;
    expect(historyOf(store, store.customerId).at(-1)).toEqual([
      'expiration',
      'ADJUSTMENT',
      -600,
      0,
    ]);
  });

  it('comes back after a failed payment', () => {
    const store = openWithCustomer();
    store.give(10);
    store.do('failCheckout', { customerId: store.customerId, amount: 10 });
    expect(historyOf(store, store.customerId).slice(1)).toEqual([
      ['debit', 'ORDER_PAYMENT', -1000, 0],
      ['debit-revert', 'PAYMENT_FAILURE', 1000, 1000],
    ]);
  });

  it.each([
    ['CREDIT_LIMIT_EXCEEDED', { amount: 15_000.01 }],
    ['EXPIRES_AT_IN_PAST', { expiresAt: '2026-01-01T00:00:00Z' }],
    ['NEGATIVE_OR_ZERO_AMOUNT', { amount: 0 }],
    ['OWNER_NOT_FOUND', { customerId: '1' }],
    ['UNSUPPORTED_CURRENCY', { currency: 'XAF' }],
  ])('is refused: %s', (code, change) => {
    const { customerId, attempt } = openWithCustomer();
    const input = { customerId, amount: 1, ...change };
    expect(attempt('creditCustomer', input)).toMatchObject({ kind: 'refused', code });
  });
});
