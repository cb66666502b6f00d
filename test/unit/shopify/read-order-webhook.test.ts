import { describe, expect, it } from 'vitest';
import { readOrderWebhook } from '../../../shared/shopify/webhooks/read-event.ts';
import { parseJson } from '../../../shared/shopify/webhooks/topics.ts';
import { bodyOf, buildOrder, moneySet } from '../../fixtures/order-payload.ts';
import { lineOf, type OrderSpec, simpleOrder } from '../../fixtures/order-spec.ts';
import { storeOrder } from '../../fixtures/store-entities.ts';

function readBody(body: string) {
  const parsed = parseJson(body);
  return parsed.kind === 'parsed' ? readOrderWebhook(parsed.value) : parsed;
}

const twoShirts: OrderSpec['lines'][number] = lineOf(1000, {
  quantity: 3,
  discountCents: 100,
  takenBack: 1,
});

it('a refund counts from when it was processed, else from when it was made, and the last of them', () => {
  const at = (day: number) => `2026-10-0${day}T12:00:00Z`;
  const refunds = [
    { created_at: at(9), processed_at: at(3) },
    { created_at: at(4), processed_at: null },
    { created_at: at(1), processed_at: at(2) },
  ];
  expect(storeOrder({}, { refunds }).refundedAt).toBe('2026-10-04T12:00:00.000Z');
});

describe('reading an order', () => {
  it('takes the id from the global id, where no parser can have rounded it', () => {
    const order = storeOrder(
      {},
      { id: 1, admin_graphql_api_id: 'gid://shopify/Order/820982911946154508' },
    );
    expect(order.id).toBe('820982911946154508');
  });

  it('keeps ids beyond 2^53 exact where the payload has only numbers', () => {
    const { payload } = buildOrder(simpleOrder, {
      id: '#id:820982911946154508',
      admin_graphql_api_id: null,
      location_id: '#id:487817672276298554',
    });
    expect(readBody(bodyOf(payload))).toMatchObject({
      order: { id: '820982911946154508', location: { id: '487817672276298554' } },
    });
  });

  it('refuses an id that another parser has rounded', () => {
    const { payload } = buildOrder(simpleOrder, { id: 2 ** 60, admin_graphql_api_id: null });
    expect(readOrderWebhook(payload)).toEqual({
      kind: 'unreadable',
      faults: [{ path: 'id', problem: 'is not an exact id' }],
    });
  });

  it('writes every date in UTC, so that equal moments are equal texts', () => {
    expect(storeOrder()).toMatchObject({
      placedAt: '2026-10-05T09:12:44.000Z',
      updatedAt: '2026-10-09T06:00:00.000Z',
      customer: { createdAt: '2025-01-20T08:00:00.000Z' },
    });
  });

  it('reads used codes from the applications, and never the title of a manual discount', () => {
    const applications = [
      { type: 'manual', title: 'Goodwill', code: 'Goodwill' },
      { type: 'automatic', title: 'Two for one' },
      { type: 'discount_code', code: 'AUTUMN10' },
      { type: 'discount_code', code: 'FREESHIP' },
    ];
    const codes = [{ code: 'Goodwill' }, { code: '' }, { code: 'AUTUMN10' }];
    const changes = { discount_applications: applications, discount_codes: codes };
    expect(storeOrder({}, changes).couponCodes).toEqual(['AUTUMN10', 'FREESHIP']);
    expect(storeOrder({}, { ...changes, discount_applications: [] }).couponCodes).toEqual([]);
  });

  it('counts the odd cent of a discount as the store did', () => {
    // 29.00 for three; the store refunded one with 9.66.
    expect(storeOrder({ lines: [twoShirts] }).lines[0]).toMatchObject({ kept: 2, paid: '19.34' });
  });

  it('computes the kept amount of an edited line without a refund', () => {
    const order = storeOrder({ lines: [twoShirts] }, { refunds: [] });
    expect(order.lines[0]).toMatchObject({ kept: 2, paid: '19.33' });
  });

  it('rounds computed amounts to the currency, not always to cents', () => {
    const lines = [{ ...twoShirts, priceCents: 100_000, discountCents: 100 }];
    const paidIn = (currency: string) =>
      storeOrder({ lines }, { refunds: [], currency }).lines[0]?.paid;
    expect(paidIn('JPY')).toBe('1999');
    expect(paidIn('KWD')).toBe('1999.333');
    expect(paidIn('EUR')).toBe('1999.33');
  });

  it('uses the stated subtotal where the lines differ', () => {
    // An adjustment of the whole order belongs to no line.
    expect(storeOrder({}, { current_subtotal_price: '48.50' })).toMatchObject({
      subtotal: '48.5',
      lines: [{ paid: '50' }],
    });
  });

  it('reads a tip neither as a line nor as part of the subtotal', () => {
    const order = storeOrder({ tipCents: 300 });
    expect(order.lines).toHaveLength(1);
    expect(order).toMatchObject({ subtotal: '50', total: '60' });
  });

  it('counts a refund of shipping once, although Shopify lists it twice', () => {
    const order = storeOrder({ shippingRefundedCents: 500 });
    expect(order).toMatchObject({ shipping: { price: '2', refunded: '5' }, total: '52' });
  });

  it.each([
    ['as a shipping line', { refund_shipping_lines: [{ subtotal_amount_set: moneySet(500) }] }],
    ['as an adjustment', { order_adjustments: [{ kind: 'shipping_refund', amount: '-5.00' }] }],
  ])('counts a refund of shipping that is listed only %s', (_, refund) => {
    expect(storeOrder({}, { refunds: [refund] }).shipping.refunded).toBe('5');
  });

  it('does not read another adjustment as a refund of shipping', () => {
    const refunds = [{ order_adjustments: [{ kind: 'refund_discrepancy', amount: '-5.00' }] }];
    expect(storeOrder({}, { refunds }).shipping.refunded).toBe('0');
  });

  it('uses the stated price of the shipping that is left', () => {
    const order = storeOrder({ taxPercent: 20 }, { current_shipping_price_set: moneySet(350) });
    expect(order.shipping).toEqual({ price: '3.5', taxOnTop: '0.7', refunded: '0' });
  });

  it('reads no tax of a removed shipping line, and of one that is free', () => {
    const line = {
      ...{ price: '7.00', discounted_price: '7.00' },
      ...{ tax_lines: [{ price: '1.40' }], discount_allocations: [] },
    };
    const taxOf = (changes: object, price = moneySet(700)) =>
      storeOrder(
        {},
        { shipping_lines: [{ ...line, ...changes }], current_shipping_price_set: price },
      ).shipping.taxOnTop;
    expect(taxOf({})).toBe('1.4');
    expect(taxOf({ is_removed: true })).toBe('0');
    expect(taxOf({ discount_allocations: [{ amount: '7.00' }] })).toBe('0');
    expect(taxOf({ discounted_price: '0.00' })).toBe('0');
  });

  it('reads amounts in the shop’s currency where customers pay in another', () => {
    const order = storeOrder(
      {},
      {
        presentment_currency: 'DKK',
        current_subtotal_price_set: moneySet(5000),
        line_items: [
          { id: 9000, quantity: 1, current_quantity: 1, price: '50.00', price_set: moneySet(5000) },
        ],
      },
    );
    expect(order).toMatchObject({ currency: 'EUR', subtotal: '50', lines: [{ paid: '50' }] });
  });

  describe('paid back beyond the worth of lines and shipping', () => {
    const money = (amount: string, changes: object = {}) => ({
      ...{ kind: 'refund', status: 'success', currency: 'EUR', amount, ...changes },
    });
    const beyond = (transactions: readonly object[] | undefined, changes: object = {}) => {
      const order_adjustments = [{ kind: 'refund_discrepancy', amount: '-5.00' }];
      const refunds = [{ order_adjustments, transactions }];
      return storeOrder({}, { refunds, ...changes }).refundedWithoutLines;
    };

    it.each([
      ['all of it', [money('5.00')], '5'],
      ['two payments', [money('2.00'), money('1.50')], '3.5'],
      ['no more than the adjustments state', [money('9.00')], '5'],
      ['nothing while it is pending', [money('5.00', { status: 'pending' })], '0'],
      ['nothing where it failed', [money('5.00', { status: 'failure' })], '0'],
      ['no money of another kind', [money('5.00', { kind: 'capture' })], '0'],
      ['nothing without a transaction', [], '0'],
    ])('is %s', (_, transactions, amount) => {
      expect(beyond(transactions)).toBe(amount);
    });

    it('is known to the store alone: no webhook says what was received', () => {
      const webhook = { total_received: undefined };
      for (const transactions of [
        [money('5.00')],
        [money('5.00', { currency: 'DKK' })],
        [],
        undefined,
      ]) {
        expect(beyond(transactions, webhook)).toBeUndefined();
      }
    });

    it('is nothing in a webhook where no refund states that more went back', () => {
      const webhook = { total_received: undefined };
      const read = (order_adjustments: readonly object[]) =>
        storeOrder({}, { refunds: [{ order_adjustments, transactions: [] }], ...webhook });
      expect(read([]).refundedWithoutLines).toBe('0');
      expect(read([{ kind: 'refund_discrepancy', amount: '5.00' }]).refundedWithoutLines).toBe('0');
      expect(read([{ kind: 'shipping_refund', amount: '-5.00' }]).refundedWithoutLines).toBe('0');
      // What is outstanding is as unknown, where something may have been given away.
      expect(read([]).outstanding).toBe('0');
      expect(read([{ kind: 'refund_discrepancy', amount: '-5.00' }]).outstanding).toBeUndefined();
    });

    it('is what one refund states in the end, however often it was corrected while its money was on its way', () => {
      const states = (...amounts: readonly string[]) =>
        storeOrder(
          { lines: [lineOf(5000)], shippingCents: 700, shippingRefundedCents: 700 },
          {
            // All shipping is back, and 20.00 of the goods are still owed.
            ...{
              total_received: '37.00',
              current_total_price: '50.00',
              total_outstanding: '20.00',
            },
            refunds: [
              { refund_shipping_lines: [], transactions: [money('7.00')] },
              {
                order_adjustments: amounts.map((amount) => ({
                  kind: 'refund_discrepancy',
                  amount,
                })),
                transactions: [money('5.00')],
              },
            ],
          },
        ).refundedWithoutLines;
      expect(states('-5.00')).toBe('5');
      expect(states('-5.00', '5.00', '-5.00')).toBe('5');
      expect(states('5.00', '-10.00')).toBe('5');
    });

    // A line of 30 was taken out, and one of 50 was put in; 50 is what is kept, and money goes back as an amount.
    const exchange = (received: string | undefined, changes: object = {}) => {
      const line = { quantity: 1, price: '30.00', discount_allocations: [], tax_lines: [] };
      const exchanged = [
        { ...line, id: 1, current_quantity: 0 },
        { ...line, id: 2, current_quantity: 1, price: '50.00' },
      ];
      const edit = { refund_line_items: [{ line_item_id: 1, quantity: 1, subtotal: '30.00' }] };
      const order_adjustments = [{ kind: 'refund_discrepancy', amount: '-40.00' }];
      const amount = { order_adjustments, transactions: [money('40.00')] };
      return storeOrder(
        { shippingCents: 0 },
        {
          line_items: exchanged,
          refunds: [{ ...edit, transactions: [] }, amount],
          ...{ current_subtotal_price: '50.00', current_total_price: '50.00' },
          ...{ total_outstanding: '0.00', total_received: received, ...changes },
        },
      );
    };

    it.each([
      ['all of it where goods were exchanged, and the difference paid', '50.00', {}, '40'],
      ['what is left of it where the goods taken out were paid', '80.00', {}, '10'],
      ['what the goods taken out leave of it', '65.00', {}, '25'],
    ])('is %s', (_, received, changes, amount) => {
      expect(exchange(received, changes).refundedWithoutLines).toBe(amount);
    });

    it.each([
      ['all of it where the store says that no more than the goods put in is owed', '20.00', '20'],
      ['nothing where the store says that it is owed again', '40.00', '0'],
    ])('is %s', (_, total_outstanding, given) => {
      const order_adjustments = [{ kind: 'refund_discrepancy', amount: '-20.00' }];
      const edit = { refund_line_items: [{ line_item_id: 1, quantity: 1, subtotal: '30.00' }] };
      const refunds = [edit, { order_adjustments, transactions: [money('20.00')] }];
      // Of 50.00, 30.00 were paid and 20.00 of them went back.
      const order = exchange('30.00', { refunds, total_outstanding });
      expect(order.refundedWithoutLines).toBe(given);
      expect(Number(order.outstanding)).toBe(40 - Number(given));
    });

    it('is known to the store alone where goods were taken out without money', () => {
      expect(exchange(undefined).refundedWithoutLines).toBeUndefined();
    });

    it('is nothing where each refund paid for its own lines, whatever was received', () => {
      const refund_line_items = [{ line_item_id: 1, quantity: 1, subtotal: '30.00' }];
      // As a refund looks whose money was pending.
      const order_adjustments = [{ amount: '30.00' }, { amount: '-30.00' }];
      const refunds = [{ refund_line_items, order_adjustments, transactions: [money('30.00')] }];
      expect(exchange('80.00', { refunds }).refundedWithoutLines).toBe('0');
      // What was put in is still owed, in part or all of it.
      const owing = (received: string, total_outstanding: string) =>
        exchange(received, { refunds, total_outstanding });
      expect(owing('50.00', '30.00')).toMatchObject({
        refundedWithoutLines: '0',
        outstanding: '30',
      });
      expect(owing('30.00', '50.00')).toMatchObject({
        refundedWithoutLines: '0',
        outstanding: '50',
      });
    });

    it('is nothing where the money is what lines and shipping are worth', () => {
      const lines = [twoShirts];
      expect(storeOrder({ lines, shippingRefundedCents: 500 }).refundedWithoutLines).toBe('0');
    });
  });

  it('reads an order without a customer as that of a guest', () => {
    expect(storeOrder({}, { customer: null, email: '' }).customer).toBe(undefined);
  });

  it('reads a point-of-sale order without e-mail and postal address', () => {
    const order = storeOrder(
      {},
      {
        source_name: 'pos',
        location_id: 71,
        user_id: 402,
        email: '',
        billing_address: null,
        shipping_lines: [],
        customer: { id: 5, email: null, first_name: null, last_name: 'Sample' },
      },
    );
    expect(order).toMatchObject({
      source: 'pos',
      pointOfSale: true,
      location: { id: '71' },
      staff: { id: '402' },
      customer: { id: '5', name: 'Sample', email: undefined },
    });
  });

  it('reads the staff member of a line where the order names no user', () => {
    const line = {
      ...{ id: 1, quantity: 1, current_quantity: 1 },
      price: '1.00',
      attributed_staffs: [{ id: 'gid://shopify/StaffMember/902' }],
    };
    expect(storeOrder({}, { line_items: [line] }).staff).toEqual({ id: '902', name: undefined });
  });

  it('reads the date of the last successful fulfillment', () => {
    const fulfillments = [
      { status: 'success', created_at: '2026-10-07T10:00:00+02:00' },
      { status: 'success', created_at: '2026-10-06T23:00:00-08:00' },
      { status: 'cancelled', created_at: '2026-10-09T10:00:00+02:00' },
    ];
    expect(storeOrder({}, { fulfillments }).fulfilledAt).toBe('2026-10-07T08:00:00.000Z');
  });

  it('reports every fault at once, each with its path', () => {
    const { payload } = buildOrder(simpleOrder, {
      id: null,
      admin_graphql_api_id: undefined,
      processed_at: null,
      created_at: null,
      updated_at: 'yesterday',
      current_total_price: { amount: 1 },
      line_items: [
        { id: 1, quantity: 1, price: '1.00' },
        { id: 'gid', quantity: -1, price: null },
        'line',
      ],
      customer: { first_name: 'Robin' },
      refunds: {},
    });
    expect(readOrderWebhook(payload)).toEqual({
      kind: 'unreadable',
      faults: expect.arrayContaining([
        { path: 'id', problem: 'is missing' },
        { path: 'processed_at', problem: 'is missing, and so is created_at' },
        { path: 'updated_at', problem: 'is not a date with time and offset' },
        { path: 'current_total_price', problem: 'is not an amount' },
        { path: 'line_items[1].id', problem: 'is not an exact id' },
        { path: 'line_items[1].quantity', problem: 'is not a quantity' },
        { path: 'line_items[1].price', problem: 'is missing' },
        { path: 'line_items[2]', problem: 'is not an object' },
        { path: 'customer.id', problem: 'is missing' },
        { path: 'refunds', problem: 'is not a list' },
      ]),
    });
  });

  it('reports only the first fault of a body with a million faults', () => {
    const nonsense = { line_items: Array.from({ length: 1_000_000 }, () => 0) };
    expect(readOrderWebhook(nonsense)).toEqual({
      kind: 'unreadable',
      faults: [{ path: 'updated_at', problem: 'is missing' }],
    });
  });

  it('reads an order whose customer is nested deeper than the stack', () => {
    const nested = `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`;
    const { payload } = buildOrder(simpleOrder, { customer: JSON.parse(nested) });
    expect(readOrderWebhook(payload)).toMatchObject({ faults: [{ path: 'customer.id' }] });
  });

  it.each([null, 'text', 7, [], {}])('reports %j as unreadable', (value) => {
    expect(readOrderWebhook(value).kind).toBe('unreadable');
  });
});
