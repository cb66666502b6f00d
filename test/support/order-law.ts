import {
  financialStatus,
  fulfillmentStatus,
  orderTotals,
} from '../../local/store-sandbox/model/order-totals.ts';
import type { LineRow, OrderRow, TransactionRow } from '../../local/store-sandbox/model/rows.ts';

/*
 * What an order counts, written from docs/mapping.md and the rows of the store alone. It shares no arithmetic with
 * the connector: amounts are whole minor units as bigint, and shares are exact fractions until the one rounding.
 */

/** The settings that an order is counted by. */
export interface LawRules {
  readonly taxes: 'exclude' | 'include';
  readonly giftCards: 'earn-when-bought' | 'earn-when-used' | 'never';
  readonly completeWhen: 'fulfilled' | 'paid';
  readonly lostDisputes: 'ignore' | 'take-back';
}

export const usualRules: LawRules = {
  taxes: 'exclude',
  giftCards: 'earn-when-bought',
  completeWhen: 'fulfilled',
  lostDisputes: 'ignore',
};

type Standing =
  /** Cancelled, or all its money went back: cancelled in the service, for good. */
  | { readonly kind: 'over' }
  /** Nothing is kept, and it is paid: the middle of an exchange, which changes nothing. */
  | { readonly kind: 'exchange' }
  /** `isComplete`: by itself, as it is now. An order that was completed before stays so. */
  | { readonly kind: 'open'; readonly isComplete: boolean; readonly minor: bigint };

/** What docs/mapping.md says for this state of an order ("States"). */
export function standingOf(order: OrderRow, rules: LawRules): Standing {
  const status = financialStatus(order);
  if (order.cancelledAt !== null || status === 'refunded') return { kind: 'over' };
  const keepsNothing = goodsOf(order).every((line) => keptOf(order, line).pieces === 0n);
  if (keepsNothing && status === 'paid') return { kind: 'exchange' };
  const isUnpaid = status === 'voided' || status === 'expired';
  const isComplete =
    rules.completeWhen === 'fulfilled'
      ? fulfillmentStatus(order) === 'fulfilled' && !isUnpaid
      : status === 'paid' || (status === 'partially_refunded' && owed(order) <= 0n);
  const isLost =
    rules.lostDisputes === 'take-back' &&
    order.disputes.some(({ status }) => status === 'lost' || status === 'accepted');
  const minor = keepsNothing || isUnpaid || isLost ? 0n : amountDue(order, rules);
  return { kind: 'open', isComplete, minor };
}

/** What its goods earn ("How the amount is computed"), in minor units of the shop's currency. */
function amountDue(order: OrderRow, rules: LawRules): bigint {
  const lines = goodsOf(order).map((line) => ({ line, ...keptOf(order, line) }));
  // 1 to 3: the goods as they are paid, and the part of that which counts.
  const paid = sum(lines.map((one) => one.net + (order.taxesIncluded ? 0n : one.tax)));
  const counted = sum(
    lines
      .filter(({ line }) => line.kind !== 'gift-card' || rules.giftCards === 'earn-when-bought')
      .map(({ net, tax }) => countedOf(net, tax, order, rules)),
  );
  // 4: money that went back without goods lowers the goods.
  const back = paidBackBeyond(order);
  const paidLeft = atLeast0(paid - back);
  // 5: gift cards pay their share of everything that is left.
  const share =
    rules.giftCards === 'earn-when-used'
      ? { part: 1n, whole: 1n }
      : smaller(
          paidInMoney(order, back, { shippingRefunded: true }),
          paidInMoney(order, back, { shippingRefunded: false }),
        );
  // 6: one rounding.
  const goods = paid === 0n ? { part: 0n, whole: 1n } : { part: counted * paidLeft, whole: paid };
  return roundHalfUp(goods.part * share.part, goods.whole * share.whole);
}

/**
 * Two bounds that need no proportions: an order never counts more than its goods cost with their taxes, nor more than
 * the money that the store has or is still owed for it.
 */
export function mostThatCounts(order: OrderRow, rules: LawRules): bigint {
  const lines = goodsOf(order).map((line) => keptOf(order, line));
  const cost = sum(lines.map(({ net, tax }) => net + (order.taxesIncluded ? 0n : tax)));
  const byGiftCards = rules.giftCards === 'earn-when-used' ? 0n : giftCardMoney(order);
  const kept = received(order) - repaid(order) - owedToCustomer(order);
  const money = kept + atLeast0(owed(order)) - byGiftCards;
  return min(cost, atLeast0(money));
}

/**
 * How many of the smallest coins no source decides. Of a return without a refund, nobody says which piece had the odd
 * coin of a tax, nor the line's discount once an edit added pieces without one.
 */
export function oddCoins(order: OrderRow): bigint {
  const returned = order.reductions.filter(({ refundId }) => refundId === undefined);
  return sum(
    returned.map(({ lineId }) => {
      const line = order.lines.find(({ id }) => id === lineId);
      return 1n + sum(line?.allocations.map(minorOf) ?? []);
    }),
  );
}

interface Fraction {
  readonly part: bigint;
  readonly whole: bigint;
}

/** The share of all that is left which was, or will be, paid in money. */
function paidInMoney(
  order: OrderRow,
  back: bigint,
  { shippingRefunded }: { readonly shippingRefunded: boolean },
): Fraction {
  const shipping = shippingRefunded ? 0n : sum(order.refunds.map((one) => shippingOf(order, one)));
  const toGiftCards = shippingRefunded
    ? 0n
    : sum(
        order.refunds.map((one) => {
          const money = order.transactions.filter(({ id }) => one.transactionIds.includes(id));
          const given = sum(money.filter(isGiftCard).filter(isThere).map(minorOf));
          // Of a refund that takes goods back as well, at most its shipping.
          return min(given, shippingOf(order, one));
        }),
      );
  // A refund may go to new store credit: no more went back to gift cards than they paid.
  const returned = min(toGiftCards, paidByGiftCards(order));
  const whole = atLeast0(currentTotal(order) - back) + shipping;
  if (whole === 0n) return { part: 0n, whole: 1n };
  return { part: atLeast0(whole - giftCardMoney(order) - returned), whole };
}

const smaller = (a: Fraction, b: Fraction): Fraction =>
  a.part * b.whole <= b.part * a.whole ? a : b;

const minorOf = ({ minor }: { readonly minor: number }): bigint => BigInt(minor);
const isThere = ({ status }: TransactionRow): boolean => status === 'success';
const isGiftCard = ({ gateway }: TransactionRow): boolean =>
  gateway === 'gift_card' || gateway === 'shopify_store_credit';
const isPayment = ({ kind }: TransactionRow): boolean => kind === 'sale' || kind === 'capture';
const isRepayment = ({ kind }: TransactionRow): boolean => kind === 'refund';

const received = ({ transactions }: OrderRow): bigint =>
  sum(transactions.filter(isPayment).filter(isThere).map(minorOf));
const repaid = ({ transactions }: OrderRow): bigint =>
  sum(transactions.filter(isRepayment).filter(isThere).map(minorOf));

const paidByGiftCards = ({ transactions }: OrderRow): bigint =>
  sum(transactions.filter(isGiftCard).filter(isPayment).filter(isThere).map(minorOf));

/** More was received and not paid back than the order costs now. */
const owedToCustomer = (order: OrderRow): bigint =>
  atLeast0(received(order) - repaid(order) - currentTotal(order));

/**
 * Paid with gift cards and store credit, less what went back to them. While the store owes the customer money, they
 * count as if they got it back first.
 */
function giftCardMoney(order: OrderRow): bigint {
  const theirs = order.transactions.filter(isGiftCard).filter(isRepayment).filter(isThere);
  const left = atLeast0(paidByGiftCards(order) - sum(theirs.map(minorOf)));
  return atLeast0(left - owedToCustomer(order));
}

/** All money that went back, less what was paid, or is still owed, beyond what is kept; whichever came first. */
function paidBackBeyond(order: OrderRow): bigint {
  const beyondKept = received(order) + atLeast0(owed(order)) - currentTotal(order);
  return atLeast0(repaid(order) - atLeast0(beyondKept));
}

function takenBack(order: OrderRow): bigint {
  const lines = order.reductions.map((one) => {
    const taxes = sum(one.taxesMinor.map(BigInt));
    return BigInt(one.worthMinor) + (order.taxesIncluded ? 0n : taxes);
  });
  const shipping = order.refunds.map((one) => shippingOf(order, one));
  const duties = order.refunds.map((one) => BigInt(one.dutiesMinor));
  return sum([...lines, ...shipping, ...duties]);
}

/** The shipping that a refund gives back, with its taxes on top. */
function shippingOf(order: OrderRow, { shipping }: OrderRow['refunds'][number]): bigint {
  return sum(
    shipping.map((one) => {
      const taxes = sum(one.taxesMinor.map(BigInt));
      return BigInt(one.minor) + (order.taxesIncluded ? 0n : taxes);
    }),
  );
}

/** Everything that was ever sold, with taxes, shipping, tips and duties. */
function soldTotal(order: OrderRow): bigint {
  const items = [...order.lines.map(priceOf), ...order.shipping.map(shippingPriceOf)];
  const taxes = [...order.lines, ...order.shipping].flatMap((one) => one.taxes.map(minorOf));
  return sum(items) + (order.taxesIncluded ? 0n : sum(taxes)) + BigInt(order.dutiesMinor);
}

const currentTotal = (order: OrderRow): bigint => soldTotal(order) - takenBack(order);

/** Positive: the customer owes it. */
const owed = (order: OrderRow): bigint => BigInt(orderTotals(order).outstandingMinor);

const goodsOf = ({ lines }: OrderRow): LineRow[] => lines.filter(({ kind }) => kind !== 'tip');

/** The line less all that was taken back of it. */
function keptOf(order: OrderRow, line: LineRow) {
  const taken = order.reductions.filter(({ lineId }) => lineId === line.id);
  const soldTaxes = sum(line.taxes.map(minorOf));
  const takenTaxes = sum(taken.flatMap(({ taxesMinor }) => taxesMinor.map(BigInt)));
  return {
    pieces: BigInt(line.quantity) - sum(taken.map(({ quantity }) => BigInt(quantity))),
    net: priceOf(line) - sum(taken.map(({ worthMinor }) => BigInt(worthMinor))),
    tax: soldTaxes - takenTaxes,
  };
}

const priceOf = ({ unitMinor, quantity, allocations }: LineRow): bigint =>
  BigInt(unitMinor) * BigInt(quantity) - sum(allocations.map(minorOf));

const shippingPriceOf = ({ priceMinor, allocations }: OrderRow['shipping'][number]): bigint =>
  BigInt(priceMinor) - sum(allocations.map(minorOf));

function countedOf(net: bigint, tax: bigint, { taxesIncluded }: OrderRow, { taxes }: LawRules) {
  if (taxes === 'include') return taxesIncluded ? net : net + tax;
  return taxesIncluded ? net - tax : net;
}

const sum = (values: readonly bigint[]): bigint => values.reduce((total, one) => total + one, 0n);
const min = (a: bigint, b: bigint): bigint => (a < b ? a : b);
const atLeast0 = (value: bigint): bigint => (value > 0n ? value : 0n);

/** Of a fraction that is not negative. */
const roundHalfUp = (part: bigint, whole: bigint): bigint => (2n * part + whole) / (2n * whole);
