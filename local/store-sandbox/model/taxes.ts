import { share } from './minor-units.ts';
import type { TaxRow } from './order-row.ts';

export interface TaxRate {
  readonly title: string;
  readonly ratePpm: number;
}

const million = 1_000_000;

/** Each rate is rounded on its own, as it stands on its own line. Included ones share the whole. */
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
