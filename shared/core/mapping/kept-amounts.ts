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
import type { Counted, KnownBefore, RememberedOrder } from './remembered.ts';

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
  const current = { rules: amountRulesText(rules), value: storeValue(order) };
  const sent = before.byNewRules ? undefined : sentBefore(order, rules, before, remembered);
  const isFirstValue = sent?.value === ZERO && sent.valueNow !== ZERO;
  if (!sent || sent.rules === current.rules || isFirstValue) return { amounts, counted: current };
  const digits = minorDigits(order.currency);
  const isSame = sent.value === sent.valueNow;
  const total = isSame ? sent.total : share(sent.total, sent.valueNow, sent.value, digits);
  return {
    amounts: { total, lines: spreadOver(total, amounts, digits) },
    counted: countedBy(sent, order),
  };
}

interface SentBefore extends Counted {
  readonly total: Amount;
  /** The value of this snapshot, measured like `value`. */
  readonly valueNow: Amount;
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
  const { refundedAt, refundedWithoutLines, subtotal, shipping } = order;
  const counted =
    rules.orderTotal === 'subtotal'
      ? subtotal
      : subtract(order.total, sum([shipping.price, shipping.taxOnTop]));
  // The first release ignored amounts refunded without lines. Those from before its last event stay ignored;
  // a refund that has changed the lines says nothing about them.
  const isLater = refundedAt !== undefined && Date.parse(refundedAt) > version;
  const isNew = isLater && counted === total;
  const valueNow = isNew ? atLeastZero(subtract(counted, refundedWithoutLines)) : counted;
  const ignored = isNew || refundedWithoutLines === ZERO ? {} : { ignored: refundedWithoutLines };
  return { rules: FIRST_RULES, value: total, total, valueNow, ...ignored };
}

function countedBy({ rules, ignored }: Counted, order: StoreOrder): Counted {
  const value = storeValue(order, ignored);
  return { rules, value, ...(ignored !== undefined && { ignored }) };
}

function storeValue({ subtotal, refundedWithoutLines }: StoreOrder, ignored = ZERO): Amount {
  return atLeastZero(subtract(subtotal, atLeastZero(subtract(refundedWithoutLines, ignored))));
}

/** By what the lines count today: what a line counted when it was sent is not remembered. */
function spreadOver(total: Amount, { lines }: OrderAmounts, digits: number): OrderAmounts['lines'] {
  const counting = lines.map(({ line, counts }) => ({ line, worth: counts }));
  return spread(total, counting, sum(lines.map(({ counts }) => counts)), digits);
}
