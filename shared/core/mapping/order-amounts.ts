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
import { creditLeft } from '../../store/store-credit.ts';
import type { OrderFigures, StoreOrderLine } from '../../store/store-entities.ts';
import type { AmountStepKind } from '../../store/storefront-answers.gen.ts';
import type { AmountRules, AmountStep } from './wanted-state.ts';

export interface OrderAmounts {
  /** The sum of the steps. */
  readonly total: Amount;
  /** How the total came about. Only the first step may be zero. */
  readonly steps: readonly AmountStep[];
  /** The kept lines that count, with their part of the total. */
  readonly lines: readonly { readonly line: StoreOrderLine; readonly counts: Amount }[];
}

/**
 * What an order counts: what the customer really paid for the goods that are kept. docs/mapping.md has
 * examples in figures.
 *
 *   goods that count (without taxes, by the rules)
 *     × the part of all goods that was not refunded without lines
 *     × the part of the whole order that was not paid with gift cards or given store credit
 *
 * So a gift card that pays a part of the order pays the same part of goods, shipping, taxes, duties and tips.
 * It is rounded once, at the end. The lines add up to the total, to the smallest unit.
 * See docs/decisions/0012-an-order-counts-what-was-paid-for-goods-kept.md.
 */
export function orderAmounts(order: OrderFigures, rules: AmountRules): OrderAmounts {
  const digits = minorDigits(order.currency);
  const kept = order.lines.filter(({ kept: quantity }) => quantity > 0).toSorted(byId);
  const taxOnTop = order.taxesIncluded ? ZERO : sum(kept.map(({ tax }) => tax));
  const goods = sum([order.subtotal, taxOnTop]);
  const lost = lossOf(order, rules);
  const refunded = lost ? order.total : (order.refundedWithoutLines ?? ZERO);
  const unearned = paidWithoutEarning(order, rules);
  const inMoney = paidInMoney(order, unearned, refunded);

  const worths = kept.map((line) => ({ line, worth: worthOf(line, order, rules) }));
  const counting = worths.filter(
    ({ line }) => !line.giftCard || rules.giftCards === 'earn-when-bought',
  );
  const worthIn = (lines: typeof worths) => sum(lines.map((one) => one.worth));
  const worth = worthIn(counting);
  // Equal but for rounding: the store's own sum is the exact one.
  const stated: Part = [order.subtotal, sum(kept.map((line) => line.paid))];
  const left: Part = [atLeastZero(subtract(goods, refunded)), goods];
  const counted = (amount: Amount, ...parts: readonly Part[]) =>
    atLeastZero(shareOf(amount, parts, digits));
  const total = counted(worth, stated, left, inMoney);
  const steps = stepsOf([
    { kind: 'goods', upTo: order.subtotal },
    { kind: 'tax', upTo: counted(worthIn(worths), stated) },
    { kind: 'gift-cards-sold', upTo: counted(worth, stated) },
    {
      kind: lost ?? 'refunded-without-lines',
      upTo: counted(worth, stated, left),
      of: refunded,
    },
    ...unearned.map(({ kind, now }, index) => {
      const part = paidInMoney(order, unearned.slice(0, index + 1), refunded);
      return { kind, upTo: counted(worth, stated, left, part), of: now };
    }),
  ]);
  return { total, steps, lines: spread(total, counting, worth, digits) };
}

/** Why the order counts nothing, whatever was shipped. */
function lossOf(order: OrderFigures, { lostDisputes }: AmountRules) {
  if (isUnpaid(order)) return 'never-paid';
  return order.lostDispute && lostDisputes === 'take-back' ? 'dispute-lost' : undefined;
}

/** Each amount is what the step adds to the rounded sum before it: so they add up, whatever is rounded. */
function stepsOf(
  sums: readonly (Omit<AmountStep, 'amount'> & { readonly upTo: Amount })[],
): readonly AmountStep[] {
  const steps = sums.map(({ kind, upTo, of }, index) => {
    const amount = subtract(upTo, sums[index - 1]?.upTo ?? ZERO);
    const isPart = of !== undefined && sum([amount, of]) !== ZERO;
    return { kind, amount, ...(isPart && { of }) };
  });
  return steps.filter(({ kind, amount }) => kind === 'goods' || amount !== ZERO);
}

/** True when the rules need what this snapshot does not say. */
export function lacksAmounts(
  order: OrderFigures,
  { giftCards, storeCredit }: AmountRules,
): boolean {
  const needsGiftCards = giftCards !== 'earn-when-used' || storeCredit === 'by-origin';
  const lacksGiftCards = needsGiftCards && order.paidWithGiftCards === undefined;
  return lacksGiftCards || order.refundedWithoutLines === undefined;
}

type Part = readonly [part: Amount, whole: Amount];

function shareOf(amount: Amount, parts: readonly Part[], digits: number): Amount {
  const known = parts.filter(([part, whole]) => whole !== ZERO && part !== whole);
  const product = (pick: (part: Part) => Amount) =>
    known.map(pick).reduce((one, other) => multiply(one, other), '1' as Amount);
  return share(
    amount,
    product(([part]) => part),
    product(([, whole]) => whole),
    digits,
  );
}

/** A payment that does not earn: as it is, and as if no shipping had been refunded to it. */
interface Unearned {
  readonly kind: AmountStepKind;
  readonly now: Amount;
  readonly before: Amount;
}

/** Of store credit only what certainly came from refunds earns: its points were taken back. */
function paidWithoutEarning(
  { paidWithGiftCards: paid }: OrderFigures,
  { giftCards, storeCredit }: AmountRules,
): readonly Unearned[] {
  if (!paid) return [];
  const { cards, credit } = (storeCredit === 'by-origin' && paid.apart) || { cards: paid };
  const before = ({ net, returnedForShipping }: typeof cards) => sum([net, returnedForShipping]);
  const byCards = { kind: 'paid-with-gift-cards', now: cards.net, before: before(cards) } as const;
  const unearned = giftCards === 'earn-when-used' ? [] : [byCards];
  if (!credit) return unearned;
  const { mix = { gifts: ZERO, refunds: ZERO, unknown: credit.paid } } = credit;
  const left = creditLeft(mix, credit.net);
  const leftBefore = creditLeft(mix, before(credit));
  return [
    ...unearned,
    { kind: 'paid-with-store-credit', now: left.gifts, before: leftBefore.gifts },
    { kind: 'store-credit-not-known', now: left.unknown, before: leftBefore.unknown },
  ];
}

/**
 * A refund of shipping must not raise what the goods count: the smaller part counts, of the order as it is and as
 * if the shipping had not been refunded.
 */
function paidInMoney(order: OrderFigures, unearned: readonly Unearned[], refunded: Amount): Part {
  const paid = atLeastZero(subtract(order.total, refunded));
  if (unearned.length === 0) return [paid, paid];
  const now = lessGiftCards(paid, sum(unearned.map((one) => one.now)));
  const before = lessGiftCards(
    sum([paid, order.shipping.refunded]),
    sum(unearned.map((one) => one.before)),
  );
  return isSmaller(before, now) ? before : now;
}

const lessGiftCards = (paid: Amount, gift: Amount): Part => [
  atLeastZero(subtract(paid, gift)),
  paid,
];

function isSmaller([part, whole]: Part, [other, otherWhole]: Part): boolean {
  return subtract(multiply(part, otherWhole), multiply(other, whole)).startsWith('-');
}

function worthOf(
  { paid, tax }: StoreOrderLine,
  order: OrderFigures,
  { taxes }: AmountRules,
): Amount {
  switch (taxes) {
    case 'include':
      return order.taxesIncluded ? paid : sum([paid, tax]);
    case 'exclude':
      return order.taxesIncluded ? atLeastZero(subtract(paid, tax)) : paid;
  }
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
export function isUnpaid({ paymentStatus }: OrderFigures): boolean {
  return paymentStatus === 'voided' || paymentStatus === 'expired';
}
