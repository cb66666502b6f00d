import {
  type Amount,
  atLeastZero,
  minorDigits,
  multiply,
  share,
  smallest,
  subtract,
  sum,
  ZERO,
} from '../../store/money.ts';
import type { StoreOrder, StoreOrderLine } from '../../store/order.ts';
import type { OrderRules } from './mapping-rules.ts';

export type AmountRules = Pick<OrderRules, 'orderTotal' | 'taxes' | 'giftCards'>;

export interface OrderAmounts {
  readonly total: Amount;
  /** The part of the total that is tips and duties. */
  readonly extras: Amount;
  /** The kept lines that count, with their part of the total. */
  readonly lines: readonly { readonly line: StoreOrderLine; readonly counts: Amount }[];
}

/**
 * What an order counts: what the customer really paid for the goods that are kept. docs/mapping.md has
 * examples in figures.
 *
 *   goods that count (without taxes, by the rules)
 *     × the part of all goods that was not refunded without lines
 *     × the part of the whole order that was not paid with gift cards
 *
 * So a gift card that pays a part of the order pays the same part of goods, shipping, taxes, duties and tips.
 * It is rounded once, at the end. The lines add up to the goods in the total, to the smallest unit.
 * See docs/decisions/0048-what-an-order-counts.md.
 */
export function orderAmounts(order: StoreOrder, rules: AmountRules): OrderAmounts {
  const digits = minorDigits(order.currency);
  const kept = order.lines.filter(({ kept: quantity }) => quantity > 0).toSorted(byId);
  const taxOnTop = order.taxesIncluded ? ZERO : sum(kept.map(({ tax }) => tax));
  const goods = sum([order.subtotal, taxOnTop]);
  const goodsLeft = atLeastZero(subtract(goods, order.refundedWithoutLines));
  const paid = atLeastZero(subtract(order.total, order.refundedWithoutLines));
  const paidInMoney = subtract(paid, giftCardPayment(order, rules, paid));

  const counting = kept
    .filter(({ giftCard }) => !giftCard || rules.giftCards === 'earn-when-bought')
    .map((line) => ({ line, worth: worthOf(line, order, rules) }));
  const worth = sum(counting.map((one) => one.worth));
  const parts: readonly Part[] = [
    // Equal but for rounding: the store's own sum is the exact one.
    [order.subtotal, sum(kept.map((line) => line.paid))],
    [goodsLeft, goods],
    [paidInMoney, paid],
  ];
  const goodsTotal = atLeastZero(shareOf(worth, parts, digits));
  const extras = extrasOf(order, rules, goods, [paidInMoney, paid], digits);
  return {
    total: sum([goodsTotal, extras]),
    extras,
    lines: spread(goodsTotal, counting, worth, digits),
  };
}

/** True when the rules need what this snapshot does not say. */
export function needsPayments(order: StoreOrder, { giftCards }: AmountRules): boolean {
  return giftCards !== 'earn-when-used' && order.paidWithGiftCards === undefined;
}

/** Changes when the same order could count another amount. Kept with what was sent. */
export function amountRulesText({ orderTotal, taxes, giftCards }: AmountRules): string {
  return `2 ${orderTotal} taxes:${taxes} gift-cards:${giftCards}`;
}

/** A part and its whole. */
type Part = readonly [part: Amount, whole: Amount];

function shareOf(amount: Amount, parts: readonly Part[], digits: number): Amount {
  const known = parts.filter(([, whole]) => whole !== ZERO);
  const product = (pick: (part: Part) => Amount) =>
    known.map(pick).reduce((one, other) => multiply(one, other), '1' as Amount);
  return share(
    amount,
    product(([part]) => part),
    product(([, whole]) => whole),
    digits,
  );
}

function giftCardPayment(order: StoreOrder, { giftCards }: AmountRules, most: Amount): Amount {
  if (giftCards === 'earn-when-used') return ZERO;
  return smallest([order.paidWithGiftCards ?? ZERO, most]) ?? ZERO;
}

function worthOf({ paid, tax }: StoreOrderLine, order: StoreOrder, { taxes }: AmountRules): Amount {
  switch (taxes) {
    case 'include':
      return order.taxesIncluded ? paid : sum([paid, tax]);
    case 'exclude':
      return order.taxesIncluded ? atLeastZero(subtract(paid, tax)) : paid;
  }
}

/** Tips and duties, where the rules count them. */
function extrasOf(
  { total, shipping }: StoreOrder,
  { orderTotal }: AmountRules,
  goods: Amount,
  paidInMoney: Part,
  digits: number,
): Amount {
  if (orderTotal === 'subtotal') return ZERO;
  const extras = subtract(total, sum([goods, shipping.price, shipping.taxOnTop]));
  return shareOf(atLeastZero(extras), [paidInMoney], digits);
}

/** By the rounded sums up to each line, so that no unit is lost or made. */
export function spread(
  total: Amount,
  counting: readonly { readonly line: StoreOrderLine; readonly worth: Amount }[],
  worth: Amount,
  digits: number,
): OrderAmounts['lines'] {
  let before = ZERO;
  let given = ZERO;
  return counting.map(({ line, worth: own }) => {
    before = sum([before, own]);
    const upTo = worth === ZERO ? ZERO : share(total, before, worth, digits);
    const counts = subtract(upTo, given);
    given = upTo;
    return { line, counts };
  });
}

/** Sources list the lines of one order differently, and the result must be the same. */
export function byId(one: StoreOrderLine, other: StoreOrderLine): number {
  return one.id < other.id ? -1 : 1;
}
