import * as v from 'valibot';
import type { StoreEvent } from '../../core/events/event.ts';
import type { EventReading, StoreEntity } from '../../core/store/store.ts';
import { readAmount } from '../../store/money.ts';
import type { ReadFault, StoreCustomer, Unreadable } from '../../store/store-entities.ts';
import { entityId } from '../entity-id.ts';

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

/** A rounded number is refused: it would be the id of another entity. */
export const id = field('is not an exact id', (value) => {
  if (typeof value === 'number') {
    return Number.isSafeInteger(value) && value >= 0 ? String(value) : undefined;
  }
  return typeof value === 'string' && /^\d{1,30}$/.test(value) ? value : undefined;
});

export const amount = field('is not an amount', readAmount);

/** The offset is required: without it the text means another moment on another machine. */
const MOMENT = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)$/;

export const moment = field('is not a date with time and offset', (value) => {
  if (typeof value !== 'string' || !MOMENT.test(value)) return undefined;
  const time = Date.parse(value);
  return Number.isNaN(time) ? undefined : new Date(time).toISOString();
});

/** The values of custom attributes can be numbers and booleans. */
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

/** `presentment_money` is not read: it is in the currency that the customer saw, not in the shop's. */
export const moneySet = v.pipe(
  v.object({ shop_money: v.object({ amount }) }),
  v.transform(({ shop_money }) => shop_money.amount),
);

/** Null and absent mean the same: payloads of different versions mix them. */
export function optional<const S extends v.GenericSchema>(schema: S) {
  return v.nullish(schema);
}

/**
 * Reads an object with only empty fields as null: it is not documented what the store sends for
 * `customer.email` when an order has no customer.
 */
export function nullIfEmpty<const S extends v.GenericSchema>(schema: S) {
  const present = v.transform((value: unknown) => (isEmpty(value) ? null : value));
  // Without the outer `nullish`, an object without the key would be unreadable.
  return v.nullish(v.pipe(v.unknown(), present, schema));
}

/** No customer is nested deeper; the bound protects the stack. */
const MAX_EMPTY_DEPTH = 8;

function isEmpty(value: unknown, depth = 0): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value === null;
  if (depth === MAX_EMPTY_DEPTH) return false;
  return Object.values(value).every((member) => isEmpty(member, depth + 1));
}

export function list<const S extends v.GenericSchema>(schema: S) {
  return v.nullish(v.array(schema), () => []);
}

/**
 * A rule about several fields, reported at the first of them, and not reported where one of them has a
 * fault of its own. The library's `partialCheck` and `forward` take time by the square of the faults.
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

/** At least one of these fields is filled. */
export function anyOf<T extends object>(fields: readonly (keyof T & string)[], problem?: string) {
  return together<T>(fields, (payload) => fields.some((one) => payload[one] != null), problem);
}

/**
 * Reads a payload, or returns all its faults. Of a very large one it returns only the first: two
 * megabytes of nonsense have a million faults, which need more memory than a function has.
 */
export function readPayload<const S extends v.GenericSchema>(
  schema: S,
  payload: unknown,
): { readonly kind: 'read'; readonly value: v.InferOutput<S> } | Unreadable {
  const first = v.safeParse(schema, payload, { abortEarly: true });
  if (first.success) return { kind: 'read', value: first.output };
  if (isLarge(payload)) return { kind: 'unreadable', faults: first.issues.map(toFault) };
  const { issues = first.issues } = v.safeParse(schema, payload);
  return { kind: 'unreadable', faults: issues.map(toFault) };
}

/** An order of a hundred lines has fewer values. */
const LARGE_VALUES = 10_000;

/** Not recursive, because the payload can be nested deeper than the stack. */
function isLarge(payload: unknown): boolean {
  const waiting = [payload];
  for (let counted = 0; waiting.length > 0; counted += 1) {
    const value = waiting.pop();
    if (typeof value !== 'object' || value === null) continue;
    const members = Array.isArray(value) ? value : Object.values(value);
    if (counted + waiting.length + members.length > LARGE_VALUES) return true;
    waiting.push(...members);
  }
  return false;
}

/** The library's own messages quote the faulty value, which may be personal data. */
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

export function filled(text: string | null | undefined): string | undefined {
  const trimmed = text?.trim();
  return trimmed === '' ? undefined : trimmed;
}

/** The fields that are used of a customer, alone or in an order. */
export const customerFields = {
  id: optional(id),
  admin_graphql_api_id: optional(text),
  first_name: optional(text),
  last_name: optional(text),
  email: optional(text),
  phone: optional(text),
  created_at: optional(moment),
  default_address: optional(v.object({ name: optional(text), phone: optional(text) })),
};

type CustomerPayload = v.InferOutput<v.ObjectSchema<typeof customerFields, undefined>>;
type Ids = Pick<CustomerPayload, 'id' | 'admin_graphql_api_id'>;

export const hasCustomerId = together<Ids>(
  ['id', 'admin_graphql_api_id'],
  (payload) => entityId(payload, 'Customer') !== undefined,
);

/** `order`: where the customer has no address or number of their own, the order may. */
export function toCustomer(
  customer: CustomerPayload,
  order: Partial<Pick<CustomerPayload, 'email' | 'phone'>> = {},
): StoreCustomer {
  const name = [customer.first_name, customer.last_name].map(filled).filter(Boolean).join(' ');
  return {
    id: entityId(customer, 'Customer') ?? '',
    name: filled(name) ?? filled(customer.default_address?.name),
    email: filled(customer.email) ?? filled(order.email),
    phone: filled(customer.phone) ?? filled(order.phone) ?? filled(customer.default_address?.phone),
    createdAt: customer.created_at ?? undefined,
  };
}

/** The fields that are used of refunds/create. */
export const refundPayload = v.object({ order_id: id, created_at: optional(moment) });

export function snapshot(
  event: StoreEvent,
  entity: StoreEntity,
  { id, updatedAt }: { readonly id: string; readonly updatedAt: string },
): EventReading {
  return sameId(event, id) ?? { kind: 'snapshot', entity, version: Date.parse(updatedAt) };
}

/** The message is in the group of `event.id`: a change of another entity would bypass that one's group. */
export function sameId(event: StoreEvent, id: string): EventReading | undefined {
  return event.id === id
    ? undefined
    : unreadable([{ path: 'id', problem: 'is not the id under which the message was queued' }]);
}

/** A body can have thousands of faults. */
const MAX_FAULTS = 10;

export function unreadable(faults: readonly ReadFault[]): EventReading {
  const words = faults
    .slice(0, MAX_FAULTS)
    .map(({ path, problem }) => `${path === '$' ? 'the body' : path} ${problem}`);
  const more = faults.length - words.length;
  return {
    kind: 'unreadable',
    why: [...words, ...(more > 0 ? [`and ${more} more`] : [])].join('; '),
  };
}
