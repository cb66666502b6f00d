import { lineAmounts, sum } from '../../local/store-sandbox/model/line-amounts.ts';
import { share } from '../../local/store-sandbox/model/minor-units.ts';
import type { OrderRow } from '../../local/store-sandbox/model/order-row.ts';
import { orderTotals } from '../../local/store-sandbox/model/order-totals.ts';

export const GIFT_CARD = 'gift_card';

/**
 * What the customer paid in money for the goods that they keep, in cents: less what was paid back beyond
 * the value of what came back, less the part of the whole order that a gift card paid. Computed from the rows of the
 * store alone.
 */
export function paidForKept(
  order: OrderRow,
  taxesCount: 'exclude' | 'include' = 'exclude',
): number {
  const lines = order.lines.filter(({ kind }) => kind !== 'tip');
  const kept = lines.map((line) => lineAmounts(order, line));
  const goods = sum(kept.map(({ keptNetMinor }) => keptNetMinor));
  const taxes = sum(kept.flatMap(({ keptTaxesMinor }) => keptTaxesMinor));
  const paid = order.taxesIncluded ? goods : goods + taxes;
  const counted = taxesCount === 'include' ? paid : paid - taxes;
  const stated = -sum(
    order.refunds.flatMap(({ discrepancies }) => discrepancies.map(({ minor }) => minor)),
  );
  const extra = Math.max(0, Math.min(stated, paidBackBeyond(order)));
  const whole = orderTotals(order).current.totalMinor - extra;
  if (paid <= extra || whole <= 0) return 0;
  const byGiftCard = order.transactions
    .filter(({ gateway }) => gateway === GIFT_CARD)
    .map(({ kind, minor }) => (kind === 'refund' ? -minor : minor));
  const inMoney = Math.max(0, whole - sum(byGiftCard));
  return share(counted, (paid - extra) * inMoney, paid * whole);
}

/** In cents, beyond all that was taken back until then: what an edit took out may be paid back later. */
function paidBackBeyond(order: OrderRow): number {
  const onTop = order.taxesIncluded ? 0 : 1;
  let [owed, beyond] = [0, 0];
  for (const { id, shipping, transactionIds } of order.refunds) {
    const money = order.transactions.filter((one) => transactionIds.includes(one.id));
    const lines = order.reductions.filter(({ refundId }) => refundId === id);
    owed += sum(lines.map((one) => one.worthMinor + onTop * sum(one.taxesMinor)));
    owed += sum(shipping.map((one) => one.minor + onTop * sum(one.taxesMinor)));
    owed -= sum(money.map(({ minor }) => minor));
    beyond += Math.max(0, -owed);
    owed = Math.max(0, owed);
  }
  return beyond;
}
