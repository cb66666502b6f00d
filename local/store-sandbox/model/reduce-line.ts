import { lineAmounts } from './line-amounts.ts';
import { share } from './minor-units.ts';
import type { LineRow, OrderRow, ReductionRow } from './order-row.ts';
import type { World } from './world.ts';

export interface Reduction {
  readonly lineId: string;
  readonly quantity: number;
  readonly restock?: boolean;
}

type Cause = Pick<ReductionRow, 'refundId' | 'returnId'>;

/**
 * Takes pieces off a line. Their worth is a share of what is left, not of what was sold: whichever
 * way the last piece goes, nothing of the line remains, not even a cent.
 */
export function reduceLine(
  { ids }: Pick<World, 'ids'>,
  order: OrderRow,
  line: LineRow,
  { quantity, restock = true }: Reduction,
  cause: Cause,
  locationId: string | null,
): OrderRow {
  const { kept, keptNetMinor, keptTaxesMinor, unfulfilled } = lineAmounts(order, line);
  const fulfilled = line.kind === 'tip' ? 0 : Math.max(0, quantity - unfulfilled);
  const reduction: ReductionRow = {
    id: ids.next('RefundLineItem'),
    lineId: line.id,
    quantity,
    fulfilled,
    worthMinor: share(keptNetMinor, quantity, kept),
    taxesMinor: keptTaxesMinor.map((minor) => share(minor, quantity, kept)),
    ...cause,
    restock: restock && line.kind !== 'tip' ? (fulfilled > 0 ? 'return' : 'cancel') : 'no_restock',
    locationId: restock ? locationId : null,
  };
  return { ...order, reductions: [...order.reductions, reduction] };
}

/** What is wrong with taking these pieces off, if anything. */
export function checkReductions(
  order: OrderRow,
  reductions: readonly Reduction[],
): string | undefined {
  const wanted = Map.groupBy(reductions, ({ lineId }) => lineId);
  for (const [lineId, group] of wanted) {
    const line = order.lines.find(({ id }) => id === lineId);
    if (!line) return `The order has no line ${lineId}.`;
    const { kept } = lineAmounts(order, line);
    const quantity = group.reduce((sum, one) => sum + one.quantity, 0);
    if (quantity > kept) return `Of line ${lineId} only ${kept} are left.`;
  }
  return undefined;
}
