import { describe, expect, it } from 'vitest';
import type { MappingRules } from '../../../../shared/config/mapping-settings.ts';
import type { EntityEntry } from '../../../../shared/core/ledger/ledger.ts';
import {
  isBetweenLines,
  lacksPayment,
  mapDeletedOrder,
  mapOrder,
  needsEnrichment,
  neverCompleted,
  orderProgress,
  paymentMethod,
} from '../../../../shared/core/mapping/map-order.ts';
import { mapSnapshot } from '../../../../shared/core/mapping/map-snapshot.ts';
import { lacksAmounts } from '../../../../shared/core/mapping/order-amounts.ts';
import {
  faultText,
  idempotencyKey,
  type KnownBefore,
  rulesRevision,
  withGoLive,
} from '../../../../shared/core/mapping/wanted-state.ts';
import type { Snapshot } from '../../../../shared/core/store/store.ts';
import type { StoreOrder } from '../../../../shared/store/store-entities.ts';
import { lineOf } from '../../../fixtures/order-spec.ts';
import {
  amount,
  giftCards,
  neverSent,
  rules,
  storeCredit,
  storeOrder,
} from '../../../fixtures/store-entities.ts';

function wantedOf(
  order: StoreOrder,
  changed: Partial<MappingRules> = {},
  before: KnownBefore = neverSent,
) {
  const mapped = mapOrder(order, { ...rules, ...changed }, before);
  if (mapped.kind !== 'wanted') throw new Error(JSON.stringify(mapped));
  return mapped;
}

function formOf(
  order: StoreOrder,
  changed: Partial<MappingRules> = {},
  before: KnownBefore = neverSent,
) {
  const { wanted } = wantedOf(order, changed, before);
  if (!('order' in wanted)) throw new Error(wanted.kind);
  return wanted.order;
}

/** What the ledger knows of an order that was sent so. */
function sent(order: StoreOrder, changed: Partial<MappingRules> = {}): KnownBefore {
  const { remember: remembered } = wantedOf(order, changed);
  const { OrderCompletedDate: completedAt } = formOf(order, changed);
  const service = { total: 0, products: [], taken: 0, ...(completedAt != null && { completedAt }) };
  return { known: true, remembered, service };
}

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
      changed: false,
      isFine: false,
    });
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

  it('takes a fully returned order for cancelled on the day of its last refund', () => {
    const line = lineOf(5000, { quantity: 2, takenBack: 2 });
    expect(wantedOf(storeOrder({ lines: [line] })).wanted).toMatchObject({
      kind: 'cancelled-order',
      cancellation: { OrderCancelledDate: '2026-10-08T08:00:00.000Z', OrderStatus: 'returned' },
      order: { OrderTotal: 0, Products: [] },
    });
  });

  it('waits in the middle of an exchange: nothing kept, and the money not refunded', () => {
    const gone = lineOf(5000, { takenBack: 1 });
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
    const line = lineOf(5000, { discountCents: 5000 });
    const order = storeOrder({ lines: [line], shippingCents: 0 });
    expect(wantedOf(order).wanted).toMatchObject({ kind: 'order', order: { OrderTotal: 0 } });
  });

  it('sums the lines of one product and gives a custom line an id of its own', () => {
    const line = lineOf(1010);
    const lines = [line, { ...line, product: undefined }, { ...line, priceCents: 2020 }];
    expect(formOf(storeOrder({ lines })).Products).toMatchObject([
      { OriginalId: '8012345678901', ProductPrice: 30.3 },
      { OriginalId: 'line-9001', Title: 'Gift wrapping', IsActive: false, ProductBrand: null },
    ]);
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
    const untyped = { ...card, card: { brand: 'Visa', type: undefined } };
    expect(formOf(untyped).PaymentMethod).toEqual({ OriginalId: 'visa', Name: 'Visa' });
  });

  it.each([
    ['no code', [], null, undefined],
    ['its code', ['SPRING'], 'SPRING', undefined],
    ['the first of two codes, and both', ['SPRING', 'FREE'], 'SPRING', 'SPRING, FREE'],
  ])('names %s', (_, couponCodes, coupon, all) => {
    const form = formOf({ ...storeOrder(), couponCodes });
    expect(form.Coupon).toBe(coupon);
    expect(form.Metadatas?.find(({ Name }) => Name === 'coupons')?.Value).toBe(all);
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
});

describe('an order that is not sent', () => {
  const guest = storeOrder({}, { customer: null });
  const trial = storeOrder({}, { test: true });

  it('is skipped with its reason while nothing was applied', () => {
    expect(mapOrder(guest, rules, neverSent)).toEqual({ kind: 'skip', why: 'guest' });
    expect(mapOrder(trial, rules, neverSent)).toEqual({ kind: 'skip', why: 'test-order' });
    const foreign = { ...storeOrder(), currency: 'USD', ofOtherCurrency: true } as const;
    const why = 'other-currency';
    expect(mapOrder(foreign, rules, neverSent)).toEqual({ kind: 'skip', why });
    const over = { ...foreign, cancelledAt: '2026-10-06T00:00:00.000Z' };
    expect(mapOrder(over, rules, neverSent)).toEqual({ kind: 'skip', why });
  });

  it('is still corrected once the service knows it', () => {
    const before = { known: true, remembered: undefined };
    expect(formOf(trial, {}, before).OrderTotal).toBe(50);
    expect(formOf(guest, {}, before)).not.toHaveProperty('Customer');
  });

  const foreign = { ...storeOrder(), currency: 'USD', ofOtherCurrency: true } as const;
  const pending = storeOrder({}, { financial_status: 'pending', fulfillment_status: null });

  /** Each reason with an order that it skips. */
  it.each([
    ['before-go-live', storeOrder(), { history: true }, {}],
    ['test-order', trial, {}, {}],
    ['other-currency', foreign, {}, {}],
    ['guest', guest, {}, {}],
    ['pending', pending, {}, { pendingOrders: 'skip' }],
  ] as const)(
    'takes its points back where it was sent before, whatever would skip it today: %s',
    (why, order, before, rulesNow) => {
      const today = { ...rules, ...rulesNow };
      expect(mapOrder(order, today, { ...neverSent, ...before })).toEqual({ kind: 'skip', why });
      const sentBefore = { ...before, ...sent(storeOrder({ fulfilledAfterDays: 1 })) };
      const partly = { ...order, subtotal: amount('20') };
      expect(formOf(partly, rulesNow, sentBefore).OrderTotal).toBeLessThan(50);
      const over = { ...order, cancelledAt: '2026-10-08T00:00:00.000Z' };
      const { wanted } = wantedOf(over, rulesNow, sentBefore);
      expect(wanted.kind).toBe('cancelled-order');
    },
  );

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

  it('is named as the service has it, whatever becomes of it', () => {
    const before = sent(storeOrder({ fulfilledAfterDays: 1 }));
    const elsewhere = {
      ...before,
      service: { total: 90_500, products: [], taken: 40_000, ...before.service, id: 'theirs-55' },
    };
    const { wanted: deleted } = mapDeletedOrder('55', { ...elsewhere, now }) as { wanted: object };
    const alive = wantedOf(storeOrder(), {}, elsewhere).wanted;
    const cancelled = wantedOf(storeOrder({ cancelledAfterDays: 1 }), {}, elsewhere).wanted;
    for (const wanted of [deleted, alive, cancelled]) {
      expect(wanted).toMatchObject({ id: 'theirs-55', order: { OriginalId: 'theirs-55' } });
    }
  });

  it('is cancelled even when the ledger does not remember sending it', () => {
    // A worker may have died between sending and recording; an unknown order is answered as done.
    expect(mapDeletedOrder('55', { ...neverSent, now })).toMatchObject({
      wanted: { kind: 'cancelled-order', id: '55' },
    });
  });
});

const PLACED = '2026-10-05T09:12:44.000Z';
const LATER = '2026-10-08T09:12:44.000Z';
const orderWith = (changes: Partial<StoreOrder> = {}): StoreOrder => ({
  ...storeOrder(),
  ...changes,
});

describe('an order that completes when it is paid', () => {
  const rules = { completeWhen: 'paid' } as const;

  const completes = (changes: Partial<StoreOrder>) =>
    orderProgress(orderWith(changes), rules, undefined).completedAt !== undefined;

  it.each([
    ['paid', true],
    ['partially_refunded', true],
    ['pending', false],
    ['partially_paid', false],
    ['voided', false],
    ['expired', false],
  ])('is completed as %s: %s', (paymentStatus, expected) => {
    expect(completes({ paymentStatus })).toBe(expected);
  });

  it.each([
    ['20.00', 500, ['20.00', '25.00'], '20', false],
    // What was refunded equals what is owed.
    ['20.00', 2000, ['20.00', '40.00'], '20', false],
    // All of it was paid: what went back is owed by nobody.
    ['40.00', 500, ['0.00', '5.00'], '0', true],
    ['40.00', 4000, ['0.00', '40.00'], '0', true],
  ])(
    'of 40.00, %s were paid and %d cents paid back: whether %j are said to be owed, %s are, and it is completed: %s',
    (received, amountRefundedCents, said, owed, expected) => {
      const spec = { lines: [lineOf(4000)], shippingCents: 0, amountRefundedCents };
      // Whether what was given away is owed again is not documented: right in either case.
      for (const total_outstanding of said) {
        const order = storeOrder(spec, {
          ...{
            total_received: received,
            total_outstanding,
            financial_status: 'partially_refunded',
          },
        });
        expect(order.outstanding).toBe(owed);
        expect(orderProgress(order, rules, undefined).completedAt !== undefined).toBe(expected);
      }
    },
  );

  it('is not completed where something is owed, in part refunded or not', () => {
    const paymentStatus = 'partially_refunded';
    expect(completes({ paymentStatus, outstanding: amount('5') })).toBe(false);
    expect(completes({ paymentStatus, outstanding: amount('0') })).toBe(true);
  });

  it('counts from its last payment, else from its placement, also if it was sent days later', () => {
    const sent = orderWith({ paymentStatus: 'paid', fulfilledAt: LATER });
    expect(orderProgress(sent, rules, undefined).completedAt).toBe(PLACED);
    const paid = { ...sent, paidAt: '2026-11-06T08:00:00.000Z' };
    expect(orderProgress(paid, rules, undefined).completedAt).toBe('2026-11-06T08:00:00.000Z');
    expect(
      orderProgress({ ...sent, paidAt: '2026-10-05T09:12:43.000Z' }, rules, undefined),
    ).toEqual(expect.objectContaining({ completedAt: PLACED }));
  });

  it('lacks its date if its first snapshot that completes it is an hour younger than the order', () => {
    const at = (updatedAt: string, changes: Partial<StoreOrder> = {}) =>
      orderWith({ paymentStatus: 'paid', updatedAt, ...changes });
    expect(lacksPayment(at('2026-10-05T10:12:44.000Z'), rules, undefined)).toBe(false);
    const late = at('2026-10-05T10:12:45.000Z');
    expect(lacksPayment(late, rules, undefined)).toBe(true);
    expect(lacksPayment(late, rules, PLACED)).toBe(false);
    expect(lacksPayment(late, { completeWhen: 'fulfilled' }, undefined)).toBe(false);
    expect(lacksPayment({ ...late, paidAt: PLACED }, rules, undefined)).toBe(false);
    expect(lacksPayment({ ...late, paymentStatus: 'pending' }, rules, undefined)).toBe(false);
    const unstated = { paymentStatus: 'partially_refunded', outstanding: undefined };
    expect(lacksPayment(at('2026-10-05T09:20:00.000Z', unstated), rules, undefined)).toBe(true);
  });
});

describe('an order that completes when it is shipped', () => {
  const rules = { completeWhen: 'fulfilled' } as const;
  const shipped = { fulfillmentStatus: 'fulfilled', fulfilledAt: PLACED };

  it.each([
    ['paid', PLACED],
    ['pending', PLACED],
    ['voided', undefined],
    ['expired', undefined],
  ])('and is %s is completed at %s', (paymentStatus, completedAt) => {
    const progress = orderProgress(orderWith({ ...shipped, paymentStatus }), rules, undefined);
    expect(progress.completedAt).toBe(completedAt);
  });

  it('stays completed if its payment is voided afterwards', () => {
    const voided = orderWith({ ...shipped, paymentStatus: 'voided' });
    expect(orderProgress(voided, rules, PLACED).completedAt).toBe(PLACED);
  });
});

describe('an order that ended and was never sent', () => {
  it('is sent as ended only if it could have earned points before', () => {
    const rules = { completeWhen: 'fulfilled' } as const;
    const cancelled = orderWith({ cancelledAt: LATER, fulfilledAt: undefined });
    expect(neverCompleted(cancelled, rules)).toBe(true);
    expect(neverCompleted({ ...cancelled, fulfilledAt: PLACED }, rules)).toBe(false);
  });
});

describe('an order of which nothing is kept', () => {
  const emptied = orderWith({ paymentStatus: 'paid' });
  const lines = emptied.lines.map((line) => ({ ...line, kept: 0 }));

  it('is in the middle of an exchange while its money is kept, and not once it is cancelled', () => {
    expect(isBetweenLines({ ...emptied, lines })).toBe(true);
    expect(isBetweenLines({ ...emptied, lines, cancelledAt: LATER })).toBe(false);
    expect(isBetweenLines({ ...emptied, lines, paymentStatus: 'refunded' })).toBe(false);
    expect(isBetweenLines({ ...emptied, lines: [] })).toBe(false);
  });
});

describe('the status of an order', () => {
  it('is open where the store has no word for its payment', () => {
    const unpaid = orderWith({ paymentStatus: undefined, fulfillmentStatus: undefined });
    const { status } = orderProgress(unpaid, { completeWhen: 'fulfilled' }, undefined);
    expect(status).toBe('open');
  });
});

const sold = { ...storeOrder(), pointOfSale: true, paymentGateways: ['cards'] };
const card = { brand: 'Visa', type: 'debit' };
const place = { id: '3', name: undefined };
const staff = { id: '4', name: undefined };

function mapped(order: StoreOrder, changed: Partial<MappingRules> = {}) {
  return mapOrder(order, { ...rules, ...changed }, neverSent);
}

const metadataOf = (order: StoreOrder) => {
  const result = mapped(order);
  return result.kind === 'wanted' && 'order' in result.wanted ? result.wanted.order.Metadatas : [];
};

describe('the store is asked for more of an order', () => {
  const asks = (
    order: Partial<StoreOrder>,
    enrich: MappingRules['enrich'],
    remembered: Parameters<typeof needsEnrichment>[2] = undefined,
  ) => needsEnrichment({ ...sold, ...order }, { enrich }, remembered);

  it('for the card, unless it is known or nothing was paid', () => {
    const cardDetails = true;
    expect(asks({}, { cardDetails })).toBe(true);
    expect(asks({}, {})).toBe(false);
    expect(asks({ card }, { cardDetails })).toBe(false);
    expect(asks({}, { cardDetails }, { card })).toBe(false);
    expect(asks({ paymentGateways: [] }, { cardDetails })).toBe(false);
  });

  it.each([
    [
      'the place',
      'locationNames',
      { location: place },
      { branch: { OriginalId: '3', Name: 'Shop' } },
    ],
    ['the staff', 'staffNames', { staff }, { salesPerson: { OriginalId: '4', Name: 'Kim' } }],
  ] as const)('for the name of %s of a till, unless it is known', (_, wanted, order, known) => {
    const named = Object.entries(order).map(([key, one]) => [key, { ...one, name: 'Named' }]);
    expect(asks(order, { [wanted]: true })).toBe(true);
    expect(asks(order, {})).toBe(false);
    expect(asks({}, { [wanted]: true })).toBe(false);
    expect(asks(Object.fromEntries(named), { [wanted]: true })).toBe(false);
    expect(asks(order, { [wanted]: true }, known)).toBe(false);
    expect(
      asks(
        { location: { ...place, id: '8' }, staff: { ...staff, id: '8' } },
        { [wanted]: true },
        known,
      ),
    ).toBe(true);
    expect(asks({ ...order, pointOfSale: false }, { [wanted]: true })).toBe(false);
  });

  it('for what gift cards paid, where that earns nothing', () => {
    const unknown = { ...sold, paidWithGiftCards: undefined };
    expect(lacksAmounts(unknown, rules)).toBe(true);
    const whenUsed = { ...rules, giftCards: 'earn-when-used' } as const;
    expect(lacksAmounts(unknown, whenUsed)).toBe(false);
    expect(lacksAmounts(unknown, { ...whenUsed, storeCredit: 'by-origin' })).toBe(true);
    expect(lacksAmounts({ ...sold, paidWithGiftCards: giftCards('1') }, rules)).toBe(false);
  });

  it('for what was refunded without lines in another currency, under any rules', () => {
    const unknown = { ...sold, refundedWithoutLines: undefined };
    expect(lacksAmounts(unknown, { ...rules, giftCards: 'earn-when-used' })).toBe(true);
  });
});

describe('an order names', () => {
  it('the card that paid it by one id, however the brand is written', () => {
    const written = { brand: '“Diners  Club”', type: '(credit)' };
    expect(paymentMethod({ ...sold, card: written }, undefined)?.OriginalId).toBe(
      'diners-club-credit',
    );
  });

  it('all that paid it, if that were several', () => {
    const several = { ...sold, paymentGateways: ['cards', 'gift_card'] };
    const entry = { Name: 'payment_gateways', Value: 'cards, gift_card' };
    expect(metadataOf(several)).toContainEqual(entry);
    expect(JSON.stringify(metadataOf(sold))).not.toContain('payment_gateways');
  });

  it('a product by the same line, in any order in which a source lists them', () => {
    const [line] = sold.lines;
    if (!line) throw new Error('the order has no line');
    const lines = ['7', '8', '9'].map((id) => ({ ...line, id, title: `Shirt ${id}` }));
    const of = (listed: typeof lines) => mapped({ ...sold, lines: listed });
    const first = of(lines);
    expect(first).toMatchObject({ wanted: { sold: [{ Title: 'Shirt 7' }] } });
    expect(of(lines.toReversed())).toEqual(first);
  });
});

describe('what store credit was', () => {
  const byOrigin = { storeCredit: 'by-origin' } as const;
  const coat = storeOrder({ shippingCents: 0, fulfilledAfterDays: 1 });
  type Mix = Parameters<typeof storeCredit>[0];
  const paidWith = (mix: Mix, back?: string) => ({
    ...coat,
    paidWithGiftCards: storeCredit(mix, back),
  });
  const later = (mix: Mix, now: Mix, back?: string) =>
    formOf(paidWith(now, back), byOrigin, sent(paidWith(mix), byOrigin)).OrderTotal;

  it('stays what it was counted as, when the account tells less or something else', () => {
    expect(later({ gifts: '20', refunds: '30' }, { unknown: '50' })).toBe(30);
    expect(later({ gifts: '20', refunds: '30' }, { refunds: '50' })).toBe(30);
  });

  it('becomes known when the account tells more', () => {
    expect(later({ unknown: '50' }, { gifts: '20', refunds: '30' })).toBe(30);
  });

  it('is as the account says when another payment was added', () => {
    expect(later({ gifts: '20' }, { gifts: '20', refunds: '30' })).toBe(30);
  });

  it('is known of an order that is read without asking', () => {
    const { apart } = storeCredit({ refunds: '50' });
    const credit = apart && { ...apart.credit, mix: undefined };
    const unasked = {
      ...coat,
      paidWithGiftCards: { ...giftCards('50'), apart: apart && { ...apart, credit } },
    } as StoreOrder;
    expect(formOf(unasked, byOrigin).OrderTotal).toBe(0);
    const before = sent(paidWith({ gifts: '20', refunds: '30' }), byOrigin);
    expect(formOf(unasked, byOrigin, before).OrderTotal).toBe(30);
  });

  it('counts by the rule that the order was sent under', () => {
    const mixed = paidWith({ gifts: '20', refunds: '30' });
    expect(formOf(mixed, byOrigin, sent(mixed)).OrderTotal).toBe(0);
    expect(formOf(mixed, {}, sent(mixed, byOrigin)).OrderTotal).toBe(30);
  });

  it('is known in all states of the book, too', () => {
    const mixed = paidWith({ gifts: '20', refunds: '30' });
    const before = { ...paidWith({ unknown: '50' }), at: PLACED };
    const book = [before, { ...mixed, at: LATER }];
    const { wanted } = wantedOf({ ...mixed, book }, byOrigin);
    expect('past' in wanted && wanted.past).toEqual([
      { at: Date.parse(PLACED), counts: 30_000 },
      { at: Date.parse(LATER), counts: 30_000 },
    ]);
  });

  it('changes the revision of the rules', () => {
    expect(rulesRevision({ ...rules, ...byOrigin })).not.toBe(rulesRevision(rules));
  });

  it('never raises the amount by a refund of shipping', () => {
    const spec = { lines: [lineOf(8000)], shippingCents: 2000, fulfilledAfterDays: 1 };
    const mix = { gifts: '50' };
    const whole = { ...storeOrder(spec), paidWithGiftCards: storeCredit(mix) };
    const { apart, ...net } = storeCredit(mix, '20');
    const forShipping = { returnedForShipping: amount('20') };
    const back = {
      ...storeOrder({ ...spec, shippingRefundedCents: 2000 }),
      paidWithGiftCards: {
        ...{ ...net, ...forShipping },
        apart: apart && { ...apart, credit: { ...apart.credit, ...forShipping } },
      },
    };
    expect(formOf(whole, byOrigin).OrderTotal).toBe(40);
    expect(formOf(back, byOrigin).OrderTotal).toBe(40);
  });
});

describe('the past of an order', () => {
  const coat = storeOrder({ lines: [lineOf(5000)], fulfilledAfterDays: 1 });
  const gone = storeOrder({ lines: [lineOf(5000, { takenBack: 1 })] });
  const pastIn = (order: StoreOrder, changed: Partial<MappingRules> = {}) => {
    const { wanted } = wantedOf(order, changed);
    return 'past' in wanted ? wanted.past : wanted.kind;
  };

  it('is what the store’s book counts by the rules of the order, in thousandths', () => {
    const book = [
      { ...coat, at: PLACED },
      { ...gone, at: LATER },
    ];
    expect(pastIn({ ...coat, book })).toEqual([
      { at: Date.parse(PLACED), counts: 50_000 },
      { at: Date.parse(LATER), counts: 0 },
    ]);
    expect(pastIn({ ...coat, book: [] })).toEqual([]);
  });

  it('is not known without the book, or where one of its states lacks what the rules need', () => {
    expect(pastIn(coat)).toBeUndefined();
    const lacking = { ...coat, paidWithGiftCards: undefined, at: PLACED };
    const book = [lacking, { ...coat, at: LATER }];
    expect(pastIn({ ...coat, book })).toBeUndefined();
    expect(pastIn({ ...coat, book }, { giftCards: 'earn-when-used' })).toHaveLength(2);
    const unstated = { ...coat, refundedWithoutLines: undefined, at: PLACED };
    expect(pastIn({ ...coat, book: [unstated] })).toBeUndefined();
  });

  it('counts by the rules that the order was sent under', () => {
    const bought = { ...coat, lines: coat.lines.map((one) => ({ ...one, giftCard: true })) };
    const book = [{ ...bought, at: PLACED }];
    const before = sent(bought, { giftCards: 'earn-when-bought' });
    const { wanted } = wantedOf({ ...bought, book }, { giftCards: 'never' }, before);
    expect('past' in wanted && wanted.past).toEqual([{ at: Date.parse(PLACED), counts: 50_000 }]);
  });

  it('changed where something was taken out, paid back or lost: then more may have counted', () => {
    const changedIn = (order: StoreOrder) => {
      const { wanted } = wantedOf(order);
      return 'changed' in wanted && wanted.changed;
    };
    expect(changedIn(coat)).toBe(false);
    expect(changedIn({ ...coat, changed: true })).toBe(true);
    expect(changedIn({ ...coat, lostDispute: true })).toBe(true);
    expect(changedIn({ ...coat, paymentStatus: 'voided' })).toBe(true);
    expect(changedIn({ ...coat, paymentStatus: 'expired' })).toBe(true);
  });

  it.each([
    ['EUR', false],
    ['JPY', false],
    ['KWD', true],
  ])('an order in %s has units below a cent: %s', (currency, isFine) => {
    expect(wantedOf({ ...coat, currency }).wanted).toMatchObject({ isFine });
  });
});

describe('a rule of the merchant’s that fails', () => {
  it('with something that is not an error repeats nothing of it', () => {
    const fails = (order: StoreOrder): never => {
      throw order.customer?.email;
    };
    const result = mapped(sold, { document: fails, metadata: fails });
    if (result.kind !== 'fault') throw new Error(result.kind);
    expect(faultText(result)).toBe(
      'connector.config.ts: rules.document threw something that is not an error; rules.metadata threw something that is not an error',
    );
  });
});

const NOW = new Date('2026-10-10T00:00:00Z');
const VERSION = Date.parse('2026-10-09T00:00:00Z');
const order = storeOrder({ fulfilledAfterDays: 1 });
const key = { shop: 'example-store.myshopify.com', kind: 'order', id: order.id } as const;
const entry: EntityEntry = {
  ...{ version: VERSION, appliedKey: 'k', uncertain: false, outcomes: [], revision: 1 },
};
const of = (entity: Snapshot['entity']): Snapshot => ({
  ...{ kind: 'snapshot', entity, version: VERSION, source: 'event' },
});
const map = (entity: Snapshot['entity'], known: EntityEntry) =>
  mapSnapshot(key, of(entity), known, rules, NOW);

describe('an order whose customer was redacted', () => {
  const redactedAt = VERSION + 1;

  it('is left as it is when its old body comes again: it needs no call', () => {
    const before = map({ kind: 'order', order }, entry);
    if (before.kind !== 'wanted') throw new Error(before.kind);
    const appliedKey = idempotencyKey(before.wanted);
    expect(map({ kind: 'order', order }, { ...entry, appliedKey, redactedAt })).toEqual(before);
  });
});

describe('an order without a customer that the service knows', () => {
  it('is not said to be redacted, unless it was', () => {
    const nameless = { kind: 'order', order: { ...order, customer: undefined } } as const;
    expect(map(nameless, entry).kind).toBe('wanted');
    const redacted = map(nameless, { ...entry, redactedAt: VERSION - 1 });
    expect(redacted).toEqual({ kind: 'skip', why: 'redacted' });
  });
});

describe('an order that the store deleted', () => {
  it('keeps the history mark it was sent with, and gets none', () => {
    expect(map({ kind: 'gone' }, { ...entry, history: true })).toHaveProperty('history', true);
    expect(map({ kind: 'gone' }, entry)).not.toHaveProperty('history');
  });
});

describe('rules without a moment of go-live', () => {
  it('are one object for one moment, so that their revision is computed once', async () => {
    const undated = { ...rules, goLive: undefined };
    const ledger = { createdAt: async () => 7 };
    const dated = await withGoLive(undated, 5, ledger);
    expect(dated).toEqual({ ...rules, goLive: new Date(5).toISOString() });
    expect(await withGoLive(undated, 5, ledger)).toBe(dated);
    const created = { goLive: new Date(7).toISOString() };
    expect(await withGoLive(undated, undefined, ledger)).toMatchObject(created);
  });
});
