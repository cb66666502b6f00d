import {
  type Amount,
  atLeastZero,
  minorDigits,
  readAmount,
  share,
  subtract,
  sum,
  ZERO,
} from '../../store/money.ts';
import type { StoreOrder } from '../../store/order.ts';
import type { OrderRules } from './mapping-rules.ts';
import { amountRulesText, type OrderAmounts, orderAmounts, spread } from './order-amounts.ts';
import { type Counted, type KnownBefore, type RememberedOrder, recallOrder } from './remembered.ts';
import { hasOtherRules, type Mapped } from './wanted-state.ts';

export interface CountedOrder {
  readonly amounts: OrderAmounts;
  readonly counted: Counted;
}

/** Of the first release, which kept no rules. */
const FIRST_RULES = '1';

/**
 * What an order counts. One that was sent as completed keeps the rules by which it was counted: a changed
 * setting or an upgrade takes nothing from it. If its value in the store changes, so does its amount, in
 * proportion.
 * See docs/decisions/0051-an-order-keeps-its-rules.md.
 */
export function countOrder(
  order: StoreOrder,
  rules: OrderRules,
  before: KnownBefore,
  remembered: RememberedOrder | undefined,
): CountedOrder {
  const amounts = orderAmounts(order, rules);
  const { extras } = amounts;
  const value = storeValue(order);
  const current = { rules: amountRulesText(rules), value, ...withExtras(extras) };
  const sent = before.byNewRules ? undefined : sentBefore(order, rules, before, remembered);
  const isFirstValue = sent?.value === ZERO && sent.valueNow !== ZERO;
  if (!sent || sent.rules === current.rules || isFirstValue) return { amounts, counted: current };
  const digits = minorDigits(order.currency);
  const total = keptTotal(sent, digits);
  const keptExtras = sent.extras ?? ZERO;
  const lines = spreadOver(atLeastZero(subtract(total, keptExtras)), amounts, digits);
  return {
    amounts: { total, extras: keptExtras, lines },
    counted: countedBy(sent, order),
  };
}

/**
 * Of two states with the same version: only the rules make them differ. The version alone does not say so,
 * because the store may change an order twice in a second. But by the rules that it keeps, a completed order
 * counts another amount only if the store changed it. What 0.1.0 sent is no such proof: how it counted is a guess.
 */
export function differsByRulesAlone(
  mapped: Mapped | undefined,
  entry: { readonly rules?: string; readonly remembered?: string } | undefined,
): boolean {
  if (mapped?.kind !== 'wanted' || !hasOtherRules(mapped, entry)) return false;
  const { basics, counted } = recallOrder(entry?.remembered) ?? {};
  if (mapped.wanted.kind !== 'order' || !basics || !counted) return true;
  const { OrderTotal, IsCompleted } = mapped.wanted.order;
  // One that was not completed has no points to lose.
  return basics.OrderCompletedDate == null ? !IsCompleted : OrderTotal === basics.OrderTotal;
}

interface SentBefore extends Counted {
  readonly total: Amount;
  /** The value of this snapshot, measured like `value`. */
  readonly valueNow: Amount;
}

function keptTotal({ total, value, valueNow, extras = ZERO }: SentBefore, digits: number): Amount {
  if (value === valueNow) return total;
  return sum([share(subtract(total, extras), valueNow, value, digits), extras]);
}

/** Undefined for an order that was not sent as completed: it has no points to lose. */
function sentBefore(
  order: StoreOrder,
  rules: OrderRules,
  { version = 0 }: KnownBefore,
  remembered: RememberedOrder | undefined,
): SentBefore | undefined {
  const { OrderTotal, OrderCompletedDate } = remembered?.basics ?? {};
  const total = readAmount(OrderTotal);
  if (total === undefined || OrderCompletedDate == null) return undefined;
  const { counted: kept } = remembered ?? {};
  if (kept) return { ...kept, total, valueNow: storeValue(order, kept.ignored) };
  const { counted, extras } = countedByFirstRelease(order, rules, total);
  // The first release ignored amounts refunded without lines. Those from before its last event stay ignored;
  // a refund that has changed the lines says nothing about them.
  const { refundedAt, refundedWithoutLines } = order;
  const isLater = refundedAt !== undefined && Date.parse(refundedAt) > version;
  const isNew = isLater && counted === total;
  const goods = subtract(counted, extras);
  const valueNow = isNew ? atLeastZero(subtract(goods, refundedWithoutLines)) : goods;
  const value = atLeastZero(subtract(total, extras));
  const ignored = isNew ? ZERO : refundedWithoutLines;
  return { rules: FIRST_RULES, value, total, valueNow, ignored, ...withExtras(extras) };
}

/**
 * What the first release would count now. Which `orderTotal` it was sent with is not known: the one by which
 * nothing changed, else that of today.
 */
function countedByFirstRelease(
  { subtotal, total, shipping, lines, taxesIncluded }: StoreOrder,
  { orderTotal }: OrderRules,
  sent: Amount,
): { readonly counted: Amount; readonly extras: Amount } {
  const whole = subtract(total, sum([shipping.price, shipping.taxOnTop]));
  const isWhole = sent === whole || (orderTotal !== 'subtotal' && sent !== subtotal);
  if (!isWhole) return { counted: subtotal, extras: ZERO };
  const taxOnTop = taxesIncluded ? ZERO : sum(lines.map(({ tax }) => tax));
  return { counted: whole, extras: atLeastZero(subtract(whole, sum([subtotal, taxOnTop]))) };
}

const withExtras = (extras: Amount | undefined) =>
  extras !== undefined && extras !== ZERO ? { extras } : {};

function countedBy({ rules, ignored, extras }: Counted, order: StoreOrder): Counted {
  const value = storeValue(order, ignored);
  return { rules, value, ...withExtras(extras), ...(ignored !== undefined && { ignored }) };
}

function storeValue({ subtotal, refundedWithoutLines }: StoreOrder, ignored = ZERO): Amount {
  return atLeastZero(subtract(subtotal, atLeastZero(subtract(refundedWithoutLines, ignored))));
}

/** By what the lines count today: what a line counted when it was sent is not remembered. */
function spreadOver(total: Amount, { lines }: OrderAmounts, digits: number): OrderAmounts['lines'] {
  const counting = lines.map(({ line, counts }) => ({ line, worth: counts }));
  return spread(total, counting, sum(lines.map(({ counts }) => counts)), digits);
}
