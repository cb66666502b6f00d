import { Big } from 'big.js';

declare const exact: unique symbol;

/**
 * An exact decimal in plain notation, always in its shortest form: `12.5`, never `12.50`, `1.25e1`
 * or `-0`. Text rather than a Big: equal amounts are then equal with `===`, in a deep comparison, in
 * JSON and in a hash, and the model stays plain data that any source can fill.
 */
export type Amount = string & { readonly [exact]: true };

export const ZERO = '0' as Amount;

/**
 * Bounded, because an exponent lets a few characters (`1e999999999`) stand for a number that no
 * memory holds. Eighteen digits are more than any currency needs.
 */
const PLAIN_DECIMAL = /^-?\d{1,18}(?:\.\d{1,12})?$/;

/** Takes the texts and the JSON numbers that stores write; undefined for anything else. */
export function readAmount(value: unknown): Amount | undefined {
  if (typeof value !== 'string' && typeof value !== 'number') return undefined;
  const text = String(value).trim();
  return PLAIN_DECIMAL.test(text) ? shortest(new Big(text)) : undefined;
}

/** Takes a list, never arguments: a payload's list may be longer than any call can be. */
export function sum(amounts: readonly Amount[]): Amount {
  return shortest(amounts.reduce((total, amount) => total.plus(amount), new Big(0)));
}

export function subtract(from: Amount, amount: Amount): Amount {
  return shortest(new Big(from).minus(amount));
}

export function multiply(amount: Amount, factor: Amount | number): Amount {
  return shortest(new Big(amount).times(factor));
}

/** `amount × part / whole`, rounded half up to the given digits; the whole must not be zero. */
export function share(
  amount: Amount,
  part: Amount | number,
  whole: Amount | number,
  digits: number,
): Amount {
  return shortest(new Big(amount).times(part).div(whole).round(digits, Big.roundHalfUp));
}

/** Undefined for an empty list. */
export function smallest(amounts: readonly Amount[]): Amount | undefined {
  return amounts.reduce<Amount | undefined>(
    (least, amount) => (least !== undefined && new Big(least).lte(amount) ? least : amount),
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
  return isNegative(amount) ? shortest(new Big(amount).abs()) : amount;
}

/**
 * The last step before JSON is written. The nearest double prints as the very same decimal up to
 * fifteen significant digits, so nothing is lost below ten trillion with cents.
 */
export function toJsonNumber(amount: Amount): number {
  return Number(amount);
}

function shortest(value: Big): Amount {
  return value.toFixed() as Amount;
}
