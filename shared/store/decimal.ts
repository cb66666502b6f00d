/** An exact decimal: `units` of 10^-digits. Whole numbers of any size, so nothing is rounded unless it is asked for. */
export interface Decimal {
  readonly units: bigint;
  readonly digits: number;
}

/** As JavaScript writes a number: `-12.5`, `1e-7`. */
const TEXT = /^(-?\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/;

/** Throws for what is not a finite number. */
export function decimalOf(value: string | number): Decimal {
  const [, whole, fraction = '', exponent = '0'] = TEXT.exec(String(value)) ?? [];
  if (whole === undefined) throw new RangeError('not a decimal');
  const units = BigInt(whole + fraction);
  const digits = fraction.length - Number(exponent);
  return digits < 0 ? { units: units * 10n ** BigInt(-digits), digits: 0 } : { units, digits };
}

export function add(one: Decimal, other: Decimal): Decimal {
  const digits = Math.max(one.digits, other.digits);
  return { units: unitsIn(one, digits) + unitsIn(other, digits), digits };
}

export function times(one: Decimal, other: Decimal): Decimal {
  return { units: one.units * other.units, digits: one.digits + other.digits };
}

/** Rounded half up, away from zero. */
export function divide(dividend: Decimal, divisor: Decimal, digits: number): Decimal {
  const numerator = dividend.units * 10n ** BigInt(divisor.digits + digits);
  const denominator = divisor.units * 10n ** BigInt(dividend.digits);
  const isNegative = numerator < 0n !== denominator < 0n;
  const [above, below] = [sizeOf(numerator), sizeOf(denominator)];
  const units = (2n * above + below) / (2n * below);
  return { units: isNegative ? -units : units, digits };
}

const ONE: Decimal = { units: 1n, digits: 0 };

/** Half up, away from zero. */
export function round(value: Decimal, digits: number): Decimal {
  return value.digits <= digits ? value : divide(value, ONE, digits);
}

/** In its shortest form: `12.5`, never `12.50`, `1.25e1` or `-0`. */
export function textOf({ units, digits }: Decimal): string {
  const all = sizeOf(units)
    .toString()
    .padStart(digits + 1, '0');
  const whole = all.slice(0, all.length - digits);
  let end = all.length;
  while (end > whole.length && all[end - 1] === '0') end -= 1;
  const fraction = all.slice(whole.length, end);
  return `${units < 0n ? '-' : ''}${whole}${fraction === '' ? '' : `.${fraction}`}`;
}

const unitsIn = ({ units, digits: own }: Decimal, digits: number): bigint =>
  units * 10n ** BigInt(digits - own);

const sizeOf = (units: bigint): bigint => (units < 0n ? -units : units);
