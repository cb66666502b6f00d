import { amountKept, type SoldLine } from '../../store/kept-line.ts';
import {
  type Amount,
  atLeastZero,
  minorDigits,
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

export function currentTotal(payload: OrderPayload): Amount {
  const stated = payload.current_total_price ?? payload.current_total_price_set?.shop_money.amount;
  if (stated != null) return stated;
  const original = payload.total_price ?? payload.total_price_set?.shop_money.amount ?? ZERO;
  return subtract(original, sum(payload.refunds.map((refund) => refundWorth(refund, payload))));
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

type RefundedLine = RefundPayload['refund_line_items'][number];

/** By the id of the line. Computed once, because an order can have hundreds of lines. */
export function takenBackByLine(
  payload: OrderPayload,
): ReadonlyMap<unknown, SoldLine['takenBack']> {
  const items = payload.refunds.flatMap((refund) => refund.refund_line_items);
  const groups = Map.groupBy(items, (item) => item.line_item_id);
  return new Map(
    [...groups].map(([id, group]) => {
      const quantity = group.reduce((count, item) => count + item.quantity, 0);
      return [id, { quantity, worth: sum(group.map(lineRefund)), tax: sum(group.map(taxRefund)) }];
    }),
  );
}

export function keptOf(
  line: OrderLinePayload,
  takenBack: SoldLine['takenBack'],
  currency: string,
): { readonly kept: number; readonly paid: Amount; readonly tax: Amount } {
  const kept = line.current_quantity ?? Math.max(0, line.quantity - takenBack.quantity);
  const sold = {
    unitPrice: line.price ?? line.price_set?.shop_money.amount ?? ZERO,
    quantity: line.quantity,
    kept,
    discount: discountOf(line),
    tax: sum(line.tax_lines.map((tax) => tax.price ?? ZERO)),
    takenBack,
  };
  return { kept, ...amountKept(sold, currency) };
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
 * A refund of another amount than its lines and shipping are worth has an adjustment with the difference:
 * negative if more was paid back. All refunds count together, because a refund with too little money can be
 * followed by one with the rest. Less money than the lines are worth is a fee, which buys nothing.
 *
 * An edit takes goods out without any money, which may follow in a refund without lines. Which adjustments the
 * store writes then is not documented: such money counts for the goods, and not a second time.
 */
export function refundedWithoutLines(payload: OrderPayload): Amount {
  const { refunds, taxes_included } = payload;
  const differences = refunds
    .flatMap((refund) => refund.order_adjustments)
    .filter((adjustment) => !isOfShipping(adjustment))
    .flatMap(({ amount, tax_amount }) => [
      amount ?? ZERO,
      taxes_included === true ? ZERO : (tax_amount ?? ZERO),
    ]);
  const stated = atLeastZero(subtract(ZERO, sum(differences)));
  return smallest([stated, paidBeyond(payload) ?? stated]) ?? stated;
}

/** What was paid back beyond all that was taken back until then; undefined where the payload does not say it. */
function paidBeyond(payload: OrderPayload): Amount | undefined {
  const inTime = payload.refunds.toSorted((one, other) => momentOf(one) - momentOf(other));
  let owed = ZERO;
  let beyond = ZERO;
  for (const refund of inTime) {
    const money = moneyIn(refund);
    if (money === undefined) return undefined;
    const left = subtract(sum([owed, refundWorth(refund, payload)]), money);
    owed = atLeastZero(left);
    beyond = sum([beyond, atLeastZero(subtract(ZERO, left))]);
  }
  return beyond;
}

const momentOf = ({ created_at, processed_at }: RefundPayload): number =>
  Date.parse(processed_at ?? created_at ?? '') || 0;

const NOT_PAID: ReadonlySet<unknown> = new Set(['failure', 'error']);

/** What the refund paid back, or is about to; undefined where the payload does not say it. */
function moneyIn({ transactions }: RefundPayload): Amount | undefined {
  const paid = transactions?.filter(
    ({ kind, status }) => kind === 'refund' && !NOT_PAID.has(status),
  );
  return paid && sum(paid.map(({ amount }) => amount ?? ZERO));
}

function isOfShipping({ kind, reason }: RefundPayload['order_adjustments'][number]): boolean {
  return kind == null ? reason === 'Shipping refund' : kind === 'shipping_refund';
}

function refundWorth(refund: RefundPayload, payload: OrderPayload): Amount {
  const lines = sum(refund.refund_line_items.map(lineRefund));
  const shipping = shippingRefund(refund);
  if (payload.taxes_included === true) return sum([lines, shipping.price]);
  return sum([lines, ...refund.refund_line_items.map(taxRefund), shipping.price, shipping.tax]);
}

/** Both lists of a payload can hold the same refund, so only one of them is read. */
function shippingRefund(refund: RefundPayload): { readonly price: Amount; readonly tax: Amount } {
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
