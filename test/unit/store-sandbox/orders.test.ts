import { describe, expect, it } from 'vitest';
import { seededRandom } from '../../../local/sandbox-kit/seeded-random.ts';
import { anyCart } from '../../../local/store-sandbox/model/carts.ts';
import {
  financialStatus,
  fulfillmentStatus,
  orderTotals,
} from '../../../local/store-sandbox/model/order-totals.ts';
import { openStore } from './open-store.ts';

const store = () => openStore({ shop: { currency: 'BRL', taxes: [], inventoryNoise: false } });
type Store = ReturnType<typeof store>;
const current = (one: Store, id: string) => {
  const order = one.rows.orders.get(id);
  if (!order) throw new Error('The order is gone.');
  return { order, totals: orderTotals(order) };
};

/** The last body of a topic. */
const told = (one: Store, topic = 'orders/updated') =>
  JSON.parse(one.sent.findLast((sent) => sent.topic === topic)?.body ?? '');

/** One thing of 100, paid. */
const sell = (one: Store, changes: object = {}) =>
  one.do('placeOrder', { lines: [{ title: 'a', price: 100 }], payment: 'paid', ...changes });

describe('discounts', () => {
  it('are split over the lines to the cent, the odd cents to the largest remainders', () => {
    const order = store().do('placeOrder', {
      lines: [
        { title: 'a', price: '3.33' },
        { title: 'b', price: '3.33' },
        { title: 'c', price: '3.34' },
      ],
      discounts: [{ title: 'Ten cents', amount: '0.10' }],
    });
    expect(order.lines.map(({ allocations }) => allocations[0]?.minor)).toEqual([3, 3, 4]);
    expect(orderTotals(order).subtotalMinor).toBe(990);
  });

  it('never make a price negative, and do not apply to gift cards', () => {
    const order = store().do('placeOrder', {
      lines: [
        { title: 'Card', price: 50, giftCard: true },
        { title: 'Thing', price: 5 },
      ],
      discounts: [
        { code: 'BIG', amount: 1_000 },
        { code: 'MORE', percentage: 50 },
      ],
    });
    expect(order.lines.map(({ allocations }) => allocations)).toEqual([
      [],
      [{ application: 0, minor: 500 }],
    ]);
    expect(orderTotals(order).totalMinor).toBe(5_000);
  });

  it('of a known code count its use and apply only to its products', () => {
    const one = store();
    const [shirt, socks] = one.rows.products.values();
    one.do('createDiscount', { codes: ['SOCKS'], percentage: 50, productIds: [socks?.id ?? ''] });
    const order = one.do('placeOrder', {
      lines: [
        { variantId: shirt?.variants[0]?.id ?? '' },
        { variantId: socks?.variants[0]?.id ?? '' },
      ],
      discounts: [{ code: 'socks' }],
    });
    expect(order.lines.map(({ allocations }) => allocations.length)).toEqual([0, 1]);
    expect(order.applications).toMatchObject([{ name: 'SOCKS' }]);
    expect(one.rows.codes.get('socks')?.used).toBe(1);
  });
});

describe('the life of an order', () => {
  it('goes through its payment and fulfillment states', () => {
    const one = store();
    const { id: orderId, lines } = one.do('placeOrder', {
      lines: [{ title: 'a', price: 10, quantity: 3 }],
      payment: 'authorized',
    });
    const lineId = lines[0]?.id ?? '';
    const states = () => {
      const { order } = current(one, orderId);
      return [financialStatus(order), fulfillmentStatus(order)];
    };
    expect(states()).toEqual(['authorized', null]);
    one.do('payOrder', { orderId, amount: 10 });
    expect(states()).toEqual(['partially_paid', null]);
    one.do('payOrder', { orderId });
    expect(states()).toEqual(['paid', null]);
    one.do('fulfilOrder', { orderId, lines: [{ lineId, quantity: 1 }] });
    expect(states()).toEqual(['paid', 'partial']);
    one.do('refundOrder', { orderId, lines: [{ lineId, quantity: 1 }] });
    expect(states()).toEqual(['partially_refunded', 'partial']);
    one.do('fulfilOrder', { orderId });
    expect(states()).toEqual(['partially_refunded', 'fulfilled']);
    one.do('refundOrder', { orderId, lines: [{ lineId, quantity: 2 }] });
    expect(states()).toEqual(['refunded', 'fulfilled']);
    expect(current(one, orderId).totals.current).toMatchObject({ totalMinor: 0 });
    expect(current(one, orderId).order.cancelledAt).toBeNull();
  });

  it('counts returned pieces at once, and pays for them with the refund of the return', () => {
    const one = store();
    const { id: orderId, lines } = one.do('placeOrder', {
      lines: [{ title: 'a', price: 10, quantity: 3 }],
      payment: 'paid',
    });
    one.do('fulfilOrder', { orderId });
    const { id: returnId } = one.do('returnItems', {
      orderId,
      lines: [{ lineId: lines[0]?.id ?? '', quantity: 2 }],
    });
    expect(current(one, orderId).totals).toMatchObject({
      refundedMinor: 0,
      current: { totalMinor: 1_000 },
    });
    one.do('refundOrder', { orderId, returnId });
    expect(current(one, orderId).totals).toMatchObject({
      refundedMinor: 2_000,
      current: { totalMinor: 1_000 },
    });
    expect(current(one, orderId).order.reductions[0]?.restock).toBe('return');
  });

  it('gives nothing away for a return, also where more was added than its money', () => {
    const one = store();
    const { id: orderId, lines } = one.do('placeOrder', {
      lines: [{ title: 'a', price: 10, quantity: 3 }],
      payment: 'paid',
    });
    one.do('fulfilOrder', { orderId });
    const lineId = lines[0]?.id ?? '';
    const { id: returnId } = one.do('returnItems', { orderId, lines: [{ lineId, quantity: 2 }] });
    one.do('editOrder', { orderId, add: [{ title: 'b', price: 50 }] });
    expect(current(one, orderId).totals.outstandingMinor).toBe(3_000);
    one.do('refundOrder', { orderId, returnId });
    expect(current(one, orderId).totals.outstandingMinor).toBe(5_000);
  });

  it('loses all personal data with the redaction of its customer', () => {
    const one = store();
    const [, sasha] = one.rows.customers.values();
    const { id } = sell(one, { customerId: sasha?.id ?? null, shipping: [{ price: 1 }] });
    expect(JSON.stringify(current(one, id).order)).toMatch(/sasha/i);
    one.do('redactCustomer', { customerId: sasha?.id ?? '' });
    expect(JSON.stringify(current(one, id).order)).not.toMatch(/sasha|Specimen|5555550102/i);
    expect(told(one, 'customers/redact')).toMatchObject({ orders_to_redact: [Number(id)] });
  });
});

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
    expect(current(one, orderId).totals.refundedMinor).toBe(0);
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
    expect(current(one, orderId).order.transactions.at(-1)).toMatchObject({
      kind: 'sale',
      minor: 10_000,
    });
  });
});

describe('a dispute', () => {
  it('is in the currency of the customer, and changes neither the status nor the time of its order', () => {
    const one = store();
    const presentment = { currency: 'USD', rate: 0.2 };
    const { id: orderId } = sell(one, { presentment });
    const before = current(one, orderId).order;
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
    const order = current(one, orderId).order;
    expect(order).toMatchObject({ updatedAt: before.updatedAt });
    expect(financialStatus(order)).toBe('paid');
    expect(order.disputes).toMatchObject([{ type: 'chargeback' }]);
    expect(() => one.do('updateDispute', { orderId, status: 'won' })).toThrow('is over');
  });
});

describe('a quote', () => {
  it('costs what the order costs that is placed next, and leaves no trace', () => {
    const draw = seededRandom(7);
    const [quoting, plain] = [openStore(), openStore()];
    for (let n = 0; n < 200; n += 1) {
      const cart = anyCart(quoting.rows, draw, quoting.world.now());
      const { totals, refusedCodes } = quoting.do('quoteOrder', cart);
      quoting.clock.ms -= 700;
      const [placed, alone] = [
        quoting.attempt('placeOrder', cart),
        plain.attempt('placeOrder', cart),
      ];
      // The other store placed the same orders without quotes: same ids and numbers.
      expect(placed).toEqual(alone);
      if (placed.kind === 'refused')
        expect(refusedCodes.map(({ why }) => why)).toContain(placed.why);
      else {
        expect(refusedCodes).toEqual([]);
        const order = placed.value as Parameters<typeof orderTotals>[0];
        const { totalMinor, subtotalMinor, taxMinor } = orderTotals(order);
        expect(totals).toMatchObject({ totalMinor, subtotalMinor, taxMinor });
      }
    }
    expect(quoting.sent).toEqual(plain.sent);
  });
});
