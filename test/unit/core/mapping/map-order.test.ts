import { describe, expect, it } from 'vitest';
import { mapDeletedOrder, mapOrder } from '../../../../shared/core/mapping/map-order.ts';
import type { KnownBefore, OrderRules } from '../../../../shared/core/mapping/wanted-state.ts';
import type { StoreOrder } from '../../../../shared/store/order.ts';
import { neverSent, rules, storeOrder } from '../../../fixtures/store-entities.ts';

function wantedOf(
  order: StoreOrder,
  changed: Partial<OrderRules> = {},
  before: KnownBefore = neverSent,
) {
  const mapped = mapOrder(order, { ...rules, ...changed }, before);
  if (mapped.kind !== 'wanted') throw new Error(JSON.stringify(mapped));
  return mapped;
}

function formOf(
  order: StoreOrder,
  changed: Partial<OrderRules> = {},
  before: KnownBefore = neverSent,
) {
  const { wanted } = wantedOf(order, changed, before);
  if (!('order' in wanted)) throw new Error(wanted.kind);
  return wanted.order;
}

const sent = (order: StoreOrder, changed: Partial<OrderRules> = {}): KnownBefore => ({
  known: true,
  remembered: wantedOf(order, changed).remember,
});

describe('mapping an order', () => {
  it('gives the whole form of a fulfilled order', () => {
    expect(wantedOf(storeOrder({ fulfilledAfterDays: 2 })).wanted).toEqual({
      kind: 'order',
      id: '5512345678901',
      order: {
        OriginalId: '5512345678901',
        OrderPlacementDate: '2026-10-05T09:12:44.000Z',
        OrderCompletedDate: '2026-10-07T09:12:44.000Z',
        OrderCancelledDate: null,
        OrderStatus: 'fulfilled',
        IsCancelledOrReturned: false,
        IsCompleted: true,
        OrderTotal: 50,
        Customer: {
          OriginalId: '6940095564',
          Name: 'Robin Sample',
          Email: 'robin.sample@example.com',
          Phone: '+15555550100',
          SignupDate: '2025-01-20T08:00:00.000Z',
        },
        Products: [
          {
            OriginalId: '8012345678901',
            Title: 'Shirt 1',
            IsActive: true,
            ProductPrice: 50,
            ProductBrand: { OriginalId: 'North Loom', Name: 'North Loom' },
          },
        ],
        UpdatedDate: '2026-10-09T06:00:00.000Z',
        Coupon: null,
        Metadatas: [
          { Name: 'currency', Value: 'EUR' },
          { Name: 'order_name', Value: '#1001' },
          { Name: 'source', Value: 'web' },
        ],
        PaymentMethod: { OriginalId: 'shopify_payments', Name: 'shopify_payments' },
      },
      sold: [expect.objectContaining({ OriginalId: '8012345678901', Title: 'Shirt 1' })],
      isRefunded: false,
      earlier: [],
    });
  });

  it('completes on payment only where the settings say so, when it was paid or else placed', () => {
    const paid = storeOrder();
    expect(formOf(paid)).toMatchObject({ IsCompleted: false, OrderStatus: 'paid' });
    expect(formOf(paid, { completeWhen: 'paid' })).toMatchObject({
      IsCompleted: true,
      OrderCompletedDate: '2026-10-05T09:12:44.000Z',
    });
    const paidAt = '2026-11-06T08:00:00.000Z';
    expect(formOf({ ...paid, paidAt }, { completeWhen: 'paid' }).OrderCompletedDate).toBe(paidAt);
    const unpaid = storeOrder({ fulfilledAfterDays: 1 }, { financial_status: 'pending' });
    expect(formOf(unpaid, { completeWhen: 'paid' }).IsCompleted).toBe(false);
    expect(formOf(unpaid).IsCompleted).toBe(true);
  });

  it('takes the closing date where no fulfilment is recorded', () => {
    const changes = { fulfillment_status: 'fulfilled', closed_at: '2026-10-08T12:00:00Z' };
    expect(formOf(storeOrder({}, changes)).OrderCompletedDate).toBe('2026-10-08T12:00:00.000Z');
  });

  it('sends a cancelled order as a cancellation, with the order form for the fallback', () => {
    expect(wantedOf(storeOrder({ cancelledAfterDays: 1 })).wanted).toMatchObject({
      kind: 'cancelled-order',
      cancellation: { OrderCancelledDate: '2026-10-06T09:12:44.000Z', OrderStatus: 'cancelled' },
      order: { IsCancelledOrReturned: true, OrderCancelledDate: '2026-10-06T09:12:44.000Z' },
    });
  });

  it('never marks an order as both completed and cancelled', () => {
    const both = storeOrder({ fulfilledAfterDays: 1, cancelledAfterDays: 2 });
    expect(formOf(both)).toMatchObject({
      IsCancelledOrReturned: true,
      IsCompleted: false,
      OrderCompletedDate: null,
    });
  });

  it('takes a fully returned order for cancelled on the day of its last refund', () => {
    const line = { product: 1, priceCents: 5000, quantity: 2, discountCents: 0, takenBack: 2 };
    expect(wantedOf(storeOrder({ lines: [line] })).wanted).toMatchObject({
      kind: 'cancelled-order',
      cancellation: { OrderCancelledDate: '2026-10-08T08:00:00.000Z', OrderStatus: 'returned' },
      order: { OrderTotal: 0, Products: [] },
    });
  });

  it('stays completed at its first date when an exchange adds a line that is not shipped', () => {
    const shipped = storeOrder({ fulfilledAfterDays: 2 });
    const line = { product: 1, priceCents: 5000, quantity: 1, discountCents: 0, takenBack: 0 };
    const lines = [line, { ...line, product: 2, priceCents: 1950 }];
    const exchanged = storeOrder({ lines }, { fulfillment_status: 'partial' });
    expect(formOf(exchanged).IsCompleted).toBe(false);
    const completed = { IsCompleted: true, OrderCompletedDate: '2026-10-07T09:12:44.000Z' };
    expect(formOf(exchanged, {}, sent(shipped))).toMatchObject({ ...completed, OrderTotal: 69.5 });
    const again = storeOrder({ lines, fulfilledAfterDays: 4 });
    expect(formOf(again, {}, sent(shipped))).toMatchObject(completed);
  });

  it('waits in the middle of an exchange: nothing kept, and the money not refunded', () => {
    const gone = { product: 1, priceCents: 5000, quantity: 1, discountCents: 0, takenBack: 1 };
    const paid = storeOrder({ lines: [gone] }, { financial_status: 'paid' });
    const before = sent(storeOrder({ fulfilledAfterDays: 2 }));
    expect(mapOrder(paid, rules, before)).toEqual({ kind: 'skip', why: 'exchange' });
    // What is refunded in part, or was never paid, is corrected: a cancellation would be final.
    for (const financial_status of ['partially_refunded', 'pending']) {
      const order = storeOrder({ lines: [gone] }, { financial_status });
      expect(wantedOf(order, {}, before).wanted).toMatchObject({
        kind: 'order',
        order: { OrderTotal: 0, IsCompleted: true },
      });
    }
  });

  it('takes an order whose money all went back without its lines for returned', () => {
    const order = storeOrder({}, { financial_status: 'refunded' });
    expect(wantedOf(order).wanted.kind).toBe('cancelled-order');
  });

  it('does not take an order of free things for returned', () => {
    const line = { product: 1, priceCents: 5000, quantity: 1, discountCents: 5000, takenBack: 0 };
    const order = storeOrder({ lines: [line], shippingCents: 0 });
    expect(wantedOf(order).wanted).toMatchObject({ kind: 'order', order: { OrderTotal: 0 } });
  });

  it('shrinks the order after a partial refund', () => {
    const kept = { product: 1, priceCents: 1000, quantity: 3, discountCents: 0, takenBack: 1 };
    const gone = { ...kept, product: 2, takenBack: 3 };
    expect(formOf(storeOrder({ lines: [kept, gone] }))).toMatchObject({
      OrderTotal: 20,
      Products: [{ OriginalId: '8012345678901', ProductPrice: 20 }],
    });
  });

  it('sums the lines of one product and gives a custom line an id of its own', () => {
    const line = { product: 1, priceCents: 1010, quantity: 1, discountCents: 0, takenBack: 0 };
    const lines = [line, { ...line, product: undefined }, { ...line, priceCents: 2020 }];
    expect(formOf(storeOrder({ lines })).Products).toMatchObject([
      { OriginalId: '8012345678901', ProductPrice: 30.3 },
      { OriginalId: 'line-9001', Title: 'Gift wrapping', IsActive: false, ProductBrand: null },
    ]);
  });

  it('gives a product renamed between two lines one title, whatever source lists them', () => {
    const line = { quantity: 1, price: '1.00', product_id: 5 };
    const lines = [
      { ...line, id: 2, title: 'New name' },
      { ...line, id: 1, title: 'Old name' },
    ];
    const titleOf = (line_items: object[]) => formOf(storeOrder({}, { line_items })).Products;
    expect(titleOf(lines)).toEqual(titleOf(lines.toReversed()));
  });

  it('keeps a gift card that was bought among the products', () => {
    const line_items = [
      { id: 1, product_id: 77, title: 'Gift card', gift_card: true, quantity: 1, price: '25.00' },
    ];
    const changes = { line_items, current_subtotal_price: '25.00' };
    expect(formOf(storeOrder({}, changes))).toMatchObject({
      OrderTotal: 25,
      Products: [{ OriginalId: '77', ProductPrice: 25 }],
    });
  });

  it('sends the first code used as the coupon and all of several as metadata', () => {
    const codes = (...names: string[]) =>
      storeOrder(
        {},
        { discount_applications: names.map((code) => ({ type: 'discount_code', code })) },
      );
    expect(formOf(codes('A1'))).toMatchObject({ Coupon: 'A1' });
    expect(formOf(codes('A1')).Metadatas).not.toContainEqual(
      expect.objectContaining({ Name: 'coupons' }),
    );
    expect(formOf(codes('A1', 'B2'))).toMatchObject({ Coupon: 'A1' });
    expect(formOf(codes('A1', 'B2')).Metadatas).toContainEqual({
      Name: 'coupons',
      Value: 'A1, B2',
    });
  });

  it('names the payment as specifically as it is known', () => {
    const gateways = (...names: string[]) => storeOrder({}, { payment_gateway_names: names });
    expect(formOf(gateways('gift_card', 'paypal')).PaymentMethod).toEqual({
      OriginalId: 'paypal',
      Name: 'paypal',
    });
    expect(formOf(gateways('gift_card')).PaymentMethod?.OriginalId).toBe('gift_card');
    expect(formOf(gateways()).PaymentMethod).toBe(undefined);
    const card = { ...storeOrder(), card: { brand: 'Visa', type: 'credit' } };
    expect(formOf(card).PaymentMethod).toEqual({ OriginalId: 'visa-credit', Name: 'Visa credit' });
  });

  it('takes branch and salesperson from a till’s order only', () => {
    const changes = { location_id: 71, user_id: 402 };
    const draft = formOf(storeOrder({}, { ...changes, source_name: 'shopify_draft_order' }));
    expect([draft.Branch, draft.SalesPerson]).toEqual([undefined, undefined]);
    expect(formOf(storeOrder({}, { ...changes, source_name: 'pos' }))).toMatchObject({
      Branch: { OriginalId: '71', Name: '71' },
      SalesPerson: { OriginalId: '402', Name: '402' },
    });
  });

  it('does not take back what a better source has said', () => {
    const webhook = storeOrder({}, { source_name: 'pos', location_id: 71 });
    const graphql = {
      ...webhook,
      card: { brand: 'Visa', type: undefined },
      location: { id: '71', name: 'Harbour Street' },
    };
    const later = formOf(webhook, {}, sent(graphql));
    expect(later).toEqual(formOf(graphql));
    expect(later).toMatchObject({
      PaymentMethod: { Name: 'Visa' },
      Branch: { Name: 'Harbour Street' },
    });
    const moved = { ...webhook, location: { id: '72', name: undefined } };
    expect(formOf(moved, {}, sent(graphql)).Branch).toEqual({ OriginalId: '72', Name: '72' });
  });
});

describe('an order that is not sent', () => {
  const guest = storeOrder({}, { customer: null });
  const trial = storeOrder({}, { test: true });

  it('is skipped with its reason while nothing was applied', () => {
    expect(mapOrder(guest, rules, neverSent)).toEqual({ kind: 'skip', why: 'guest' });
    expect(mapOrder(trial, rules, neverSent)).toEqual({ kind: 'skip', why: 'test-order' });
  });

  it('is still corrected once the service knows it', () => {
    const before = { known: true, remembered: undefined };
    expect(formOf(trial, {}, before).OrderTotal).toBe(50);
    expect(formOf(guest, {}, before)).not.toHaveProperty('Customer');
  });

  it('is skipped when it comes back to life after a return, if it never had a customer', () => {
    const returned = storeOrder({ cancelledAfterDays: 1 }, { customer: null });
    expect(mapOrder(guest, rules, sent(returned))).toEqual({ kind: 'skip', why: 'guest' });
  });

  it('is sent when the merchant says so', () => {
    expect(formOf(trial, { testOrders: 'send' }).OriginalId).toBe('5512345678901');
  });
});

describe('an order of a customer with a telephone number only', () => {
  const customer = { id: 5, first_name: 'Robin', phone: '+15555550100' };
  const byPhone = (changes: Record<string, unknown> = {}, spec = {}) =>
    storeOrder(spec, { customer, email: '', phone: '+15555550100', ...changes });
  const skipped = { kind: 'skip', why: 'customer-without-email' };
  const noted = { from: 'note-attribute', name: 'document' } as const;
  const metafield = { from: 'metafield', owner: 'customer', namespace: 'a', key: 'b' } as const;

  it('is skipped by its own name, and sent where the settings say so', () => {
    expect(mapOrder(byPhone(), rules, neverSent)).toEqual(skipped);
    expect(formOf(byPhone(), { customersWithoutEmail: 'send' }).Customer).toMatchObject({
      OriginalId: '5',
      Phone: '+15555550100',
    });
  });

  it('is sent with the e-mail address of the order, or with a document', () => {
    const email = 'robin.sample@example.com';
    expect(formOf(byPhone({ email })).Customer).toMatchObject({ Email: email });
    const note_attributes = [{ name: 'document', value: 'A-1' }];
    const form = formOf(byPhone({ note_attributes }), { document: noted });
    expect(form.Customer).toMatchObject({ Document: 'A-1' });
  });

  it('is not skipped before the store was asked for the document', () => {
    const seen = { ...byPhone(), metafields: [] };
    expect(mapOrder(byPhone(), { ...rules, document: metafield }, neverSent).kind).toBe('wanted');
    expect(mapOrder(seen, { ...rules, document: metafield }, neverSent)).toEqual(skipped);
  });

  it('is still corrected and cancelled once the service may know it', () => {
    const known = { known: true, remembered: undefined };
    expect(formOf(byPhone(), {}, known).OrderTotal).toBe(50);
    expect(wantedOf(byPhone({}, { cancelledAfterDays: 1 })).wanted.kind).toBe('cancelled-order');
  });
});

describe('an order whose customer was deleted', () => {
  const before = sent(storeOrder());
  const orphan = storeOrder({ cancelledAfterDays: 1 }, { customer: null });

  it('is still cancelled, under the customer it was sent with', () => {
    const { wanted, remember } = wantedOf(orphan, {}, before);
    expect(wanted).toMatchObject({
      kind: 'cancelled-order',
      order: { Customer: { OriginalId: '6940095564' } },
    });
    expect(remember).toBe(before.remembered);
  });

  it('is cancelled without the customer after redaction', () => {
    const { wanted } = wantedOf(orphan, {}, { known: true, remembered: undefined });
    expect(JSON.stringify(wanted)).not.toContain('Robin');
    expect(wanted.kind).toBe('cancelled-order');
  });

  it.each(['', 'o1{', 'o1', 'p1{}', 'x9{"customer":{}}'])(
    'survives a memory it cannot read: %j',
    (remembered) => {
      expect(formOf(orphan, {}, { known: true, remembered })).not.toHaveProperty('Customer');
    },
  );
});

describe('a deleted order', () => {
  const now = new Date('2026-11-01T00:00:00Z');

  it('is cancelled if the service knows it, and its customer is forgotten', () => {
    const mapped = mapDeletedOrder('55', { ...sent(storeOrder()), now });
    expect(mapped).toMatchObject({
      kind: 'wanted',
      wanted: {
        kind: 'cancelled-order',
        id: '55',
        cancellation: { OrderCancelledDate: now.toISOString(), OrderStatus: 'deleted' },
        order: { OriginalId: '55', IsCancelledOrReturned: true },
      },
      remember: undefined,
    });
    expect(JSON.stringify(mapped)).not.toContain('6940095564');
  });

  it('is cancelled even when the ledger does not remember sending it', () => {
    // A worker may have died between sending and recording; an unknown order is answered as done.
    expect(mapDeletedOrder('55', { ...neverSent, now })).toMatchObject({
      wanted: { kind: 'cancelled-order', id: '55' },
    });
  });
});
