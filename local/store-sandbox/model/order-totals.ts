import { discountOf, lineAmounts, shippingAmounts, sum, sumTaxes } from './line-amounts.ts';
import type { OrderRow, TaxRow, TransactionRow } from './rows.ts';

export type OrderTotals = ReturnType<typeof orderTotals>;

/** As sold (including additions by edits), and as it is now. */
export function orderTotals(order: OrderRow) {
  const lines = order.lines.map((line) => ({ line, amounts: lineAmounts(order, line) }));
  const sold = lines.filter(({ line }) => line.kind !== 'tip');
  const tips = lines.filter(({ line }) => line.kind === 'tip');
  const shipping = order.shipping.map((line) => ({ line, amounts: shippingAmounts(order, line) }));

  const linesMinor = sum(sold.map(({ amounts }) => amounts.grossMinor));
  const lineDiscounts = sum(sold.map(({ amounts }) => amounts.discountMinor));
  const shippingMinor = sum(order.shipping.map(({ priceMinor }) => priceMinor));
  const shippingDiscounts = sum(order.shipping.map(discountOf));
  const taxes = groupTaxes([...order.lines, ...order.shipping].flatMap((line) => line.taxes));
  const taxMinor = sumTaxes(taxes);
  const tipMinor = sum(tips.map(({ amounts }) => amounts.grossMinor));
  const subtotalMinor = linesMinor - lineDiscounts;
  const onTop = order.taxesIncluded ? 0 : 1;

  const currentTax = sum([
    ...lines.flatMap(({ amounts }) => amounts.keptTaxesMinor),
    ...shipping.flatMap(({ amounts }) => amounts.currentTaxesMinor),
  ]);
  const currentShipping = sum(shipping.map(({ amounts }) => amounts.currentMinor));
  const currentDuties =
    order.dutiesMinor - sum(order.refunds.map(({ dutiesMinor }) => dutiesMinor));
  const keptFees = order.fees.filter(({ isTakenBack }) => !isTakenBack);
  const additionalFees = order.fees.filter(({ lineType }) => lineType === 'ADDITIONAL_FEE');
  const currentSubtotal = sum(sold.map(({ amounts }) => amounts.keptNetMinor));
  const currentTotal =
    currentSubtotal +
    currentShipping +
    onTop * currentTax +
    sum(tips.map(({ amounts }) => amounts.keptNetMinor)) +
    currentDuties +
    sum(keptFees.map(({ minor }) => minor));
  const { receivedMinor, refundedMinor } = paymentsOf(order);
  const owedMinor = (...statuses: readonly TransactionRow['status'][]) => {
    const back = repaymentsOf(order).filter(({ status }) => statuses.includes(status));
    const ids = new Set(back.map(({ id }) => id));
    const given = order.refunds.filter(({ transactionIds }) =>
      transactionIds.some((id) => ids.has(id)),
    );
    const givenMinor = sum(given.map((refund) => refund.givenMinor));
    return currentTotal - givenMinor - (receivedMinor - sum(back.map(({ minor }) => minor)));
  };
  const totalMinor =
    subtotalMinor +
    shippingMinor -
    shippingDiscounts +
    onTop * taxMinor +
    tipMinor +
    order.dutiesMinor +
    sum(additionalFees.map(({ minor }) => minor));

  return {
    /** Before discounts. */
    linesMinor,
    subtotalMinor,
    /** Before discounts. */
    shippingMinor,
    taxMinor,
    taxes,
    tipMinor,
    totalMinor,
    current: {
      subtotalMinor: currentSubtotal,
      shippingMinor: currentShipping,
      taxMinor: currentTax,
      dutiesMinor: currentDuties,
      /** With fees for returns, which is assumed. */
      totalMinor: currentTotal,
    },
    receivedMinor,
    refundedMinor,
    /** Positive: the customer still owes it. What was given away is owed no more. */
    outstandingMinor: owedMinor('success'),
    /** The same, once all money on its way has arrived. */
    expectedMinor: owedMinor('success', 'pending'),
  };
}

function paymentsOf({ transactions }: OrderRow) {
  const successful = transactions.filter(({ status }) => status === 'success');
  const total = (...kinds: readonly string[]) =>
    sum(successful.filter(({ kind }) => kinds.includes(kind)).map(({ minor }) => minor));
  return { receivedMinor: total('sale', 'capture'), refundedMinor: total('refund') };
}

/** The authorization that can still be captured. */
export function openAuthorization({ transactions }: OrderRow): TransactionRow | undefined {
  const ended = transactions.filter(({ kind }) => kind === 'void').map(({ parentId }) => parentId);
  return transactions.find(
    ({ id, kind, hasExpired }) => kind === 'authorization' && !hasExpired && !ended.includes(id),
  );
}

/** Money that went back or is on its way. */
export const repaymentsOf = ({ transactions }: OrderRow): TransactionRow[] =>
  transactions.filter(({ kind, status }) => kind === 'refund' && status !== 'failure');

/** The order has one line for each kind of tax. */
function groupTaxes(taxes: readonly TaxRow[]): TaxRow[] {
  const groups = Map.groupBy(taxes, ({ title, ratePpm }) => `${ratePpm} ${title}`);
  return [...groups.values()].flatMap(([first, ...others]) =>
    first ? [{ ...first, minor: first.minor + sumTaxes(others) }] : [],
  );
}

type FinancialStatus =
  | 'pending'
  | 'authorized'
  | 'partially_paid'
  | 'paid'
  | 'partially_refunded'
  | 'refunded'
  | 'voided'
  | 'expired';

export function financialStatus(order: OrderRow): FinancialStatus {
  const { receivedMinor, refundedMinor, totalMinor, current } = orderTotals(order);
  if (receivedMinor === 0) {
    if (order.cancelledAt !== null) return 'voided';
    const authorizations = order.transactions.filter(({ kind }) => kind === 'authorization');
    if (openAuthorization(order)) return 'authorized';
    if (authorizations.length > 0) {
      return authorizations.some(({ hasExpired }) => hasExpired) ? 'expired' : 'voided';
    }
    // A free order needs no payment.
    return totalMinor === 0 ? 'paid' : 'pending';
  }
  if (refundedMinor >= receivedMinor) return 'refunded';
  if (refundedMinor > 0) return 'partially_refunded';
  return receivedMinor >= current.totalMinor ? 'paid' : 'partially_paid';
}

type FulfillmentStatus = 'fulfilled' | 'partial' | 'restocked' | null;

export function fulfillmentStatus(order: OrderRow): FulfillmentStatus {
  const lines = order.lines
    .filter(({ kind }) => kind !== 'tip')
    .map((line) => lineAmounts(order, line));
  const sent = sum(
    order.fulfillments.flatMap(({ lines }) => lines.map(({ quantity }) => quantity)),
  );
  const waiting = sum(lines.map(({ unfulfilled }) => unfulfilled));
  if (sent > 0) return waiting === 0 ? 'fulfilled' : 'partial';
  const allGone = lines.every(({ kept }) => kept === 0);
  const restocked = order.reductions.some(({ restock }) => restock !== 'no_restock');
  return allGone && restocked ? 'restocked' : null;
}

export function lineFulfillmentStatus(
  order: OrderRow,
  line: OrderRow['lines'][number],
): 'fulfilled' | 'partial' | null {
  const { unfulfilled } = lineAmounts(order, line);
  const sent = order.fulfillments.some(({ lines }) => lines.some((one) => one.lineId === line.id));
  if (!sent) return null;
  return unfulfilled === 0 ? 'fulfilled' : 'partial';
}

/** Cancelled, or no item or no amount is left. */
export function isEnded(order: OrderRow): boolean {
  if (order.cancelledAt !== null || financialStatus(order) === 'refunded') return true;
  const sold = order.lines.filter(({ kind }) => kind !== 'tip');
  return sold.every((line) => lineAmounts(order, line).kept === 0);
}
