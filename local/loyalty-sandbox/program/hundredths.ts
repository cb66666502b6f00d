/*
 * Points and money are counted in whole hundredths, so that sums are exact. Products are formed over
 * the decimal digits of the numbers: 0.29 × 100 is 29, which binary floating point denies.
 */

/**
 * A single record of this amount is counted exactly at every allowed setting. So are sums of them
 * below 2^53 hundredths: ninety thousand such records at the default settings, nine at the extremes.
 */
export const largestAmount = 1_000_000_000;

interface Decimal {
  readonly digits: bigint;
  /** Value = digits / 10^scale. */
  readonly scale: number;
}

function toDecimal(value: number): Decimal {
  const [mantissa = '0', exponent = '0'] = String(value).split('e');
  const [whole = '0', fraction = ''] = mantissa.split('.');
  const digits = BigInt(whole + fraction);
  const scale = fraction.length - Number(exponent);
  return scale >= 0 ? { digits, scale } : { digits: digits * 10n ** BigInt(-scale), scale: 0 };
}

/** a × b in hundredths, cut off towards zero. Both must be finite. */
export function productInHundredths(a: number, b: number): number {
  const [x, y] = [toDecimal(a), toDecimal(b)];
  return Number((x.digits * y.digits * 100n) / 10n ** BigInt(x.scale + y.scale));
}

export function toHundredths(value: number): number {
  return productInHundredths(value, 1);
}

export function fromHundredths(hundredths: number): number {
  return hundredths === 0 ? 0 : hundredths / 100;
}

/** hundredths × factor, cut off towards zero. */
export function scaleUp(hundredths: number, factor: number): number {
  const { digits, scale } = toDecimal(factor);
  return Number((BigInt(hundredths) * digits) / 10n ** BigInt(scale));
}

/** hundredths ÷ divisor, cut off towards zero. The divisor must not be zero. */
export function scaleDown(hundredths: number, divisor: number): number {
  const { digits, scale } = toDecimal(divisor);
  return Number((BigInt(hundredths) * 10n ** BigInt(scale)) / digits);
}
