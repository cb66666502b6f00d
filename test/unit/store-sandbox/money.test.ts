import { describe, expect, it } from 'vitest';
import { financialStatus, orderTotals } from '../../../local/store-sandbox/model/order-totals.ts';
import { type OpenStore, openStore } from './open-store.ts';

const store = () => openStore({ shop: { currency: 'BRL', taxes: [] } });
const sell = (one: OpenStore, changes: object = {}) =>
  one.do('placeOrder', { lines: [{ title: 'a', price: 100 }], payment: 'paid', ...changes });
const find = (one: OpenStore, id: string) => {
  const order = one.rows.orders.get(id);
  if (!order) throw new Error('no order');
  return order;
};
/** The last body of a topic. */
const told = (one: OpenStore, topic = 'orders/updated') =>
  JSON.parse(one.sent.findLast((sent) => sent.topic === topic)?.body ?? '');

describe('an order in two currencies', () => {
  it('has the shop money everywhere except in the transactions of refunds', () => {
    const one = store();
    const presentment = { currency: 'USD', rate: 0.2 };
    const { id: orderId } = sell(one, { lines: [{ title: 'a', price: 500 }], presentment });
    one.do('refundOrder', { orderId, amount: 100 });
    expect(told(one)).toMatchObject({
      currency: 'BRL',
      presentment_currency: 'USD',
      total_price: '500.00',
      total_price_set: {
        shop_money: { amount: '500.00', currency_code: 'BRL' },
        presentment_money: { amount: '100.00', currency_code: 'USD' },
      },
      refunds: [
        {
          order_adjustments: [
            {
              amount: '-100.00',
              amount_set: {
                shop_money: { amount: '-100.00', currency_code: 'BRL' },
                presentment_money: { amount: '-20.00', currency_code: 'USD' },
              },
            },
          ],
          transactions: [{ amount: '20.00', currency: 'USD' }],
        },
      ],
    });
  });

  it.each([
    ['JPY', 161.37, '16137'],
    ['KWD', 0.3317, '33.170'],
    ['USD', 1.0837, '108.37'],
  ])('has %s with their decimals', (currency, rate, amount) => {
    const one = store();
    const { id: orderId } = sell(one, { presentment: { currency, rate } });
    one.do('refundOrder', { orderId, amount: 100 });
    expect(told(one).refunds[0].transactions).toMatchObject([{ amount, currency }]);
  });
});

describe('a refund whose money is on its way', () => {
  it.each([
    ['balanced', ['-30.00', '30.00'], ['-30.00', '30.00', '-30.00']],
    ['paired', ['-30.00', '30.00', '-30.00'], ['-30.00', '30.00', '-30.00']],
    ['rise', ['30.00'], ['30.00', '-60.00']],
  ] as const)('is not back until it settles (%s)', (pending, before, after) => {
    const one = store();
    const { id: orderId } = sell(one);
    one.do('refundOrder', { orderId, amount: 30, pending });
    const amounts = () =>
      told(one).refunds[0].order_adjustments.map(({ amount }: { amount: string }) => amount);
    expect(told(one)).toMatchObject({
      financial_status: 'paid',
      refunds: [{ transactions: [{ status: 'pending', processed_at: null, amount: '30.00' }] }],
    });
    expect(amounts()).toEqual(before);
    expect(orderTotals(find(one, orderId)).refundedMinor).toBe(0);
    expect(() => one.do('refundOrder', { orderId, amount: 71 })).toThrow('at most');
    one.takeSent();
    one.do('settleRefund', { orderId });
    expect(one.sent.map(({ topic }) => topic)).toEqual(['orders/updated']);
    expect(told(one)).toMatchObject({
      financial_status: 'partially_refunded',
      refunds: [{ transactions: [{ status: 'success' }] }],
    });
    expect(amounts()).toEqual(after);
    expect(() => one.do('settleRefund', { orderId })).toThrow('on its way');
  });

  it('never comes back where it fails, and can be refunded again', () => {
    const one = store();
    const { id: orderId } = sell(one);
    one.do('refundOrder', { orderId, amount: 100, pending: 'balanced' });
    one.do('settleRefund', { orderId, outcome: 'failure' });
    expect(told(one)).toMatchObject({
      financial_status: 'paid',
      refunds: [{ transactions: [{ status: 'failure' }] }],
    });
    one.do('refundOrder', { orderId, amount: 100 });
    expect(told(one).financial_status).toBe('refunded');
  });

  it('goes to the gateway that was chosen', () => {
    const one = store();
    const { id: orderId } = sell(one, { payment: 'none' });
    one.do('payOrder', { orderId, amount: 40, gateway: 'gift_card' });
    one.do('payOrder', { orderId });
    one.do('refundOrder', { orderId, amount: 50, gateway: 'gift_card' });
    expect(told(one).refunds[0].transactions).toMatchObject([
      { gateway: 'gift_card', amount: '40.00' },
      { gateway: 'shopify_payments', amount: '10.00' },
    ]);
  });
});

describe('a payment', () => {
  it.each([
    ['voidPayment', 'voided'],
    ['expirePayment', 'expired'],
  ] as const)('that was only authorized ends by %s, and another can be made', (action, status) => {
    const one = store();
    const { id: orderId } = sell(one, { payment: 'authorized' });
    one.do(action, { orderId });
    expect(told(one)).toMatchObject({ financial_status: status, cancelled_at: null });
    expect(() => one.do(action, { orderId })).toThrow('authorized only');
    one.do('payOrder', { orderId });
    expect(told(one).financial_status).toBe('paid');
    expect(find(one, orderId).transactions.at(-1)).toMatchObject({ kind: 'sale', minor: 10_000 });
  });

  it('of a deposit leaves the rest outstanding, also after a refund of a part of it', () => {
    const one = store();
    const { id: orderId } = sell(one, { payment: 'none' });
    one.do('payOrder', { orderId, amount: 50 });
    expect(told(one)).toMatchObject({
      financial_status: 'partially_paid',
      total_outstanding: '50.00',
    });
    one.do('refundOrder', { orderId, amount: 5 });
    expect(told(one)).toMatchObject({
      financial_status: 'partially_refunded',
      total_outstanding: '50.00',
    });
  });

  it('is owed no more where an amount was given back without a line', () => {
    const one = store();
    const { id: orderId } = sell(one);
    one.do('refundOrder', { orderId, amount: 30 });
    expect(told(one).total_outstanding).toBe('0.00');
    expect(() => one.do('payOrder', { orderId })).toThrow('Nothing is left');
  });
});

describe('a dispute', () => {
  it('is in the currency of the customer, and changes neither the status nor the time of its order', () => {
    const one = store();
    const presentment = { currency: 'USD', rate: 0.2 };
    const { id: orderId } = sell(one, { presentment });
    const before = find(one, orderId);
    one.do('openDispute', { orderId, type: 'inquiry' });
    const body = told(one, 'disputes/create');
    expect(body).toMatchObject({
      order_id: Number(orderId),
      type: 'inquiry',
      status: 'needs_response',
      amount: '20.00',
      currency: 'USD',
    });
    one.do('updateDispute', { orderId, type: 'chargeback' });
    one.do('updateDispute', { orderId, status: 'lost' });
    expect(told(one, 'disputes/update')).toMatchObject({ type: 'chargeback', status: 'lost' });
    const order = find(one, orderId);
    expect(order).toMatchObject({ updatedAt: before.updatedAt });
    expect(financialStatus(order)).toBe('paid');
    expect(order.disputes).toMatchObject([{ initiatedAs: 'inquiry', type: 'chargeback' }]);
    expect(() => one.do('updateDispute', { orderId, status: 'won' })).toThrow('is over');
  });

  it('is about payments of Shopify Payments only', () => {
    const one = store();
    const { id: orderId } = sell(one, { gateway: 'manual' });
    expect(() => one.do('openDispute', { orderId })).toThrow('Shopify Payments');
  });
});
