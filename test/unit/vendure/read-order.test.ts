import { describe, expect, it } from 'vitest';
import { defaultRules } from '../../../shared/config/mapping-settings.ts';
import { orderAmounts } from '../../../shared/core/mapping/order-amounts.ts';
import type { VendureOrder, VendureRefund } from '../../../shared/vendure/documents.ts';
import { readVendureOrder } from '../../../shared/vendure/read-order.ts';

const reading = { readAt: new Date('2026-11-17T12:00:00.000Z'), precision: 2 };

const refund = (id: string, total: number, shipping = 0, state = 'Settled'): VendureRefund => ({
  ...{ id, total, items: total - shipping, shipping, adjustment: 0, state, lines: [] },
  createdAt: `2026-11-16T1${id}:00:00.000Z`,
});

/** 30.00 and 12.79 were paid, and 32.24 went back for the shirts and a part of the shipping: each row repeats all of it. */
const spread = () => {
  const [first] = order().payments ?? [];
  const whole = { items: 2724, shipping: 200, adjustment: 300 };
  const payments = [
    { ...first, amount: 3000, refunds: [{ ...refund('1', 3000), ...whole }] },
    { ...first, amount: 1279, refunds: [{ ...refund('2', 224), ...whole }] },
  ];
  return order({ payments: payments as never });
};

/** Two shirts and a mug with 19 % tax inside, shipping of 5.00, paid at once. */
function order(changes: Partial<VendureOrder> = {}, refunds: readonly VendureRefund[] = []) {
  const value: VendureOrder = {
    id: '12',
    code: 'GUEJZ5ESJ2RN7WN9',
    type: 'Regular',
    state: 'Delivered',
    active: false,
    orderPlacedAt: '2026-11-15T10:00:00.000Z',
    updatedAt: '2026-11-15T09:59:59.000Z',
    currencyCode: 'EUR',
    couponCodes: ['TENPCT'],
    customer: {
      ...{ id: '7', firstName: 'Robin', lastName: 'W', emailAddress: 'robin@example.com' },
      ...{ phoneNumber: '', createdAt: '2026-11-01T00:00:00.000Z' },
    },
    subTotal: 3175,
    subTotalWithTax: 3779,
    shippingWithTax: 500,
    totalWithTax: 4279,
    surcharges: [],
    lines: [line('1', 2, 2541, 3024), line('2', 1, 634, 755)],
    payments: [
      {
        ...{ id: '1', method: 'card', amount: 4279, state: 'Settled' },
        ...{ createdAt: '2026-11-15T10:00:00.000Z', refunds },
      },
    ],
    modifications: [],
    fulfillments: [parcel('Delivered', ['1', 2], ['2', 1])],
    ...changes,
  };
  return value;
}

const parcel = (state: string, ...lines: readonly (readonly [id: string, quantity: number])[]) => ({
  ...{ state, updatedAt: '2026-11-15T15:00:00.000Z' },
  lines: lines.map(([orderLineId, quantity]) => ({ orderLineId, quantity })),
});

const line = (id: string, quantity: number, net: number, gross: number) => ({
  ...{ id, quantity, proratedLinePrice: net, proratedLinePriceWithTax: gross },
  proratedUnitPrice: quantity === 0 ? 0 : Math.round(net / quantity),
  proratedUnitPriceWithTax: quantity === 0 ? 0 : Math.round(gross / quantity),
  orderPlacedQuantity: quantity,
  productVariant: { name: `Variant ${id}`, product: { id: `2${id}` } },
});

function read(given: VendureOrder) {
  const value = readVendureOrder(given, reading);
  if (!value) throw new Error('it is a cart');
  return value;
}

/** As the store is asked for the order's book: with its cancellations. */
function bookIn(given: VendureOrder, cancelled: readonly Cancelled[] = []) {
  const items = cancelled.map(({ createdAt, lines }) => ({ createdAt, data: { lines } }));
  const { book } = read({ ...given, history: { items } });
  if (!book) throw new Error('no book');
  return book;
}

interface Cancelled {
  readonly createdAt: string;
  readonly lines: readonly { readonly orderLineId: number; readonly quantity: number }[];
}

/** Noon of a day in November. */
const at = (day: number) => `2026-11-${day}T12:00:00.000Z`;

const counts = (given: VendureOrder, taxes: 'include' | 'exclude' = 'exclude') =>
  orderAmounts(read(given), { ...defaultRules, taxes }).total;

describe('what an order of Vendure counts', () => {
  it.each([
    ['all that was paid for goods, without tax and shipping', order(), '31.75', '37.79'],
    // One shirt of 15.12: 22.67 of 37.79 is left.
    ['less a line that was refunded', order({}, [refund('1', 1512)]), '19.05', '22.67'],
    ['less an amount without lines', order({}, [refund('1', 500)]), '27.55', '32.79'],
    ['the same after its shipping went back', order({}, [refund('1', 500, 500)]), '31.75', '37.79'],
    ['shipping once that two payments gave back', spread(), '6.34', '7.55'],
    [
      'no more shipping than the money that went back',
      order({}, [{ ...refund('1', 100), items: 0, shipping: 500 }, refund('2', 1512)]),
      ...(['19.05', '22.67'] as const),
    ],
    ['goods and shipping of one refund', order({}, [refund('1', 2012, 500)]), '19.05', '22.67'],
    [
      'less surcharges below zero, by their own tax',
      order({
        ...{ subTotal: 2995, subTotalWithTax: 3479, totalWithTax: 3979 },
        surcharges: [
          { id: '1', description: 'late', price: -200, priceWithTax: -238 },
          { id: '2', description: 'scratched', price: -52, priceWithTax: -62 },
        ],
        lines: [line('1', 2, 2541, 3024), line('2', 1, 706, 755)],
      }),
      '29.95',
      '34.79',
    ],
    ['no refund that failed', order({}, [refund('1', 1512, 0, 'Failed')]), '31.75', '37.79'],
    [
      'what is pending only for pieces, which are back',
      order({}, [
        refund('1', 755, 0, 'Pending'),
        { ...refund('2', 1512, 0, 'Pending'), lines: [{ orderLineId: '1', quantity: 1 }] },
      ]),
      ...(['19.05', '22.67'] as const),
    ],
    ['never less than nothing', order({}, [refund('1', 4279), refund('2', 755)]), '0', '0'],
  ])('%s', (_, given, net, gross) => {
    expect([counts(given), counts(given, 'include')]).toEqual([net, gross]);
  });

  /** A pen with 19 % inside and tea with 7 %, of which pieces went back by name. */
  const penAndTea = (back: readonly (readonly [id: string, total: number, pieces?: number])[]) =>
    order(
      {
        ...{ subTotal: 2000, subTotalWithTax: 2260, totalWithTax: 2760 },
        lines: [line('1', 1, 1000, 1190), line('2', 1, 1000, 1070)],
        fulfillments: [parcel('Delivered', ['1', 1], ['2', 1])],
        payments: [
          {
            ...{ id: '1', method: 'card', amount: 2760, state: 'Settled' },
            createdAt: '2026-11-15T10:00:00.000Z',
            refunds: back.map(([orderLineId, total, quantity = 1], index) => ({
              ...refund(String(index + 1), total),
              lines: [{ orderLineId, quantity }],
            })),
          },
        ],
      },
      [],
    );
  const ofLines = (given: VendureOrder) =>
    orderAmounts(read(given), { ...defaultRules, taxes: 'exclude' }).lines.map(
      ({ line: { id }, counts: own }) => `${id}: ${own}`,
    );

  it('takes a refund of pieces from their line, with its tax', () => {
    expect(ofLines(penAndTea([]))).toEqual(['1: 10', '2: 10']);
    expect(ofLines(penAndTea([['2', 1070]]))).toEqual(['1: 10']);
    expect(ofLines(penAndTea([['1', 1190]]))).toEqual(['2: 10']);
    expect(read(penAndTea([['2', 1070]]))).toMatchObject({
      ...{ subtotal: '11.9', total: '16.9', refundedWithoutLines: '0', changed: true },
    });
    expect(bookIn(penAndTea([['2', 1070]]))).toMatchObject([
      { subtotal: '22.6', total: '27.6' },
      { subtotal: '11.9', total: '16.9' },
      { subtotal: '11.9', total: '16.9' },
    ]);
  });

  it('takes no more of a line than the money, and the rest of the money from all', () => {
    // The merchant kept 5.35 of the tea's 10.70, paid back more than its price, or named it twice.
    expect(ofLines(penAndTea([['2', 535]]))).toEqual(['1: 10', '2: 5']);
    expect(ofLines(penAndTea([['2', 1189]]))).toEqual(['1: 9']);
    expect(
      ofLines(
        penAndTea([
          ['2', 1070],
          ['2', 119],
        ]),
      ),
    ).toEqual(['1: 9']);
  });

  it('takes each refund from its own pieces', () => {
    // All of the pen, and 9.70 of the tea's 10.70, so 1.00 is left of it: 0.93 without its tax.
    const both = penAndTea([
      ['1', 1190],
      ['2', 970],
    ]);
    expect(ofLines(both)).toEqual(['2: 0.93']);
  });

  it('takes a piece once that was cancelled, too', () => {
    const cancelled = {
      ...penAndTea([['2', 1070]]),
      ...{ subTotal: 1000, subTotalWithTax: 1190, totalWithTax: 1690 },
      lines: [line('1', 1, 1000, 1190), { ...line('2', 0, 0, 0), orderPlacedQuantity: 1 }],
    };
    expect(ofLines(cancelled)).toEqual(['1: 10']);
  });

  it('takes another piece of a line after one that was cancelled, too', () => {
    // Of two pens one was cancelled and refunded, and then the other one refunded.
    const given = penAndTea([
      ['1', 1190],
      ['1', 1190],
    ]);
    const payments = given.payments?.map((payment) => ({ ...payment, amount: 3950 })) ?? [];
    const lines = [
      { ...line('1', 1, 1000, 1190), orderPlacedQuantity: 2 },
      ...given.lines.slice(1),
    ];
    expect(ofLines({ ...given, lines, payments })).toEqual(['2: 10']);
  });

  it('takes two refunds of the same figures, but of other pieces, for two', () => {
    // Each says 11.90 of goods, of which the merchant gave back a half or less.
    const halves = penAndTea([
      ['1', 595],
      ['2', 535],
    ]);
    const payments = halves.payments?.map((payment) => ({
      ...payment,
      refunds: payment.refunds.map((one) => ({ ...one, items: 1190 })),
    }));
    expect(ofLines({ ...halves, payments: payments ?? [] })).toEqual(['1: 5', '2: 5']);
  });

  it('takes a line that a modification removed once, with the refund of that modification', () => {
    const modified = {
      ...{ subTotal: 2541, subTotalWithTax: 3024, totalWithTax: 3524 },
      lines: [line('1', 2, 2541, 3024), line('2', 0, 0, 0)],
      modifications: [
        {
          createdAt: refund('1', 0).createdAt,
          ...{ lines: [{ orderLineId: '2', quantity: -1 }], surcharges: [] },
        },
      ],
    };
    expect(counts(order(modified, [refund('1', 755)]), 'include')).toBe('30.24');
    expect(read(order(modified, [refund('1', 755)]))).toMatchObject({ changed: true });
    expect(counts(order(modified, [refund('1', 755), refund('2', 1512)]), 'include')).toBe('15.12');
    // Cancelled, and the money given back afterwards.
    const cancelled = { ...modified, modifications: [] };
    expect(counts(order(cancelled), 'include')).toBe('30.24');
    expect(counts(order(cancelled, [refund('1', 755)]), 'include')).toBe('30.24');
  });

  it('counts a surcharge as a line without a product, and one below zero as a discount', () => {
    const surcharge = (priceWithTax: number) => ({
      ...{ id: '3', description: 'Gift wrap', price: priceWithTax, priceWithTax },
    });
    const more = order({
      ...{ surcharges: [surcharge(300)], subTotalWithTax: 4079, totalWithTax: 4579 },
      payments: [{ ...order().payments?.[0], amount: 4579, refunds: [] } as never],
    });
    expect(read(more).lines.at(-1)).toMatchObject({ productId: undefined, paid: '3', kept: 1 });
    expect(counts(more, 'include')).toBe('40.79');
    const less = order({
      ...{ surcharges: [surcharge(-300)], subTotalWithTax: 3479, totalWithTax: 3979 },
      payments: [{ ...order().payments?.[0], amount: 3979, refunds: [] } as never],
    });
    expect(counts(less, 'include')).toBe('34.79');
  });

  it('counts an order that is only authorized as it is', () => {
    const payments = [{ ...order().payments?.[0], state: 'Authorized', refunds: [] } as never];
    const given = order({ payments, state: 'PaymentAuthorized' });
    expect(read(given)).toMatchObject({ paymentStatus: 'authorized', outstanding: '42.79' });
    expect(counts(given, 'include')).toBe('37.79');
  });
});

describe('the book of an order of Vendure', () => {
  const countsIn = (given: VendureOrder, cancelled: readonly Cancelled[] = []) =>
    bookIn(given, cancelled).map((one) =>
      Number(orderAmounts(one, { ...defaultRules, taxes: 'include' }).total),
    );
  const [shirts, mug] = [line('1', 2, 2541, 3024), line('2', 1, 634, 755)];
  const modified = (
    day: number,
    ...lines: readonly (readonly [id: string, quantity: number])[]
  ) => ({
    ...{ createdAt: at(day), surcharges: [] },
    lines: lines.map(([orderLineId, quantity]) => ({ orderLineId, quantity })),
  });
  const refundOn = (day: number, total: number, shipping = 0) => ({
    ...refund('1', total, shipping),
    ...{ id: String(day), createdAt: at(day) },
  });
  const paidOn = (day: number, amount: number) => ({
    ...{ id: String(day), method: 'card', amount, state: 'Settled', createdAt: at(day) },
    refunds: [],
  });

  it('begins when it was placed and paid, and ends with today', () => {
    const book = bookIn(order());
    expect(book.map((one) => one.at)).toEqual([
      '2026-11-15T10:00:00.000Z',
      reading.readAt.toISOString(),
    ]);
    expect(countsIn(order())).toEqual([37.79, 37.79]);
  });

  it('has a modification that took a line out, and its refund once', () => {
    const without = order(
      {
        ...{ subTotal: 2541, subTotalWithTax: 3024, totalWithTax: 3524 },
        lines: [
          shirts,
          {
            ...line('2', 0, 0, 0),
            proratedUnitPrice: 634,
            proratedUnitPriceWithTax: 755,
            orderPlacedQuantity: 1,
          },
        ],
        modifications: [modified(16, ['2', -1])],
      },
      [refundOn(16, 755)],
    );
    expect(countsIn(without)).toEqual([37.79, 30.24, 30.24]);
    expect(bookIn(without).map(({ total }) => total)).toEqual(['42.79', '35.24', '35.24']);
  });

  it('has one piece of two taken out, and another one later', () => {
    const given = order({
      ...{ subTotal: 634, subTotalWithTax: 755, totalWithTax: 1255 },
      lines: [
        {
          ...shirts,
          quantity: 0,
          orderPlacedQuantity: 2,
          proratedLinePrice: 0,
          proratedLinePriceWithTax: 0,
        },
        mug,
      ],
      modifications: [modified(16, ['1', -1]), modified(18, ['1', -1])],
    });
    expect(
      bookIn(given).map(({ lines }) => lines.map(({ kept, paid }) => `${kept}: ${paid}`)),
    ).toEqual([
      ['2: 30.24', '1: 7.55'],
      ['1: 15.12', '1: 7.55'],
      ['0: 0', '1: 7.55'],
      ['0: 0', '1: 7.55'],
    ]);
  });

  it('has a cancellation of pieces, whose money goes back later or never', () => {
    const given = (refunds: readonly VendureRefund[]) =>
      order(
        {
          ...{ subTotal: 2541, subTotalWithTax: 3024, totalWithTax: 3524 },
          lines: [
            shirts,
            { ...mug, quantity: 0, proratedLinePrice: 0, proratedLinePriceWithTax: 0 },
          ],
        },
        refunds,
      );
    const cancelled = [{ createdAt: at(16), lines: [{ orderLineId: 2, quantity: 1 }] }];
    expect(countsIn(given([]), cancelled)).toEqual([37.79, 30.24, 30.24]);
    expect(countsIn(given([refundOn(18, 755)]), cancelled)).toEqual([37.79, 30.24, 30.24, 30.24]);
    // Money for more than the pieces.
    expect(countsIn(given([refundOn(18, 1000)]), cancelled)).toEqual([37.79, 30.24, 27.79, 27.79]);
    // The money first: the pieces are no refund any more once they are out.
    expect(
      countsIn(given([refundOn(16, 755)]), [
        { createdAt: at(18), lines: [{ orderLineId: 2, quantity: 1 }] },
      ]),
    ).toEqual([...[37.79, 30.24, 30.24, 30.24]]);
  });

  it('has refunds of amounts and of shipping, the oldest first', () => {
    const given = order({}, [refundOn(18, 500), refundOn(16, 500, 500), refundOn(19, 279)]);
    expect(countsIn(given)).toEqual([37.79, 37.79, 32.79, 30, 30]);
  });

  it('has a line that was added and paid later from then on', () => {
    const given = order({
      ...{ subTotal: 3809, subTotalWithTax: 4534, totalWithTax: 5034 },
      lines: [shirts, mug, { ...line('3', 1, 634, 755), orderPlacedQuantity: 0 }],
      modifications: [modified(16, ['3', 1])],
      payments: [...(order().payments ?? []), paidOn(17, 755)],
    });
    expect(countsIn(given)).toEqual([37.79, 45.34, 45.34, 45.34]);
  });

  it('has a surcharge that a modification added from then on', () => {
    const given = order({
      ...{ subTotal: 3475, subTotalWithTax: 4079, totalWithTax: 4579 },
      surcharges: [{ id: '3', description: 'Gift wrap', price: 300, priceWithTax: 300 }],
      modifications: [{ ...modified(16), surcharges: [{ id: '3' }] }],
    });
    expect(countsIn(given)).toEqual([37.79, 40.79, 40.79]);
  });

  it('ends with what the order counts, whatever happened', () => {
    for (const given of [
      order(),
      order({}, [refund('1', 1512), refund('2', 4000)]),
      spread(),
      order({ state: 'Cancelled' }, [refund('1', 4279, 500)]),
    ]) {
      expect(countsIn(given).at(-1)).toBe(Number(counts(given, 'include')));
    }
  });
});

describe('an order of Vendure', () => {
  it('has the moment of reading as its version, because no date of its own moves with each change', () => {
    expect(read(order()).updatedAt).toBe('2026-11-17T12:00:00.000Z');
  });

  it('is known by its id, its code, its products and its sums', () => {
    expect(read(order())).toMatchObject({
      ...{ id: '12', name: 'GUEJZ5ESJ2RN7WN9', placedAt: '2026-11-15T10:00:00.000Z' },
      ...{ outstanding: '0', subtotal: '37.79', total: '42.79', couponCodes: ['TENPCT'] },
      shipping: { price: '5', refunded: '0' },
      lines: [
        { id: '1', productId: '21', title: 'Variant 1', kept: 2, paid: '30.24', tax: '4.83' },
        { id: '2', productId: '22', title: 'Variant 2', kept: 1, paid: '7.55', tax: '1.21' },
      ],
    });
    expect(read(order({}, [refund('1', 200, 200)]))).toMatchObject({
      ...{ outstanding: '0', subtotal: '37.79', total: '40.79' },
      shipping: { price: '3', refunded: '2' },
    });
  });

  it('has the dates of its last payment, of its last parcel that was sent, and of its end', () => {
    const day = (n: number) => `2026-11-${n}T10:00:00.000Z`;
    const [payment] = order().payments ?? [];
    const payments = [16, 15].map((n) => ({ ...payment, amount: 2000, createdAt: day(n) }));
    const parcels = ['Shipped', 'Delivered', 'Pending', 'Cancelled'];
    const given = order({
      ...{ state: 'Cancelled', updatedAt: day(20), payments: payments as never },
      fulfillments: parcels.map((state, n) => ({ ...parcel(state), updatedAt: day(16 + n) })),
    });
    expect(read(given)).toMatchObject({
      ...{ paidAt: day(16), fulfilledAt: day(17), cancelledAt: day(20) },
    });
    expect(read(order()).cancelledAt).toBeUndefined();
    const [older, newer] = [refund('1', 100), refund('2', 100)];
    expect(read(order({}, [newer, older])).refundedAt).toBe(newer.createdAt);
  });

  it('names how it was paid, and its customer as far as the shop knows them', () => {
    const [payment] = order().payments ?? [];
    const payments = ['card', 'voucher', 'card'].map((method) => ({ ...payment, method }));
    const customer = { ...order().customer, lastName: '', phoneNumber: '+49 30 1234' };
    const given = order({ payments: payments as never, customer: customer as never });
    expect(read(given)).toMatchObject({
      paymentGateways: ['card', 'voucher'],
      customer: { name: 'Robin', email: 'robin@example.com', phone: '+49 30 1234' },
    });
    expect(read(order()).customer).toMatchObject({ name: 'Robin W', phone: undefined });
    expect(read(order({ customer: null })).customer).toBeUndefined();
  });

  it('has as many digits after the point as the server counts with, whatever the currency', () => {
    const total = (precision: number) =>
      readVendureOrder(order(), { ...reading, precision })?.total;
    expect([0, 2, 3].map(total)).toEqual(['4279', '42.79', '4.279']);
  });

  it('is none while it is a cart', () => {
    expect(readVendureOrder(order({ orderPlacedAt: null }), reading)).toBeUndefined();
    expect(readVendureOrder(order({ active: true }), reading)).toBeUndefined();
  });

  it('says what it counted before each refund, the oldest first, whatever the order of payments', () => {
    const book = bookIn(order({}, [refund('2', 755), refund('1', 1512)]));
    expect(book.map((one) => one.refundedWithoutLines)).toEqual(['0', '15.12', '22.67', '22.67']);
    expect(bookIn(order({}, [refund('1', 4279, 500)]))).toHaveLength(3);
  });

  it('has its book only where it was asked for: its cancellations are read with it', () => {
    expect(read(order({}, [refund('1', 755)])).book).toBeUndefined();
    expect(bookIn(order())).toHaveLength(2);
  });

  it('changed where something was taken out or paid back, and not where something was added', () => {
    expect(read(order()).changed).toBe(false);
    expect(read(order({}, [refund('1', 500)])).changed).toBe(true);
    expect(read(order({}, [refund('1', 500, 0, 'Failed')])).changed).toBe(false);
    const [shirts, mug] = order().lines;
    const more = { createdAt: at(16), lines: [{ orderLineId: '2', quantity: 1 }], surcharges: [] };
    expect(read(order({ modifications: [more] })).changed).toBe(false);
    const less = { ...more, lines: [{ orderLineId: '2', quantity: -1 }] };
    expect(read(order({ modifications: [more, less] })).changed).toBe(true);
    // Cancelled: no refund and no modification says it.
    const cancelled = [shirts, { ...mug, quantity: 0 }] as VendureOrder['lines'];
    expect(read(order({ lines: cancelled })).changed).toBe(true);
  });

  it('is refunded, which is final, only when all of the money is back', () => {
    const all = (state: string) => ({
      ...refund('1', 4279, 500, state),
      lines: [
        { orderLineId: '1', quantity: 2 },
        { orderLineId: '2', quantity: 1 },
      ],
    });
    const pending = read(order({}, [all('Pending')]));
    expect(pending).toMatchObject({ paymentStatus: 'partially_refunded', subtotal: '0' });
    expect(read(order({}, [all('Settled')])).paymentStatus).toBe('refunded');
  });

  it('is fulfilled when all of its pieces are on their way, although one parcel has arrived before', () => {
    const first = parcel('Delivered', ['1', 1]);
    const fulfilment = (...others: readonly ReturnType<typeof parcel>[]) =>
      read(order({ state: 'PartiallyDelivered', fulfillments: [first, ...others] }))
        .fulfillmentStatus;
    expect(fulfilment(parcel('Shipped', ['1', 1], ['2', 1]))).toBe('fulfilled');
    expect(fulfilment(parcel('Shipped', ['2', 1]))).toBe('partial');
    expect(fulfilment(parcel('Cancelled', ['1', 1], ['2', 1]))).toBe('partial');
  });

  it.each([
    ['Cancelled', 'voided', []],
    ['PaymentSettled', 'paid', [{ amount: 4279, state: 'Settled' }]],
    ['ArrangingAdditionalPayment', 'partially_paid', [{ amount: 4000, state: 'Settled' }]],
    ['PaymentAuthorized', 'voided', [{ amount: 4279, state: 'Declined' }]],
    ['PaymentAuthorized', 'pending', []],
    ['PaymentAuthorized', 'pending', [{ amount: 4279, state: 'Created' }]],
    ['PaymentAuthorized', 'voided', [{ amount: 4279, state: 'Cancelled' }]],
    ['PaymentAuthorized', 'voided', [{ amount: 4279, state: 'Error' }]],
    [
      'PaymentAuthorized',
      'authorized',
      [
        { amount: 4279, state: 'Cancelled' },
        { amount: 4279, state: 'Authorized' },
      ],
    ],
  ])('in state %s is %s', (state, status, payments) => {
    const given = payments.map((one) => ({ ...order().payments?.[0], ...one, refunds: [] }));
    expect(read(order({ state, payments: given as never })).paymentStatus).toBe(status);
  });
});

it('counts the order of a customer once, not its parts of several sellers', () => {
  expect(readVendureOrder(order({ type: 'Aggregate' }), reading)).toBeDefined();
  expect(readVendureOrder(order({ type: 'Seller' }), reading)).toBeUndefined();
});

it('takes an order of several sellers for shipped when each has sent their part', () => {
  const part = (id: string, state: string) => ({
    ...{ id, aggregateOrderId: '12', lines: [{ id: `line-${id}`, quantity: 2 }] },
    fulfillments: [
      {
        state,
        updatedAt: '2026-11-16T10:00:00.000Z',
        lines: [{ orderLineId: `line-${id}`, quantity: 2 }],
      },
    ],
  });
  const aggregate = { type: 'Aggregate', state: 'PaymentSettled', fulfillments: [] } as const;
  const of = (...states: readonly string[]) => {
    const sellerOrders = states.map((state, index) => part(String(index), state));
    return read(order({ ...aggregate, sellerOrders })).fulfillmentStatus;
  };
  expect(of('Pending', 'Pending')).toBeUndefined();
  expect(of('Shipped', 'Pending')).toBe('partial');
  expect(of('Delivered', 'Shipped')).toBe('fulfilled');
});

it('takes an order that costs nothing for paid when its payment is settled', () => {
  const free = { subTotal: 0, subTotalWithTax: 0, shippingWithTax: 0, totalWithTax: 0 };
  const payment = { id: '1', method: 'card', amount: 0, createdAt: '2026-11-15T10:00:00.000Z' };
  const of = (state: string) =>
    read(order({ ...free, lines: [], payments: [{ ...payment, state, refunds: [] }] }));
  expect(of('Settled').paymentStatus).toBe('paid');
  expect(of('Created').paymentStatus).toBe('pending');
});
