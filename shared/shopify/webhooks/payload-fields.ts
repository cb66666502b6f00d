import * as v from 'valibot';
import { readAmount } from '../../store/money.ts';
import type { ReadFault, Unreadable } from '../../store/read-fault.ts';

const MISSING = 'is missing';

/** One value, read by a function that gives undefined for what it cannot read. */
function field<T>(problem: string, read: (value: unknown) => T | undefined) {
  return v.pipe(
    v.unknown(),
    v.rawTransform<unknown, T>(({ dataset, addIssue, NEVER }) => {
      const result = read(dataset.value);
      if (result !== undefined) return result;
      addIssue({ message: dataset.value === null ? MISSING : problem });
      return NEVER;
    }),
  );
}

/** A number that lost digits on its way is refused rather than taken for another entity's id. */
export const id = field('is not an exact id', (value) => {
  if (typeof value === 'number') {
    return Number.isSafeInteger(value) && value >= 0 ? String(value) : undefined;
  }
  return typeof value === 'string' && /^\d{1,30}$/.test(value) ? value : undefined;
});

export const amount = field('is not an amount', readAmount);

/** Without an offset the same text is another moment on another machine. */
const MOMENT = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)$/;

export const moment = field('is not a date with time and offset', (value) => {
  if (typeof value !== 'string' || !MOMENT.test(value)) return undefined;
  const time = Date.parse(value);
  return Number.isNaN(time) ? undefined : new Date(time).toISOString();
});

/** Custom attributes come with numbers and booleans as values too. */
export const text = field('is not text', (value) =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? String(value)
    : undefined,
);

export const flag = field('is not true or false', (value) =>
  typeof value === 'boolean' ? value : undefined,
);

export const quantity = field('is not a quantity', (value) => {
  const count = typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : value;
  return typeof count === 'number' && Number.isSafeInteger(count) && count >= 0 ? count : undefined;
});

/** The `_set` form of an amount; its presentment money is what the customer saw, not the shop's. */
export const moneySet = v.object({ shop_money: v.object({ amount }) });

/** Null and absent are the same thing: payloads of different versions mix them. */
export function optional<const S extends v.GenericSchema>(schema: S) {
  return v.nullish(schema);
}

/**
 * An object all of whose fields are empty is no object: what a store makes of `customer.email` and the
 * like, asked of an order without a customer, is not documented.
 */
export function orNothing<const S extends v.GenericSchema>(schema: S) {
  const present = v.transform((value: unknown) => (isHollow(value) ? null : value));
  return v.pipe(v.unknown(), present, schema);
}

/** No customer nests deeper, and a body that does must not fill the stack. */
const DEEPEST_HOLLOW = 8;

function isHollow(value: unknown, depth = 0): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value === null;
  if (depth === DEEPEST_HOLLOW) return false;
  return Object.values(value).every((member) => isHollow(member, depth + 1));
}

export function list<const S extends v.GenericSchema>(schema: S) {
  return v.nullish(v.array(schema), () => []);
}

/**
 * A rule that several fields fulfil together, reported at the first of them. Silent where one of them
 * is faulty itself. The library has the same in two parts, which take time by the square of the faults.
 */
export function together<T extends object>(
  fields: readonly (keyof T & string)[],
  holds: (payload: T) => boolean,
  problem: string = MISSING,
) {
  return v.rawCheck<T>(({ dataset, addIssue }) => {
    const payload = dataset.value as T;
    const faulty = dataset.issues?.some(
      ({ path }) => !path || fields.some((f) => f === path[0].key),
    );
    const [key] = fields;
    if (faulty || key === undefined || holds(payload)) return;
    const place = { type: 'object', origin: 'value', input: payload, key, value: payload[key] };
    addIssue({ message: problem, path: [place as unknown as v.ObjectPathItem] });
  });
}

/**
 * Reads a payload, or tells everything that is wrong with it. Of a vast one the first fault only: two
 * megabytes of nonsense have a million, and writing them all down takes more memory than a function has.
 */
export function readPayload<const S extends v.GenericSchema>(
  schema: S,
  payload: unknown,
): { readonly kind: 'read'; readonly value: v.InferOutput<S> } | Unreadable {
  const first = v.safeParse(schema, payload, { abortEarly: true });
  if (first.success) return { kind: 'read', value: first.output };
  if (isVast(payload)) return { kind: 'unreadable', faults: first.issues.map(toFault) };
  const { issues = first.issues } = v.safeParse(schema, payload);
  return { kind: 'unreadable', faults: issues.map(toFault) };
}

/** An order of a hundred lines has fewer values. */
const VAST = 10_000;

/** Counts no further than it must, and keeps its own list instead of the stack. */
function isVast(payload: unknown): boolean {
  const waiting = [payload];
  for (let counted = 0; waiting.length > 0; counted += 1) {
    const value = waiting.pop();
    if (typeof value !== 'object' || value === null) continue;
    const members = Array.isArray(value) ? value : Object.values(value);
    if (counted + waiting.length + members.length > VAST) return true;
    waiting.push(...members);
  }
  return false;
}

/** Only words of ours: the library's own messages quote the value that they complain about. */
function toFault(issue: v.BaseIssue<unknown>): ReadFault {
  return { path: pathOf(issue), problem: problemOf(issue) };
}

function problemOf(issue: v.BaseIssue<unknown>): string {
  if (issue.kind !== 'schema') return issue.message;
  if (issue.input === undefined || issue.input === null) return MISSING;
  return issue.type === 'array' ? 'is not a list' : 'is not an object';
}

function pathOf(issue: v.BaseIssue<unknown>): string {
  const keys = issue.path?.map(({ key }) => key) ?? [];
  return keys.reduce<string>((path, key) => {
    if (typeof key === 'number') return `${path}[${key}]`;
    return path === '$' ? String(key) : `${path}.${String(key)}`;
  }, '$');
}
