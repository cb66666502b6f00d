import { share } from './minor-units.ts';
import type { LineRow, OrderRow, ReductionRow, ShippingRow, TaxRow } from './rows.ts';
import type { World } from './world.ts';

export const discountOf = ({ allocations }: Pick<LineRow, 'allocations'>): number =>
  allocations.reduce((sum, { minor }) => sum + minor, 0);

/** One line as it was sold and as it is now. The order says whether tax is included or on top. */
export function lineAmounts(order: OrderRow, line: LineRow) {
  const reductions = order.reductions.filter(({ lineId }) => lineId === line.id);
  const sent = order.fulfillments
    .flatMap(({ lines }) => lines)
    .filter(({ lineId }) => lineId === line.id)
    .reduce((sum, { quantity }) => sum + quantity, 0);
  const taken = sum(reductions.map(({ quantity }) => quantity));
  const takenAfterSending = sum(reductions.map(({ fulfilled }) => fulfilled));
  const grossMinor = line.unitMinor * line.quantity;
  const discountMinor = discountOf(line);
  return {
    grossMinor,
    discountMinor,
    taxMinor: sumTaxes(line.taxes),
    kept: line.quantity - taken,
    keptNetMinor: grossMinor - discountMinor - sum(reductions.map(({ worthMinor }) => worthMinor)),
    keptTaxesMinor: line.taxes.map(
      ({ minor }, i) => minor - sum(reductions.map(({ taxesMinor }) => taxesMinor[i] ?? 0)),
    ),
    /** How many items can still be fulfilled. */
    unfulfilled: line.kind === 'tip' ? 0 : line.quantity - sent - (taken - takenAfterSending),
    fulfilled: sent - takenAfterSending,
  };
}

export function shippingAmounts(order: OrderRow, line: ShippingRow) {
  const refunds = order.refunds.flatMap(({ shipping }) =>
    shipping.filter(({ shippingId }) => shippingId === line.id),
  );
  const discountedMinor = line.priceMinor - discountOf(line);
  const left = line.isRemoved ? 0 : 1;
  return {
    discountedMinor,
    currentMinor: left * (discountedMinor - sum(refunds.map(({ minor }) => minor))),
    currentTaxesMinor: line.taxes.map(
      ({ minor }, i) => left * (minor - sum(refunds.map(({ taxesMinor }) => taxesMinor[i] ?? 0))),
    ),
  };
}

export const sum = (values: readonly number[]): number =>
  values.reduce((total, value) => total + value, 0);

export interface TaxRate {
  readonly title: string;
  readonly ratePpm: number;
}

const million = 1_000_000;

/** Each rate is rounded separately, because it has its own line. Included taxes share the whole. */
export function taxesOn(
  netMinor: number,
  rates: readonly TaxRate[],
  taxesIncluded: boolean,
): TaxRow[] {
  const sumPpm = rates.reduce((sum, { ratePpm }) => sum + ratePpm, 0);
  const whole = taxesIncluded ? million + sumPpm : million;
  return rates.map(({ title, ratePpm }) => ({
    title,
    ratePpm,
    minor: share(netMinor, ratePpm, whole),
  }));
}

export const sumTaxes = (taxes: readonly Pick<TaxRow, 'minor'>[]): number =>
  taxes.reduce((sum, { minor }) => sum + minor, 0);

export interface Reduction {
  readonly lineId: string;
  readonly quantity: number;
  readonly restock?: boolean;
}

type Cause = Pick<ReductionRow, 'refundId' | 'returnId'>;

/**
 * Removes items from a line. Their value is a share of what is left, not of what was sold, so that
 * after the last item no cent of the line remains.
 */
export function reduceLine(
  { ids }: Pick<World, 'ids'>,
  order: OrderRow,
  line: LineRow,
  { quantity, restock = true }: Reduction,
  cause: Cause,
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
  };
  return { ...order, reductions: [...order.reductions, reduction] };
}

/** Why these items cannot be removed; undefined when they can. */
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
