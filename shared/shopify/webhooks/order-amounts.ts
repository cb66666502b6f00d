import * as v from 'valibot';
import {
  type Amount,
  atLeastZero,
  minorDigits,
  multiply,
  share,
  smallest,
  subtract,
  sum,
  sumBelowZero,
  withoutSign,
  ZERO,
} from '../../store/money.ts';
import { entityId } from '../entity-id.ts';
import {
  amount,
  anyOf,
  customerFields,
  filled,
  flag,
  hasCustomerId,
  id,
  list,
  moment,
  moneySet,
  nullIfEmpty,
  optional,
  quantity,
  text,
  together,
} from './payload-fields.ts';

/** What the order costs after edits, returns and refunds, and what was paid back besides. */
export function currentAmounts(payload: OrderPayload) {
  const { refunds } = payload;
  const all = lineAmounts(payload);
  // Tips are listed as lines, but are no products and not part of the subtotal.
  const lines = all.filter(({ isTip }) => !isTip).map(({ line }) => line);
  // Where nothing is kept, the Admin API is not asked for refunds.
  const isKept = lines.some(({ kept }) => kept > 0);
  const shippingBack = addUp(refunds.flatMap(shippingRefunds));
  const takenOut = sum([
    ...all.map((one) => one.takenOut),
    ...refunds.map((refund) => refund.total_duties_set ?? ZERO),
    withTax(payload, shippingBack),
  ]);
  const total = payload.current_total_price;
  const { outstanding, refundedWithoutLines } = paidBack(payload, total, takenOut);
  return {
    lines,
    subtotal: payload.current_subtotal_price,
    total,
    shipping: {
      ...currentShipping(payload),
      refunded: isKept ? withTax(payload, shippingBack) : ZERO,
    },
    outstanding,
    refundedWithoutLines: isKept ? refundedWithoutLines : ZERO,
    changed: refunds.length > 0 || all.some(({ isWhole }) => !isWhole) || mayBeDiscounted(payload),
  };
}

/** Longer than a till or a draft needs from the order to its last change. */
const PLACED_AT_ONCE_MS = 10 * 60_000;

/** An edit adds discounts as a person does, and no field says when. At first, none was added since. */
function mayBeDiscounted(payload: OrderPayload): boolean {
  const { discount_applications, updated_at, processed_at, created_at } = payload;
  const age = Date.parse(updated_at) - Date.parse(processed_at ?? created_at ?? '');
  return age > PLACED_AT_ONCE_MS && discount_applications.some(({ type }) => type === 'manual');
}

/** The tax is a part of the worth if the order's prices include taxes. */
interface Worth {
  readonly worth: Amount;
  readonly tax: Amount;
}

const addUp = (parts: readonly Worth[]): Worth => ({
  worth: sum(parts.map(({ worth }) => worth)),
  tax: sum(parts.map(({ tax }) => tax)),
});

const withTax = ({ taxes_included }: OrderPayload, { worth, tax }: Worth): Amount =>
  taxes_included ? worth : sum([worth, tax]);

/** What is left of it. No version states the tax after a refund of shipping, so it shrinks in proportion to the price. */
function currentShipping(payload: OrderPayload) {
  const price = payload.current_shipping_price_set;
  const charged = payload.shipping_lines.filter((line) => line.is_removed !== true);
  const original = sum(
    charged.map((line) =>
      smallest([subtract(line.price, discountOf(line)), line.discounted_price ?? line.price]),
    ),
  );
  if (payload.taxes_included || original === ZERO) return { price, taxOnTop: ZERO };
  const taxes = sum(charged.map(taxOf));
  return { price, taxOnTop: share(taxes, price, original, minorDigits(payload.currency)) };
}

/** Of all lines, tips included. */
function lineAmounts(payload: OrderPayload) {
  const items = payload.refunds.flatMap((refund) => refund.refund_line_items);
  // Added up once: a payload can have any number of lines, of refunds, and of lines with the same id.
  const groups = [...Map.groupBy(items, (item) => item.line_item_id)];
  const takenBacks = new Map(groups.map(([id, ofLine]) => [id, takenBackIn(ofLine)] as const));
  return payload.line_items.map((line) => {
    const { quantity, current_quantity: kept } = line;
    const takenBack = takenBacks.get(line.id) ?? takenBackIn([]);
    const worth = subtract(multiply(line.price, quantity), discountOf(line));
    const sold = { quantity, worth, tax: taxOf(line) };
    const left = amountKept({ sold, kept, takenBack }, payload.currency);
    return {
      line: {
        id: line.id,
        productId: line.product_id ?? undefined,
        title: filled(line.title) ?? filled(line.name) ?? '',
        vendor: filled(line.vendor),
        giftCard: line.gift_card,
        ...{ kept, paid: left.worth, tax: left.tax },
      },
      isTip: line.tip_payment_gateway !== undefined,
      isWhole: kept === quantity,
      takenOut: subtract(withTax(payload, sold), withTax(payload, left)),
    };
  });
}

function takenBackIn(items: RefundPayload['refund_line_items']): Pieces {
  // The `_set` first: only here the flat field is a JSON number, which may have lost digits.
  const parts = items.map((item) => ({
    worth: item.subtotal_set ?? item.subtotal,
    tax: item.total_tax_set ?? item.total_tax,
  }));
  return { ...addUp(parts), quantity: items.reduce((count, item) => count + item.quantity, 0) };
}

const discountOf = (line: Pick<OrderLinePayload, 'discount_allocations'>): Amount =>
  sum(line.discount_allocations.map((allocation) => allocation.amount));

const taxOf = (line: Pick<OrderLinePayload, 'tax_lines'>): Amount =>
  sum(line.tax_lines.map((tax) => tax.price));

/**
 * `refundedWithoutLines` is money that was paid back and is not explained by what was taken out, whichever came first: so
 * much less than the order's total was received for it in the end. Less money than was taken out is a fee, which buys
 * nothing. What was given away is not outstanding, whether or not the store counts it as owed again.
 *
 * A refund of another amount than its lines and shipping are worth has adjustments with the difference, negative if
 * more was paid back. These bound the amount: what was never paid is no refund. Positive ones do not reduce the bound:
 * while money is pending, a refund has +X until it has settled.
 *
 * Undefined where only the store can say it: no webhook has what was received, and its transactions are in the
 * customer's currency (Shopify, "Transaction").
 */
function paidBack(payload: OrderPayload, total: Amount, takenOut: Amount) {
  const { refunds, total_outstanding, total_received: received } = payload;
  const outstanding = total_outstanding ?? undefined;
  const differences = refunds
    .flatMap((refund) => refund.order_adjustments)
    .filter((adjustment) => !isOfShipping(adjustment))
    .map(({ amount: worth, tax_amount: tax }) => withTax(payload, { worth, tax }));
  const stated = sumBelowZero(differences);
  if (stated === ZERO) return { outstanding, refundedWithoutLines: ZERO };
  if (received == null) return { outstanding: undefined, refundedWithoutLines: undefined };
  // Pending money is not back yet.
  const back = refunds
    .flatMap(({ transactions }) => transactions)
    .filter(({ kind, status }) => kind === 'refund' && status === 'success');
  const money = {
    ...{ total, received, stated, takenOut },
    back: sum(back.map((transaction) => transaction.amount)),
    owed: outstanding && atLeastZero(outstanding),
  };
  const given = givenAway(money);
  const stillOwed = atLeastZero(subtract(missingOf(money), given));
  return { outstanding: stillOwed, refundedWithoutLines: given };
}

/** What was received and went back, as far as it is known. */
interface MoneyOfOrder {
  readonly total: Amount;
  readonly received: Amount;
  readonly back: Amount;
  /** What went back beyond what was taken out, as the store states it. */
  readonly stated: Amount;
  /** What all that was taken out by refunds, returns and edits is worth: lines, shipping and duties. */
  readonly takenOut: Amount;
  /** What is still to be paid, as the store states it. Undefined where it does not say it. */
  readonly owed: Amount | undefined;
}

const missingOf = ({ total, received, back }: MoneyOfOrder): Amount =>
  atLeastZero(sum([subtract(total, received), back]));

/**
 * Of what went back, what is missing of the total and is not owed; at most what the store states. Whether the store
 * counts what it gave away as owed again is not documented. If it does, all that is missing is owed: then it is what went
 * back beyond the worth of what was taken out.
 */
export function givenAway(money: MoneyOfOrder): Amount {
  const { stated, back, owed, takenOut } = money;
  const missing = missingOf(money);
  const given = owed === undefined ? ZERO : atLeastZero(subtract(missing, owed));
  const beyond = atLeastZero(subtract(back, takenOut));
  return smallest([stated, back, ...(given === ZERO ? [missing, beyond] : [given])]);
}

function isOfShipping({ kind, reason }: RefundPayload['order_adjustments'][number]): boolean {
  return kind == null ? reason === 'Shipping refund' : kind === 'shipping_refund';
}

/** Both lists of a payload can hold the same refund, so only one of them is read. */
function shippingRefunds({ refund_shipping_lines, order_adjustments }: RefundPayload): Worth[] {
  const lines = refund_shipping_lines.map((line) => ({
    worth: line.subtotal_amount_set ?? ZERO,
    tax: line.tax_amount_set ?? ZERO,
  }));
  const adjustments = order_adjustments.filter(isOfShipping).map(({ amount, tax_amount }) => ({
    worth: withoutSign(amount),
    tax: withoutSign(tax_amount),
  }));
  return lines.length > 0 ? lines : adjustments;
}

interface Pieces extends Worth {
  readonly quantity: number;
}

/** A line of an order, as sold and after edits, returns and refunds. */
interface SoldLine {
  /** Including additions by edits, less all discounts and the line's share of order discounts. */
  readonly sold: Pieces;
  /** The quantity left after edits, returns and refunds. */
  readonly kept: number;
  /** What was removed or refunded, with the value and tax according to the store. */
  readonly takenBack: Pieces;
}

/**
 * What the customer paid for the quantity still kept, and the taxes on it.
 *
 * The store's own figures are preferred: a discount of 1.00 on three items cannot be split evenly, and
 * only the store knows which item has the extra cent. Items that came back without a refund are in no record:
 * the rest is then shared among them and the kept ones, and rounded to the currency.
 */
export function amountKept({ sold, kept, takenBack }: SoldLine, currency: string): Worth {
  const { quantity } = sold;
  const unrecorded = quantity - takenBack.quantity;
  const digits = minorDigits(currency);
  const keptOf = (field: keyof Worth): Amount => {
    if (kept <= 0 || quantity <= 0) return ZERO;
    if (kept === quantity) return atLeastZero(sold[field]);
    // Fewer than are kept: the records cannot be right.
    if (unrecorded < kept) return atLeastZero(share(sold[field], kept, quantity, digits));
    return atLeastZero(share(subtract(sold[field], takenBack[field]), kept, unrecorded, digits));
  };
  return { worth: keptOf('worth'), tax: keptOf('tax') };
}

const amountOrZero = v.nullish(amount, ZERO);
const allocations = list(v.object({ amount }));
const taxLines = list(v.object({ price: amountOrZero }));

const line = v.object({
  id,
  product_id: optional(id),
  title: optional(text),
  name: optional(text),
  vendor: optional(text),
  gift_card: v.nullish(flag, false),
  quantity,
  current_quantity: quantity,
  price: amount,
  discount_allocations: allocations,
  tax_lines: taxLines,
  /** Only tips have this key, often with the value null. */
  tip_payment_gateway: optional(text),
  attributed_staffs: list(v.object({ id: optional(text) })),
});

const shippingLine = v.object({
  price: amountOrZero,
  discounted_price: optional(amount),
  is_removed: optional(flag),
  tax_lines: taxLines,
  discount_allocations: allocations,
});

const refund = v.object({
  created_at: optional(moment),
  processed_at: optional(moment),
  refund_line_items: list(
    v.object({
      line_item_id: optional(id),
      quantity,
      subtotal: amountOrZero,
      subtotal_set: optional(moneySet),
      total_tax: amountOrZero,
      total_tax_set: optional(moneySet),
    }),
  ),
  refund_shipping_lines: list(
    v.object({ subtotal_amount_set: optional(moneySet), tax_amount_set: optional(moneySet) }),
  ),
  order_adjustments: list(
    v.object({
      /** Deprecated by Shopify since 2024-10; then only the reason distinguishes shipping. */
      kind: optional(text),
      reason: optional(text),
      amount: amountOrZero,
      tax_amount: amountOrZero,
    }),
  ),
  total_duties_set: optional(moneySet),
  transactions: list(
    v.object({ kind: optional(text), status: optional(text), amount: amountOrZero }),
  ),
});

/** Used only together with what was received, which no webhook says: the Admin API does. */
export const BESIDE_RECEIVED: ReadonlySet<string> = new Set([
  'total_received',
  'transactions',
  'total_duties_set',
]);

/** The fields that are used of an order's webhook. Shopify serves no version that lacks one of those that are required. */
export const orderPayload = v.pipe(
  v.object({
    id: optional(id),
    admin_graphql_api_id: optional(text),
    name: optional(text),
    created_at: optional(moment),
    processed_at: optional(moment),
    updated_at: moment,
    cancelled_at: optional(moment),
    closed_at: optional(moment),
    test: v.nullish(flag, false),
    source_name: optional(text),
    currency: text,
    taxes_included: v.nullish(flag, false),
    financial_status: optional(text),
    fulfillment_status: optional(text),
    fulfillments: list(v.object({ status: optional(text), created_at: optional(moment) })),
    line_items: list(line),
    shipping_lines: list(shippingLine),
    refunds: list(refund),
    current_subtotal_price: amount,
    current_total_price: amount,
    current_shipping_price_set: moneySet,
    total_outstanding: optional(amount),
    total_received: optional(amount),
    discount_applications: list(v.object({ type: optional(text), code: optional(text) })),
    payment_gateway_names: list(text),
    location_id: optional(id),
    user_id: optional(id),
    note_attributes: list(v.object({ name: v.nullish(text, ''), value: v.nullish(text, '') })),
    email: optional(text),
    phone: optional(text),
    customer: nullIfEmpty(optional(v.pipe(v.object(customerFields), hasCustomerId))),
  }),
  together(['id', 'admin_graphql_api_id'], (payload) => entityId(payload, 'Order') !== undefined),
  anyOf(['processed_at', 'created_at'], 'is missing, and so is created_at'),
);

export type OrderPayload = v.InferOutput<typeof orderPayload>;
type OrderLinePayload = v.InferOutput<typeof line>;
type RefundPayload = v.InferOutput<typeof refund>;
