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
  withoutSign,
  ZERO,
} from '../../store/money.ts';
import { entityId } from '../entity-id.ts';
import {
  amount,
  customerFields,
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

/** `current_*` is absent in old API versions. */
export function currentSubtotal(payload: OrderPayload, linesPaid: readonly Amount[]): Amount {
  return (
    payload.current_subtotal_price ??
    payload.current_subtotal_price_set?.shop_money.amount ??
    sum(linesPaid)
  );
}

export function currentTotal(payload: OrderPayload, lines: readonly LineAmounts[]): Amount {
  const stated = payload.current_total_price ?? payload.current_total_price_set?.shop_money.amount;
  if (stated != null) return stated;
  const original = payload.total_price ?? payload.total_price_set?.shop_money.amount ?? ZERO;
  return subtract(original, worthTakenBack(payload, lines));
}

/** After discounts and refunds. A removed shipping line costs nothing. */
export function currentShipping(payload: OrderPayload): {
  readonly price: Amount;
  readonly taxOnTop: Amount;
} {
  const charged = payload.shipping_lines.filter((line) => line.is_removed !== true);
  const prices = charged.map((line) => {
    const price = line.price ?? ZERO;
    const allocated = subtract(price, discountOf(line));
    return smallest([allocated, line.discounted_price ?? price]) ?? ZERO;
  });
  const original = sum(prices);
  const price =
    payload.current_shipping_price_set?.shop_money.amount ??
    atLeastZero(
      subtract(original, sum(payload.refunds.map((refund) => shippingRefund(refund).price))),
    );
  if (payload.taxes_included === true) return { price, taxOnTop: ZERO };

  const taxes = charged.flatMap((line) => line.tax_lines.map((tax) => tax.price ?? ZERO));
  // No version states the tax after a refund of shipping, so it shrinks in proportion to the price.
  const taxOnTop =
    original === ZERO ? ZERO : share(sum(taxes), price, original, minorDigits(payload.currency));
  return { price, taxOnTop };
}

export interface LineAmounts {
  readonly line: OrderLinePayload;
  readonly kept: number;
  readonly paid: Amount;
  readonly tax: Amount;
  /** The worth of what is not kept, with its tax if that comes on top. */
  readonly takenBack: Amount;
}

type RefundedLine = RefundPayload['refund_line_items'][number];

const NOTHING = { quantity: 0, worth: ZERO, tax: ZERO };

/** Of all lines, tips included. */
export function lineAmounts(payload: OrderPayload): readonly LineAmounts[] {
  const items = payload.refunds.flatMap((refund) => refund.refund_line_items);
  // Added up once, because an order can have hundreds of lines.
  const groups = Map.groupBy(items, (item) => item.line_item_id);
  const sums = new Map([...groups].map(([id, group]) => [id, takenBackIn(group)]));
  return payload.line_items.map((line) => {
    const takenBack = sums.get(line.id) ?? NOTHING;
    const kept = line.current_quantity ?? Math.max(0, line.quantity - takenBack.quantity);
    const unitPrice = line.price ?? line.price_set?.shop_money.amount ?? ZERO;
    const sold = {
      ...{ unitPrice, quantity: line.quantity, kept, takenBack },
      discount: discountOf(line),
      tax: sum(line.tax_lines.map((tax) => tax.price ?? ZERO)),
    };
    const { paid, tax } = amountKept(sold, payload.currency);
    const net = subtract(multiply(unitPrice, line.quantity), sold.discount);
    const gone = withTax(payload, subtract(net, paid), subtract(sold.tax, tax));
    return { line, kept, paid, tax, takenBack: gone };
  });
}

function takenBackIn(items: readonly RefundedLine[]): SoldLine['takenBack'] {
  const quantity = items.reduce((count, item) => count + item.quantity, 0);
  return { quantity, worth: sum(items.map(lineRefund)), tax: sum(items.map(taxRefund)) };
}

function discountOf({
  discount_allocations,
}: Pick<OrderLinePayload, 'discount_allocations'>): Amount {
  return sum(discount_allocations.map((allocation) => allocation.amount));
}

function lineRefund(item: RefundedLine): Amount {
  // The `_set` first: only here the flat field is a JSON number, which may have lost digits.
  return item.subtotal_set?.shop_money.amount ?? item.subtotal ?? ZERO;
}

function taxRefund(item: RefundedLine): Amount {
  return item.total_tax_set?.shop_money.amount ?? item.total_tax ?? ZERO;
}

/**
 * Money that was paid back and is not explained by what was taken out, whichever came first: so much less than the
 * order's total was received for it in the end. Less money than was taken out is a fee, which buys nothing.
 *
 * A refund of another amount than its lines and shipping are worth has adjustments with the difference, negative if
 * more was paid back. These bound the amount: what was never paid is no refund. Positive ones do not reduce the bound:
 * while money is pending, a refund has +X until it has settled.
 *
 * Undefined where only the store can say it: no webhook has what was received, and its transactions are in the
 * customer's currency (Shopify, "Transaction").
 */
export function refundedWithoutLines(payload: OrderPayload, order: Counted): Amount | undefined {
  const money = moneyIn(payload, order);
  return money && givenAway(money);
}

interface Counted {
  readonly total: Amount;
  readonly lines: readonly LineAmounts[];
}

/** What is still to be paid. What was given away is not, whether or not the store counts it as owed again. */
export function outstandingIn(payload: OrderPayload, order: Counted): Amount | undefined {
  const { total_outstanding: stated } = payload;
  if (statedBeyondLines(payload) === ZERO) return stated ?? undefined;
  const money = moneyIn(payload, order);
  return money && atLeastZero(subtract(missingOf(money), givenAway(money)));
}

/** What was received and went back, as far as it is known. */
export interface MoneyOfOrder {
  readonly total: Amount;
  readonly received: Amount;
  readonly back: Amount;
  /** What went back beyond what was taken out, as the store states it. */
  readonly stated: Amount;
  /** What all that was taken out is worth. */
  readonly takenOut: Amount;
  /** What is still to be paid, as the store states it. Undefined where it does not say it. */
  readonly owed: Amount | undefined;
}

function moneyIn(payload: OrderPayload, { total, lines }: Counted): MoneyOfOrder | undefined {
  const stated = statedBeyondLines(payload);
  const { total_received: received } = payload;
  if (received == null) return stated === ZERO ? { ...NO_MONEY, total } : undefined;
  const { total_outstanding } = payload;
  const owed = total_outstanding == null ? undefined : atLeastZero(total_outstanding);
  const takenOut = worthTakenBack(payload, lines);
  return { stated, received, total, takenOut, owed, back: moneyBack(payload) };
}

const NO_MONEY = { received: ZERO, back: ZERO, stated: ZERO, takenOut: ZERO, owed: ZERO };

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
  return smallest([stated, back, ...(given === ZERO ? [missing, beyond] : [given])]) ?? ZERO;
}

function statedBeyondLines(payload: OrderPayload): Amount {
  const differences = payload.refunds
    .flatMap((refund) => refund.order_adjustments)
    .filter((adjustment) => !isOfShipping(adjustment))
    .map(({ amount, tax_amount }) => withTax(payload, amount ?? ZERO, tax_amount ?? ZERO));
  return sum(differences.map((difference) => atLeastZero(subtract(ZERO, difference))));
}

/** Pending money is not back yet. */
function moneyBack({ refunds }: OrderPayload): Amount {
  const all = refunds.flatMap(({ transactions }) => transactions ?? []);
  const back = all.filter(({ kind, status }) => kind === 'refund' && status === 'success');
  return sum(back.map((one) => one.amount ?? ZERO));
}

/** By refunds, returns and edits: lines, shipping and duties. */
function worthTakenBack(payload: OrderPayload, lines: readonly LineAmounts[]): Amount {
  const gone = lines.map(({ takenBack }) => takenBack);
  const duties = payload.refunds.map((one) => one.total_duties_set?.shop_money.amount ?? ZERO);
  return sum([...gone, ...duties, refundedShipping(payload)]);
}

/** With its taxes, where they come on top. */
export function refundedShipping(payload: OrderPayload): Amount {
  const refunds = payload.refunds.map(shippingRefund);
  return sum(refunds.map(({ price, tax }) => withTax(payload, price, tax)));
}

function withTax({ taxes_included }: OrderPayload, amount: Amount, tax: Amount): Amount {
  return taxes_included === true ? amount : sum([amount, tax]);
}

function isOfShipping({ kind, reason }: RefundPayload['order_adjustments'][number]): boolean {
  return kind == null ? reason === 'Shipping refund' : kind === 'shipping_refund';
}

/** Both lists of a payload can hold the same refund, so only one of them is read. */
function shippingRefund(refund: RefundPayload): {
  readonly price: Amount;
  readonly tax: Amount;
} {
  if (refund.refund_shipping_lines.length > 0) {
    const lines = refund.refund_shipping_lines;
    return {
      price: sum(lines.map((line) => line.subtotal_amount_set?.shop_money.amount ?? ZERO)),
      tax: sum(lines.map((line) => line.tax_amount_set?.shop_money.amount ?? ZERO)),
    };
  }
  const adjustments = refund.order_adjustments.filter(isOfShipping);
  return {
    price: sum(adjustments.map((adjustment) => withoutSign(adjustment.amount ?? ZERO))),
    tax: sum(adjustments.map((adjustment) => withoutSign(adjustment.tax_amount ?? ZERO))),
  };
}

/** A line of an order, as sold and after edits, returns and refunds. Every source knows these fields. */
interface SoldLine {
  readonly unitPrice: Amount;
  /** As sold, including additions by edits. */
  readonly quantity: number;
  /** The quantity left after edits, returns and refunds. */
  readonly kept: number;
  /** All discounts on the line, including its share of order discounts. */
  readonly discount: Amount;
  /** On the quantity sold. */
  readonly tax: Amount;
  /** What was removed or refunded, with the value and tax according to the store. */
  readonly takenBack: { readonly quantity: number; readonly worth: Amount; readonly tax: Amount };
}

/**
 * What the customer paid for the quantity still kept, and the taxes on it.
 *
 * The store's own figures are preferred: a discount of 1.00 on three items cannot be split evenly, and
 * only the store knows which item has the extra cent. Items that came back without a refund are in no record:
 * the rest is then shared among them and the kept ones, and rounded to the currency.
 */
export function amountKept(
  line: SoldLine,
  currency: string,
): { readonly paid: Amount; readonly tax: Amount } {
  const { quantity, kept, takenBack } = line;
  if (kept <= 0 || quantity <= 0) return { paid: ZERO, tax: ZERO };
  const keptOf = (sold: Amount, back: Amount): Amount => {
    if (kept === quantity) return atLeastZero(sold);
    const unrecorded = quantity - takenBack.quantity;
    // Fewer than are kept: the records cannot be right.
    return unrecorded < kept
      ? atLeastZero(share(sold, kept, quantity, minorDigits(currency)))
      : atLeastZero(share(subtract(sold, back), kept, unrecorded, minorDigits(currency)));
  };
  const sold = subtract(multiply(line.unitPrice, quantity), line.discount);
  return { paid: keptOf(sold, takenBack.worth), tax: keptOf(line.tax, takenBack.tax) };
}

const allocations = list(v.object({ amount }));
const taxLines = list(v.object({ price: optional(amount) }));

const line = v.pipe(
  v.object({
    id,
    product_id: optional(id),
    title: optional(text),
    name: optional(text),
    vendor: optional(text),
    gift_card: optional(flag),
    quantity,
    /** Absent before API 2023. */
    current_quantity: optional(quantity),
    price: optional(amount),
    price_set: optional(moneySet),
    discount_allocations: allocations,
    tax_lines: taxLines,
    /** Only tips have this key, often with the value null. */
    tip_payment_gateway: optional(text),
    attributed_staffs: list(v.object({ id: optional(text) })),
  }),
  together(['price', 'price_set'], ({ price, price_set }) => (price ?? price_set) != null),
);

const shippingLine = v.object({
  price: optional(amount),
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
      subtotal: optional(amount),
      subtotal_set: optional(moneySet),
      total_tax: optional(amount),
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
      amount: optional(amount),
      tax_amount: optional(amount),
    }),
  ),
  total_duties_set: optional(moneySet),
  transactions: optional(
    v.array(
      v.object({
        kind: optional(text),
        status: optional(text),
        amount: optional(amount),
        /** The customer's, and that of the amount. */
        currency: optional(text),
        processed_at: optional(moment),
      }),
    ),
  ),
});

const customer = v.pipe(v.object(customerFields), hasCustomerId);

/** The fields that are used of an order's webhook, in every version since 2020. */
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
    test: optional(flag),
    source_name: optional(text),
    currency: text,
    taxes_included: optional(flag),
    financial_status: optional(text),
    fulfillment_status: optional(text),
    fulfillments: list(v.object({ status: optional(text), created_at: optional(moment) })),
    line_items: list(line),
    shipping_lines: list(shippingLine),
    refunds: list(refund),
    current_subtotal_price: optional(amount),
    current_subtotal_price_set: optional(moneySet),
    current_total_price: optional(amount),
    current_total_price_set: optional(moneySet),
    current_shipping_price_set: optional(moneySet),
    /** Absent before API 2022. */
    total_outstanding: optional(amount),
    /** In no webhook: the Admin API says it. */
    total_received: optional(amount),
    total_price: optional(amount),
    total_price_set: optional(moneySet),
    discount_applications: optional(
      v.array(v.object({ type: optional(text), code: optional(text) })),
    ),
    discount_codes: list(v.object({ code: optional(text) })),
    payment_gateway_names: list(text),
    /** Only in old versions. */
    payment_details: optional(v.object({ credit_card_company: optional(text) })),
    location_id: optional(id),
    user_id: optional(id),
    note_attributes: list(v.object({ name: optional(text), value: optional(text) })),
    email: optional(text),
    phone: optional(text),
    customer: nullIfEmpty(optional(customer)),
  }),
  together(['id', 'admin_graphql_api_id'], (payload) => entityId(payload, 'Order') !== undefined),
  together(
    ['processed_at', 'created_at'],
    (payload) => (payload.processed_at ?? payload.created_at) != null,
    'is missing, and so is created_at',
  ),
  together(
    ['total_price', 'current_total_price', 'current_total_price_set', 'total_price_set'],
    (payload) =>
      (payload.current_total_price ??
        payload.current_total_price_set ??
        payload.total_price ??
        payload.total_price_set) != null,
    'is missing, and so is current_total_price',
  ),
);

export type OrderPayload = v.InferOutput<typeof orderPayload>;
type OrderLinePayload = v.InferOutput<typeof line>;
type RefundPayload = v.InferOutput<typeof refund>;
