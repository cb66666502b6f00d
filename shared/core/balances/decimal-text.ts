import { decimalOf, round, textOf } from '../../store/money.ts';

/** The store's decimals have 13 digits before the point and 9 behind it. */
const LARGEST = 9_999_999_999_999;
const DECIMALS = 9;

/** Plain and short: `0.3` for 0.30000000000000004; undefined for what the store could not hold. */
export function decimalText(value: number): string | undefined {
  if (!Number.isFinite(value) || Math.abs(value) > LARGEST) return undefined;
  return textOf(round(decimalOf(value), DECIMALS));
}
