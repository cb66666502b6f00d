import type { LineRow, OrderRow, ShippingRow } from './order-row.ts';
import { sumTaxes } from './taxes.ts';

/** One line as it was sold and as it stands. The tax is included or on top, as the order says. */
export interface LineAmounts {
  readonly grossMinor: number;
  readonly discountMinor: number;
  readonly taxMinor: number;
  readonly kept: number;
  readonly keptNetMinor: number;
  readonly keptTaxesMinor: readonly number[];
  /** Pieces that could still be sent out. */
  readonly unfulfilled: number;
  readonly fulfilled: number;
}

export const discountOf = ({ allocations }: Pick<LineRow, 'allocations'>): number =>
  allocations.reduce((sum, { minor }) => sum + minor, 0);

export function lineAmounts(order: OrderRow, line: LineRow): LineAmounts {
  const reductions = order.reductions.filter(({ lineId }) => lineId === line.id);
  const sent = order.fulfillments
    .filter(({ status }) => status === 'success')
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
    unfulfilled: line.kind === 'tip' ? 0 : line.quantity - sent - (taken - takenAfterSending),
    fulfilled: sent - takenAfterSending,
  };
}

export interface ShippingAmounts {
  readonly discountedMinor: number;
  readonly currentMinor: number;
  readonly currentTaxesMinor: readonly number[];
}

export function shippingAmounts(order: OrderRow, line: ShippingRow): ShippingAmounts {
  const refunds = order.refunds.flatMap(({ shipping }) =>
    shipping.filter(({ shippingId }) => shippingId === line.id),
  );
  const discountedMinor = line.priceMinor - discountOf(line);
  return {
    discountedMinor,
    currentMinor: discountedMinor - sum(refunds.map(({ minor }) => minor)),
    currentTaxesMinor: line.taxes.map(
      ({ minor }, i) => minor - sum(refunds.map(({ taxesMinor }) => taxesMinor[i] ?? 0)),
    ),
  };
}

export const sum = (values: readonly number[]): number =>
  values.reduce((total, value) => total + value, 0);
