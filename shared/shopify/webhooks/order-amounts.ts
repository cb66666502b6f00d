import { amountKept, type SoldLine } from '../../store/kept-line.ts';
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
import type { OrderLinePayload, OrderPayload, RefundPayload } from './order-payload.ts';

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
 * Money that was paid back beyond the worth of all that was taken back. Which came first does not matter: goods that
 * an edit takes out can be paid back before and after. Less money than that is a fee, which buys nothing.
 *
 * A refund of another amount than its lines and shipping are worth has adjustments with the difference, negative if
 * more was paid back. These bound the amount, because money also goes back for what no list names. Positive ones do not
 * reduce the bound: while money is pending, a refund has +X until it has settled.
 *
 * Undefined: only the store can say it, because transactions are in the customer's currency (Shopify, "Transaction").
 */
export function refundedWithoutLines(
  payload: OrderPayload,
  lines: readonly LineAmounts[],
): Amount | undefined {
  const stated = statedBeyondLines(payload);
  if (stated === ZERO) return ZERO;
  const money = moneyBack(payload);
  if (money === undefined) return undefined;
  const beyond = atLeastZero(subtract(money, worthTakenBack(payload, lines)));
  return smallest([stated, beyond]);
}

function statedBeyondLines(payload: OrderPayload): Amount {
  const differences = payload.refunds
    .flatMap((refund) => refund.order_adjustments)
    .filter((adjustment) => !isOfShipping(adjustment))
    .map(({ amount, tax_amount }) => withTax(payload, amount ?? ZERO, tax_amount ?? ZERO));
  return sum(differences.map((difference) => atLeastZero(subtract(ZERO, difference))));
}

/** In the shop's currency; undefined where the payload does not say it. Pending money is not back yet. */
function moneyBack({ refunds, currency, presentment_currency }: OrderPayload): Amount | undefined {
  let money = ZERO;
  for (const { transactions } of refunds) {
    if (!transactions) return undefined;
    for (const one of transactions) {
      if (one.kind !== 'refund' || one.status !== 'success') continue;
      if ((one.currency ?? presentment_currency ?? currency) !== currency) return undefined;
      money = sum([money, one.amount ?? ZERO]);
    }
  }
  return money;
}

/** By refunds, returns and edits: lines, shipping and duties. */
function worthTakenBack(payload: OrderPayload, lines: readonly LineAmounts[]): Amount {
  const duties = payload.refunds.map(
    ({ total_duties_set }) => total_duties_set?.shop_money.amount ?? ZERO,
  );
  const gone = lines.map(({ takenBack }) => takenBack);
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
export function shippingRefund(refund: RefundPayload): {
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
