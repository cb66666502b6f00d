import type { Call, Fault } from '../call.ts';
import { largestAmount } from './hundredths.ts';

export function isBlank(text: string | null | undefined): boolean {
  return text === null || text === undefined || text.trim() === '';
}

/** No rule looks further, and a list can be wrong in a million places. */
const mostFaults = 100;

/** What is wrong with a field as it is read joins the faults of the call. */
export function readBody(call: Call): { faults: Fault[]; fields: Fields | null } {
  const faults = [...call.faults];
  return { faults, fields: readFields(call.body, faults) };
}

/** Faults are added to the array given, up to a bound. */
export function readFields(value: unknown, faults: Fault[], path = ''): Fields | null {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    return new Fields(value as Readonly<Record<string, unknown>>, faults, path);
  }
  if (faults.length < mostFaults) faults.push({ path, problem: 'must be an object' });
  return null;
}

/**
 * Reads the parts of a JSON value that the rules need. Null counts as absent, and so does what cannot
 * be read; the latter leaves a fault. Reading never throws, whatever the value. A class, because a list can
 * have a million of them.
 */
export class Fields {
  readonly #source: Readonly<Record<string, unknown>>;
  readonly #faults: Fault[];
  readonly #path: string;

  constructor(source: Readonly<Record<string, unknown>>, faults: Fault[], path: string) {
    this.#source = source;
    this.#faults = faults;
    this.#path = path;
  }

  text(name: string): string | null {
    return this.#read(name, (v) => (typeof v === 'string' ? v : null), 'must be a string');
  }

  /** As text, with blank counting as absent: for identifiers and keys. */
  key(name: string): string | null {
    const found = this.text(name);
    return isBlank(found) ? null : found;
  }

  /** Finite, and small enough to be counted with exactly. */
  amount(name: string): number | null {
    return this.#read(name, asAmount, `must be a number of at most ${largestAmount}`);
  }

  integer(name: string): number | null {
    return this.#read(name, asInteger, 'must be a whole number');
  }

  flag(name: string): boolean | null {
    return this.#read(name, (v) => (typeof v === 'boolean' ? v : null), 'must be true or false');
  }

  /** The date-time as it was sent. */
  date(name: string): string | null {
    const asDate = (v: unknown) => (typeof v === 'string' && isDateTime(v) ? v : null);
    return this.#read(name, asDate, 'must be a date-time');
  }

  object(name: string): Fields | null {
    const part = this.#part(name);
    return part === null ? null : readFields(part, this.#faults, this.#pathOf(name));
  }

  list(name: string): Fields[] | null {
    const path = this.#pathOf(name);
    const items = this.#read<unknown[]>(name, asArray, 'must be an array');
    return (
      items?.flatMap((item, i) => readFields(item, this.#faults, `${path}[${i}]`) ?? []) ?? null
    );
  }

  integers(name: string): number[] | null {
    const asIntegers = (v: unknown) =>
      Array.isArray(v) && v.every((i) => Number.isInteger(i)) ? (v as number[]) : null;
    return this.#read(name, asIntegers, 'must be an array of whole numbers');
  }

  #read<T>(name: string, convert: (v: unknown) => T | null, problem: string): T | null {
    const part = this.#part(name);
    if (part === null) return null;
    const converted = convert(part);
    if (converted === null && this.#faults.length < mostFaults) {
      this.#faults.push({ path: this.#pathOf(name), problem });
    }
    return converted;
  }

  #part(name: string): unknown {
    return Object.hasOwn(this.#source, name) ? (this.#source[name] ?? null) : null;
  }

  #pathOf(name: string): string {
    return this.#path === '' ? name : `${this.#path}.${name}`;
  }
}

const asArray = (value: unknown): unknown[] | null => (Array.isArray(value) ? value : null);

function asInteger(value: unknown): number | null {
  return Number.isInteger(value) ? (value as number) : null;
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

type Known<T> = { [K in keyof T as null extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as null extends T[K] ? K : never]?: Exclude<T[K], null>;
};

/** Leaves out what is null: most fields of the contract may be absent but not null. */
export function knownFields<T extends object>(fields: T): Known<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, v]) => v !== null)) as Known<T>;
}
