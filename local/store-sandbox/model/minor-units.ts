/** Amounts in the store are whole numbers of the currency's smallest unit, so that sums are exact. */

/** `12.50`, as webhooks write it; a currency without a minor unit has no point. */
export function formatMinor(minor: number, digits: number): string {
  const text = String(Math.abs(minor)).padStart(digits + 1, '0');
  const sign = minor < 0 ? '-' : '';
  if (digits === 0) return sign + text;
  return `${sign}${text.slice(0, -digits)}.${text.slice(-digits)}`;
}

/** `12.5`, as GraphQL writes it: at least one digit after the point, no zeros beyond it. */
export function formatDecimal(minor: number, digits: number): string {
  const [whole = '0', fraction = ''] = formatMinor(minor, digits).split('.');
  return `${whole}.${fraction.replace(/0+$/, '') || '0'}`;
}

/** Undefined if not an amount of this currency, such as a tenth of a cent. */
export function parseMinor(text: string | number, digits: number): number | undefined {
  const match = /^(\d{1,11})(?:\.(\d+))?$/.exec(String(text));
  if (!match) return undefined;
  const [, whole = '', fraction = ''] = match;
  const kept = fraction.replace(/0+$/, '');
  if (kept.length > digits) return undefined;
  return Number(whole + kept.padEnd(digits, '0'));
}

/** `amount × part / whole`, rounded half up. In BigInt, because the product may exceed 2^53. */
export function share(amount: number, part: number, whole: number): number {
  if (whole === 0) return 0;
  const product = BigInt(amount) * BigInt(part);
  return Number((product * 2n + BigInt(whole)) / (BigInt(whole) * 2n));
}

/**
 * Splits an amount by weight into whole units: the shares add up to it, and none exceeds its weight if
 * the amount does not exceed the sum of the weights. Units left by rounding go to the largest
 * remainders, the first of equal ones first.
 */
export function allocate(amount: number, weights: readonly number[]): number[] {
  const sum = weights.reduce((total, weight) => total + weight, 0);
  if (sum === 0) return weights.map(() => 0);
  const exact = weights.map((weight) => BigInt(amount) * BigInt(weight));
  const pieces = exact.map((product) => Number(product / BigInt(sum)));
  const left = amount - pieces.reduce((total, piece) => total + piece, 0);
  const byRemainder = exact
    .map((product, index) => ({ index, remainder: product % BigInt(sum) }))
    .sort((a, b) => (a.remainder === b.remainder ? 0 : a.remainder > b.remainder ? -1 : 1))
    .slice(0, left);
  for (const { index } of byRemainder) pieces[index] = (pieces[index] ?? 0) + 1;
  return pieces;
}
