import { describe, expect, it } from 'vitest';
import { seededRandom } from '../../../local/sandbox-kit/seeded-random.ts';
import { anyCart } from '../../../local/store-sandbox/model/carts.ts';
import {
  financialStatus,
  fulfillmentStatus,
  orderTotals,
} from '../../../local/store-sandbox/model/order-totals.ts';
import { openStore } from './open-store.ts';

const store = () => openStore({ shop: { inventoryNoise: false } });
type Store = ReturnType<typeof store>;
const current = (one: Store, id: string) => {
  const order = one.rows.orders.get(id);
  if (!order) throw new Error('The order is gone.');
  return { order, totals: orderTotals(order) };
};

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
    expect(order.applications).toMatchObject([{ name: 'SOCKS', selection: 'entitled' }]);
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
    expect(current(one, orderId).totals.current).toMatchObject({ totalMinor: 0, pieces: 0 });
    expect(current(one, orderId).order.cancelledAt).toBeNull();
  });

  it('has an amount due after an edit adds a line; a removal is a refund without money', () => {
    const one = store();
    const { id: orderId, lines } = one.do('placeOrder', {
      lines: [{ title: 'a', price: 10, quantity: 2 }],
      payment: 'paid',
    });
    const lineId = lines[0]?.id ?? '';
    one.takeSent();
    one.do('editOrder', {
      orderId,
      set: [{ lineId, quantity: 1 }],
      add: [{ title: 'b', price: 25 }],
    });
    expect(one.takeSent().map(({ topic }) => topic)).toEqual([
      'orders/edited',
      'refunds/create',
      'orders/updated',
    ]);
    const { order, totals } = current(one, orderId);
    expect(totals).toMatchObject({
      totalMinor: 4_500,
      outstandingMinor: 1_500,
      refundedMinor: 0,
      current: { totalMinor: 3_500 },
    });
    expect(order.refunds).toMatchObject([{ transactionIds: [] }]);
    expect(financialStatus(order)).toBe('partially_paid');
  });

  it('takes more of a line until all of it is fulfilled', () => {
    const one = store();
    const { id: orderId, lines } = one.do('placeOrder', { lines: [{ title: 'a', price: 10 }] });
    const set = (quantity: number) => [{ lineId: lines[0]?.id ?? '', quantity }];
    one.do('editOrder', { orderId, set: set(2) });
    one.do('fulfilOrder', { orderId });
    expect(() => one.do('editOrder', { orderId, set: set(3) })).toThrow('is fulfilled');
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
      current: { totalMinor: 1_000, pieces: 1 },
    });
    one.do('refundOrder', { orderId, returnId });
    expect(current(one, orderId).totals).toMatchObject({
      refundedMinor: 2_000,
      current: { totalMinor: 1_000, pieces: 1 },
    });
    expect(current(one, orderId).order.reductions[0]?.restock).toBe('return');
  });

  it('keeps its lines when only an amount is refunded', () => {
    const one = store();
    const { id: orderId } = one.do('placeOrder', {
      lines: [{ title: 'a', price: 10 }],
      payment: 'paid',
    });
    one.do('refundOrder', { orderId, amount: 4 });
    const { order, totals } = current(one, orderId);
    expect(totals).toMatchObject({ refundedMinor: 400, current: { totalMinor: 1_000, pieces: 1 } });
    expect(order.refunds[0]?.discrepancies).toMatchObject([{ minor: -400 }]);
    expect(() => one.do('refundOrder', { orderId, amount: 7 })).toThrow('at most');
  });

  it('loses its customer when that one is deleted, and all personal data with a redaction', () => {
    const one = store();
    const [robin, sasha] = one.rows.customers.values();
    const place = (customerId: string | undefined) =>
      one.do('placeOrder', {
        lines: [{ title: 'a', price: 1 }],
        customerId: customerId ?? null,
        shipping: [{ price: 1 }],
      });
    const [first, second] = [place(robin?.id), place(sasha?.id)];
    one.do('deleteCustomer', { customerId: robin?.id ?? '' });
    expect(current(one, first.id).order).toMatchObject({ customerId: null, email: robin?.email });
    one.takeSent();
    one.do('redactCustomer', { customerId: sasha?.id ?? '' });
    const { order } = current(one, second.id);
    expect(JSON.stringify(order)).not.toMatch(/sasha|Specimen|5555550102/i);
    expect(JSON.parse(one.takeSent()[0]?.body ?? '')).toMatchObject({
      orders_to_redact: [Number(second.id)],
    });
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
      // The other store placed the same orders without quotes: same ids, numbers and tokens.
      expect(placed).toEqual(alone);
      if (placed.kind === 'refused')
        expect(refusedCodes.map(({ why }) => why)).toContain(placed.why);
      else {
        expect(refusedCodes).toEqual([]);
        const order = placed.value as Parameters<typeof orderTotals>[0];
        const { totalMinor, discountsMinor, taxMinor } = orderTotals(order);
        expect(totals).toMatchObject({ totalMinor, discountsMinor, taxMinor });
      }
    }
    expect(quoting.sent).toEqual(plain.sent);
  });
});
