import type { Fault } from '../call.ts';
import { largestAmount } from './hundredths.ts';

/**
 * Reads the parts of a JSON value that the rules need. Null counts as absent, and so does what cannot
 * be read; the latter leaves a fault. Reading never throws, whatever the value.
 */
export interface Fields {
  text(name: string): string | null;
  /** As text, with blank counting as absent: for identifiers and keys. */
  key(name: string): string | null;
  /** Finite, and small enough to be counted with exactly. */
  amount(name: string): number | null;
  integer(name: string): number | null;
  flag(name: string): boolean | null;
  /** The date-time as it was sent. */
  date(name: string): string | null;
  object(name: string): Fields | null;
  list(name: string): Fields[] | null;
  integers(name: string): number[] | null;
}

export function isBlank(text: string | null | undefined): boolean {
  return text === null || text === undefined || text.trim() === '';
}

/** Faults are added to the array given. */
export function readFields(value: unknown, faults: Fault[], path = ''): Fields | null {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    faults.push({ path, problem: 'must be an object' });
    return null;
  }
  const source = value as Readonly<Record<string, unknown>>;
  const pathOf = (name: string) => (path === '' ? name : `${path}.${name}`);

  function read<T>(name: string, convert: (v: unknown) => T | null, problem: string): T | null {
    const part = Object.hasOwn(source, name) ? source[name] : undefined;
    if (part === undefined || part === null) return null;
    const converted = convert(part);
    if (converted === null) faults.push({ path: pathOf(name), problem });
    return converted;
  }
  const text = (name: string) =>
    read(name, (v) => (typeof v === 'string' ? v : null), 'must be a string');
  const array = (name: string) =>
    read<unknown[]>(name, (v) => (Array.isArray(v) ? v : null), 'must be an array');

  return {
    text,
    key: (name) => {
      const found = text(name);
      return isBlank(found) ? null : found;
    },
    amount: (name) => read(name, asAmount, `must be a number of at most ${largestAmount}`),
    integer: (name) =>
      read(name, (v) => (Number.isInteger(v) ? (v as number) : null), 'must be a whole number'),
    flag: (name) => read(name, (v) => (typeof v === 'boolean' ? v : null), 'must be true or false'),
    date: (name) =>
      read(name, (v) => (typeof v === 'string' && isDateTime(v) ? v : null), 'must be a date-time'),
    object: (name) => {
      const part = Object.hasOwn(source, name) ? source[name] : undefined;
      return part === undefined || part === null ? null : readFields(part, faults, pathOf(name));
    },
    list: (name) =>
      array(name)?.flatMap((item, i) => readFields(item, faults, `${pathOf(name)}[${i}]`) ?? []) ??
      null,
    integers: (name) =>
      read(
        name,
        (v) => (Array.isArray(v) && v.every((i) => Number.isInteger(i)) ? (v as number[]) : null),
        'must be an array of whole numbers',
      ),
  };
}

function asAmount(value: unknown): number | null {
  return typeof value === 'number' && Math.abs(value) <= largestAmount ? value : null;
}

const dateTime =
  /^\d{4}-\d\d-\d\dT([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d+)?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$/i;

function isDateTime(text: string): boolean {
  if (!dateTime.test(text) || Number.isNaN(Date.parse(text))) return false;
  // Date.parse takes the 30th of February for the 2nd of March.
  const day = text.slice(0, 10);
  return new Date(`${day}T00:00:00Z`).toISOString().startsWith(day);
}
