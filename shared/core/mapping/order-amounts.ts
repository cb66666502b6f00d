import {
  type Amount,
  atLeastZero,
  minorDigits,
  multiply,
  share,
  subtract,
  sum,
  ZERO,
} from '../../store/money.ts';
import type { StoreOrder, StoreOrderLine } from '../../store/store-entities.ts';
import type { AmountRules } from './wanted-state.ts';

export interface OrderAmounts {
  readonly total: Amount;
  /** The kept lines that count, with their part of the total; tips and duties are no lines. */
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
 * See docs/decisions/0012-an-order-counts-what-was-paid-for-goods-kept.md.
 */
export function orderAmounts(order: StoreOrder, rules: AmountRules): OrderAmounts {
  const digits = minorDigits(order.currency);
  const kept = order.lines.filter(({ kept: quantity }) => quantity > 0).toSorted(byId);
  const taxOnTop = order.taxesIncluded ? ZERO : sum(kept.map(({ tax }) => tax));
  const goods = sum([order.subtotal, taxOnTop]);
  const isLost = order.lostDispute === true && rules.lostDisputes === 'take-back';
  const refunded = isLost || isUnpaid(order) ? order.total : (order.refundedWithoutLines ?? ZERO);
  const inMoney = paidInMoney(order, rules, refunded);

  const counting = kept
    .filter(({ giftCard }) => !giftCard || rules.giftCards === 'earn-when-bought')
    .map((line) => ({ line, worth: worthOf(line, order, rules) }));
  const worth = sum(counting.map((one) => one.worth));
  const parts: readonly Part[] = [
    // Equal but for rounding: the store's own sum is the exact one.
    [order.subtotal, sum(kept.map((line) => line.paid))],
    [atLeastZero(subtract(goods, refunded)), goods],
    inMoney,
  ];
  const goodsTotal = atLeastZero(shareOf(worth, parts, digits));
  const counted =
    rules.orderTotal === 'subtotal' || kept.length === 0 ? ZERO : extrasOf(order, goods);
  const beyondGoods = atLeastZero(subtract(refunded, goods));
  const extras = shareOf(atLeastZero(subtract(counted, beyondGoods)), [inMoney], digits);
  return {
    total: sum([goodsTotal, extras]),
    lines: spread(goodsTotal, counting, worth, digits),
  };
}

/** True when the rules need what this snapshot does not say. */
export function lacksAmounts(order: StoreOrder, { giftCards }: AmountRules): boolean {
  const lacksGiftCards = giftCards !== 'earn-when-used' && order.paidWithGiftCards === undefined;
  return lacksGiftCards || order.refundedWithoutLines === undefined;
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

/**
 * A refund of shipping must not raise what the goods count: the smaller part counts, of the order as it is and as
 * if the shipping had not been refunded.
 */
function paidInMoney(order: StoreOrder, { giftCards }: AmountRules, refunded: Amount): Part {
  const paid = atLeastZero(subtract(order.total, refunded));
  const gift = order.paidWithGiftCards;
  if (giftCards === 'earn-when-used' || !gift) return [paid, paid];
  const { refunded: shipping } = order.shipping;
  const now = lessGiftCards(paid, gift.net);
  const before = lessGiftCards(sum([paid, shipping]), sum([gift.net, gift.returnedForShipping]));
  return isSmaller(before, now) ? before : now;
}

const lessGiftCards = (paid: Amount, gift: Amount): Part => [
  atLeastZero(subtract(paid, gift)),
  paid,
];

function isSmaller([part, whole]: Part, [other, otherWhole]: Part): boolean {
  return subtract(multiply(part, otherWhole), multiply(other, whole)).startsWith('-');
}

function worthOf({ paid, tax }: StoreOrderLine, order: StoreOrder, { taxes }: AmountRules): Amount {
  switch (taxes) {
    case 'include':
      return order.taxesIncluded ? paid : sum([paid, tax]);
    case 'exclude':
      return order.taxesIncluded ? atLeastZero(subtract(paid, tax)) : paid;
  }
}

/** Tips and duties. */
function extrasOf({ total, shipping }: StoreOrder, goods: Amount): Amount {
  return atLeastZero(subtract(total, sum([goods, shipping.price, shipping.taxOnTop])));
}

/** By the rounded sums up to each line, so that no unit is lost or made. */
function spread(
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

/** Its payment was voided, or the authorization has expired: no money came, whatever was shipped. */
export function isUnpaid({ paymentStatus }: StoreOrder): boolean {
  return paymentStatus === 'voided' || paymentStatus === 'expired';
}
