import { allocate, share } from './minor-units.ts';
import type { AllocationRow, ApplicationRow } from './order-row.ts';

/** A line or a shipping line that discounts may reduce. */
interface Target {
  readonly grossMinor: number;
  readonly quantity: number;
  /** False for gift cards and tips. */
  readonly discountable: boolean;
}

export interface Discount {
  readonly application: ApplicationRow;
  /** Indexes of the entitled lines; undefined means all of its kind. */
  readonly lines?: readonly number[];
}

/**
 * Applies one discount after the other, each to what the earlier ones left. The amount of a discount is
 * rounded once and then split into whole units, so that its shares always add up to it.
 */
export function applyDiscounts(
  lines: readonly Target[],
  shipping: readonly Target[],
  discounts: readonly Discount[],
): { readonly lines: AllocationRow[][]; readonly shipping: AllocationRow[][] } {
  const remaining = {
    line_item: lines.map(({ grossMinor }) => grossMinor),
    shipping_line: shipping.map(({ grossMinor }) => grossMinor),
  };
  const allocated = {
    line_item: lines.map((): AllocationRow[] => []),
    shipping_line: shipping.map((): AllocationRow[] => []),
  };
  discounts.forEach(({ application, lines: entitled }, index) => {
    const { target } = application;
    const targets = target === 'line_item' ? lines : shipping;
    const left = remaining[target];
    const base = targets.map(({ discountable }, i) =>
      discountable && (!entitled || entitled.includes(i)) ? (left[i] ?? 0) : 0,
    );
    sharesOf(application, base, targets).forEach((minor, i) => {
      if (minor === 0) return;
      left[i] = (left[i] ?? 0) - minor;
      allocated[target][i]?.push({ application: index, minor });
    });
  });
  return { lines: allocated.line_item, shipping: allocated.shipping_line };
}

function sharesOf(
  { value, method }: ApplicationRow,
  base: readonly number[],
  targets: readonly Target[],
): number[] {
  const whole = base.reduce((sum, minor) => sum + minor, 0);
  if (value.kind === 'percentage') {
    return allocate(Math.min(whole, share(whole, value.ppm, 1_000_000)), base);
  }
  if (method === 'each') {
    return base.map((minor, i) => Math.min(minor, value.minor * (targets[i]?.quantity ?? 0)));
  }
  return allocate(Math.min(whole, value.minor), base);
}
