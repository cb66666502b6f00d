declare const exact: unique symbol;

/**
 * An exact decimal in plain notation, always in its shortest form: `12.5`, never `12.50`, `1.25e1`
 * or `-0`. A string, so that equal amounts are equal with `===`, in a deep comparison, in
 * JSON and in a hash.
 */
export type Amount = string & { readonly [exact]: true };

export const ZERO = '0' as Amount;

/**
 * Bounded and without exponents: `1e999999999` would need more memory than there is. Eighteen digits
 * are more than any currency needs.
 */
const PLAIN_DECIMAL = /^-?\d{1,18}(?:\.\d{1,12})?$/;

/** Accepts the strings and JSON numbers that stores write; undefined for anything else. */
export function readAmount(value: unknown): Amount | undefined {
  if (typeof value !== 'string' && typeof value !== 'number') return undefined;
  const text = String(value).trim();
  if (!PLAIN_DECIMAL.test(text)) return undefined;
  const small = hundredthsOf(text);
  return small === undefined ? shortest(decimalOf(text)) : ofHundredths(small);
}

const PERCENT_DIGITS = 4;

/**
 * A fraction as a percentage: 0.1 is 10. A store may write a fraction as a binary number, such as 1/3 or
 * 0.15000000000000002, so it is rounded; a discount never becomes 0 % by that.
 */
export function readPercentage(fraction: unknown): Amount | undefined {
  const value = Number(fraction ?? Number.NaN);
  if (!(value >= 0 && value <= 1)) return undefined;
  const rounded = round(times(decimalOf(value), decimalOf(100)), PERCENT_DIGITS);
  const isLost = rounded.units === 0n && value > 0;
  return shortest(isLost ? { units: 1n, digits: PERCENT_DIGITS } : rounded);
}

/** Takes a list, because a payload can have more amounts than a call can have arguments. */
export function sum(amounts: readonly Amount[]): Amount {
  const small = amounts.map((amount) => hundredthsOf(amount) ?? Number.NaN);
  const size = small.reduce((all, one) => all + Math.abs(one), 0);
  if (size < MOST_HUNDREDTHS) return ofHundredths(small.reduce((all, one) => all + one, 0));
  return shortest(amounts.map(decimalOf).reduce(add, decimalOf(0)));
}

/** How much the amounts below zero are together, without a sign. */
export function sumBelowZero(amounts: readonly Amount[]): Amount {
  return sum(amounts.filter(isNegative).map(withoutSign));
}

export function subtract(from: Amount, amount: Amount): Amount {
  const [one, other] = [hundredthsOf(from), hundredthsOf(amount)];
  if (one !== undefined && other !== undefined) return ofHundredths(one - other);
  return shortest(add(decimalOf(from), negated(amount)));
}

export function multiply(amount: Amount, factor: Amount | number): Amount {
  const small = (hundredthsOf(amount) ?? Number.NaN) * Number(factor);
  if (Number.isInteger(Number(factor)) && Math.abs(small) < MOST_HUNDREDTHS) {
    return ofHundredths(small);
  }
  return shortest(times(decimalOf(amount), decimalOf(factor)));
}

/** `amount × part / whole`, rounded half up to the given digits; the whole must not be zero. */
export function share(
  amount: Amount,
  part: Amount | number,
  whole: Amount | number,
  digits: number,
): Amount {
  const small = [amount, part, whole].map((value) => hundredthsOf(String(value)) ?? Number.NaN);
  const [one = 0, other = 0, by = 0] = small.map(Math.abs);
  // Rounded half up: with half of the divisor, and without what it does not divide.
  const twice = 2 * one * other + by;
  if (digits === 2 && by > 0 && twice <= Number.MAX_SAFE_INTEGER) {
    const size = (twice - (twice % (2 * by))) / (2 * by);
    return ofHundredths(size * small.reduce((sign, value) => sign * Math.sign(value), 1));
  }
  return shortest(divide(times(decimalOf(amount), decimalOf(part)), decimalOf(whole), digits));
}

/** Undefined for an empty list. */
export function smallest(amounts: readonly [Amount, ...Amount[]]): Amount;
export function smallest(amounts: readonly Amount[]): Amount | undefined;
export function smallest(amounts: readonly Amount[]): Amount | undefined {
  return amounts.reduce<Amount | undefined>(
    (least, amount) =>
      least === undefined || isNegative(subtract(amount, least)) ? amount : least,
    undefined,
  );
}

function isNegative(amount: Amount): boolean {
  return amount.startsWith('-');
}

export function atLeastZero(amount: Amount): Amount {
  return isNegative(amount) ? ZERO : amount;
}

export function withoutSign(amount: Amount): Amount {
  return isNegative(amount) ? (amount.slice(1) as Amount) : amount;
}

/**
 * The last step before JSON is written. A double prints as the same decimal up to fifteen significant
 * digits, so nothing is lost below ten trillion with cents.
 */
export function toJsonNumber(amount: Amount): number {
  return Number(amount);
}

/** An amount of more characters may be no whole number of hundredths that a double holds. */
const MOST_CHARACTERS = 12;
/** The sum of so many is exact, and so is the text of their hundredth part. */
const MOST_HUNDREDTHS = 1e15;

/**
 * Nearly all amounts are a few hundredths, which a double holds exactly: adding them takes a tenth of the time of
 * whole numbers of any size. Undefined for the others.
 */
function hundredthsOf(plain: string): number | undefined {
  const point = plain.indexOf('.');
  const isSmall = plain.length <= MOST_CHARACTERS && (point < 0 || point >= plain.length - 3);
  return isSmall ? Math.round(Number(plain) * 100) : undefined;
}

const ofHundredths = (count: number): Amount => String(count / 100) as Amount;

function negated(amount: Amount): Decimal {
  const { units, digits } = decimalOf(amount);
  return { units: -units, digits };
}

function shortest(value: Decimal): Amount {
  return textOf(value) as Amount;
}

/** ISO 4217: the currencies whose smallest unit is not a hundredth. */
const WHOLE_UNITS = /^(?:BIF|CLP|DJF|GNF|ISK|JPY|KMF|KRW|PYG|RWF|UGX|UYI|VND|VUV|XAF|XOF|XPF)$/;
const THOUSANDTHS = /^(?:BHD|IQD|JOD|KWD|LYD|OMR|TND)$/;

/** How many digits after the point an amount of this currency can have. */
export function minorDigits(currency: string): number {
  if (WHOLE_UNITS.test(currency)) return 0;
  return THOUSANDTHS.test(currency) ? 3 : 2;
}

/** An exact decimal: `units` of 10^-digits. Whole numbers of any size, so nothing is rounded unless it is asked for. */
interface Decimal {
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
