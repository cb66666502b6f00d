import { createHash } from 'node:crypto';
import { ask, type CircuitBreaker } from '../../core/calls/call-loyalty.ts';
import type { BalanceEvent } from '../../core/events/event.ts';
import type { Outcome } from '../../core/events/outcome.ts';
import { rememberedForm } from '../../core/ledger/ledger.ts';
import type { StoreUnavailable } from '../../core/store/store.ts';
import type { LoyaltyClient } from '../../loyalty/client.ts';
import type { Value } from '../../loyalty/operations.ts';
import { type NamedCustomer, readPointEvent } from '../../loyalty/read-point-event.ts';
import { add, decimalOf, round, textOf } from '../../store/money.ts';

/** What a point event says, for any customer. Its figures are not used: they may not include its own transaction. */
type Said = Required<Pick<BalanceEvent, 'topic' | 'deliveryId' | 'triggeredAt'>>;

/** How a customer is named whose id in the store is not known. */
export type Person = Pick<NamedCustomer, 'email' | 'document'>;

type SaidEvent =
  | { readonly kind: 'of-customer'; readonly customerId: string; readonly said: Said }
  | { readonly kind: 'of-person'; readonly person: Person; readonly said: Said }
  /** `why` names fields of the contract, never a value. */
  | { readonly kind: 'unreadable'; readonly why: string };

/** An event of the contract has a hundredth of this; a customer object may be large. */
export const MOST_BYTES = 65_536;

/** `customerIdIn`: the field of an event's customer with the id in the store. */
export function readSaid(body: Uint8Array, customerIdIn: string): SaidEvent {
  if (body.byteLength > MOST_BYTES) return unreadable(`it is larger than ${MOST_BYTES} bytes`);
  const json = parse(body);
  if (json === undefined) return unreadable('it is not JSON');
  const read = readPointEvent(json, customerIdIn);
  if (read.kind === 'not-the-contract') return unreadable(`${read.field} is missing or unusable`);
  const { event } = read;
  const topic = event.topic ?? 'unnamed';
  const { eventDate: triggeredAt } = event;
  const said: Said = {
    topic,
    deliveryId: `${topic}/${event.pointId}/${triggeredAt}`,
    triggeredAt,
  };
  const { ids, email, document } = event.customer;
  const customerId = ids.find(
    (id) => isStoreId(id) && (email === undefined || !isLikeDocument(id)),
  );
  if (customerId !== undefined) return { kind: 'of-customer', customerId, said };
  if (email !== undefined || document !== undefined) {
    return { kind: 'of-person', person: { email, document }, said };
  }
  return unreadable('Customer has neither the id of the store nor an e-mail or document');
}

/** Undefined for what is no JSON: the parser's error would quote the body. */
function parse(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch {
    return undefined;
  }
}

/**
 * The service documents that `Id` may be the document, and a Brazilian one has 11 or 14 digits. With an
 * e-mail there is a surer way to the customer, which does not take a person's document for an id.
 */
const isLikeDocument = (id: string): boolean => /^(?:\d{11}|\d{14})$/.test(id);

/** The store's ids are signed numbers of 64 bits. */
const LARGEST_ID = 2n ** 63n - 1n;

/** The store would refuse any other id, and with it everything written in the same call. */
export function isStoreId(text: string): boolean {
  return /^[1-9]\d{0,18}$/.test(text) && BigInt(text) <= LARGEST_ID;
}

function unreadable(why: string): SaidEvent {
  return { kind: 'unreadable', why: `the point event cannot be used: ${why}` };
}

/** The store's decimals have 13 digits before the point and 9 behind it. */
const LARGEST = 9_999_999_999_999;
const DECIMALS = 9;

/** Plain and short: `0.3` for 0.30000000000000004; undefined for what the store could not hold. */
export function decimalText(value: number): string | undefined {
  if (!Number.isFinite(value) || Math.abs(value) > LARGEST) return undefined;
  return textOf(round(decimalOf(value), DECIMALS));
}

/** Exact decimals in plain notation. */
export interface Balance {
  readonly points: string;
  readonly cashback: string;
  /** Null where the customer has none; undefined where the service did not say. */
  readonly tier?: string | null;
  readonly expiring?: Expiring | null;
}

interface Expiring {
  /** An exact decimal in plain notation. */
  readonly points: string;
  /** ISO 8601 in UTC, to the second. */
  readonly at: string;
}

type SaidPoints = Partial<Value<'getCustomerPoints'>>;
type ReadBalance = Required<Omit<Balance, 'tier'>>;

export interface ReadCustomer {
  readonly kind: 'read';
  /** Epoch milliseconds by our clock, before the request: the answer includes all changes until then. */
  readonly began: number;
  /** Undefined where the service names none for this customer. */
  readonly balance: ReadBalance | undefined;
  /** Null where the customer has none; undefined where the service does not say. */
  readonly tier: string | null | undefined;
  /** The service knows no movement of points but one: before it there were none. */
  readonly isFirst: boolean;
}

export interface CustomerSource {
  readonly loyalty: Pick<LoyaltyClient, 'getCustomer' | 'getCustomerPoints'>;
  readonly breaker: CircuitBreaker;
}

export interface ReadCustomerDeps {
  /** By domain. */
  readonly shops: ReadonlyMap<string, CustomerSource>;
  readonly now: () => Date;
  readonly deadline: AbortSignal;
}

export async function readCustomer(
  { shop, id }: { readonly shop: string; readonly id: string },
  { shops, now, deadline }: ReadCustomerDeps,
): Promise<ReadCustomer | Extract<Outcome, { kind: 'retry' }>> {
  const source = shops.get(shop);
  if (!source) throw new Error(`a balance of an unknown shop was not parked: ${shop}`);
  const began = now().getTime();
  const deps = { ...source, now, deadline };
  const [customer, points] = await Promise.all([
    ask('getCustomer', [id], deps),
    ask('getCustomerPoints', [id], deps),
  ]);
  if (customer.kind === 'retry') return customer;
  if (points.kind === 'retry') return points;
  // Another member's points must not be shown as this customer's.
  if (customer.value?.OriginalId !== id) {
    return { kind: 'read', began, balance: undefined, tier: undefined, isFirst: false };
  }
  const tier = customer.value.CurrentTier;
  return {
    kind: 'read',
    began,
    balance: points.value && balanceIn(points.value, began),
    tier: tier === undefined ? undefined : nameOf(tier),
    isFirst: points.value?.PointHistory?.length === 1,
  };
}

/** Undefined for numbers that the store could not hold. */
export function balanceIn(
  said: Pick<SaidPoints, 'PointsBalance' | 'CashbackBalance' | 'PointsToExpire'>,
  now: number,
): ReadBalance | undefined {
  const points = decimalText(said.PointsBalance ?? Number.NaN);
  const cashback = decimalText(said.CashbackBalance ?? 0);
  if (points === undefined || cashback === undefined) return undefined;
  return { points, cashback, expiring: expiringNext(said.PointsToExpire, now) };
}

/** The store refuses a blank text; its limit is longer than any name. */
function nameOf(tier: { readonly Name?: unknown } | null): string | null | undefined {
  const name = tier?.Name ?? '';
  // The client checks the containers of an answer, not every field in them.
  return typeof name === 'string' ? name.replace(/\s+/g, ' ').trim() || null : undefined;
}

/**
 * Of what the service lists, the next day on which points expire and all points of that day: a page has
 * room for one sentence. The service lists only what is close to its expiry, and only where points expire.
 */
export function expiringNext(listed: unknown, now: number): Expiring | null {
  const coming = (Array.isArray(listed) ? listed : [])
    .flatMap(readDated)
    .filter(({ at }) => at > now)
    .toSorted((one, other) => one.at - other.at);
  const [first] = coming;
  if (!first) return null;
  const points = coming
    .filter(({ at }) => dayOf(at) === dayOf(first.at))
    .map((one) => decimalOf(one.points))
    .reduce(add);
  const text = decimalText(Number(textOf(points)));
  return text === undefined ? null : { points: text, at: dateTextOf(first.at) };
}

/** The client checks the containers of an answer, not every field in them. */
function readDated(listed: unknown) {
  if (typeof listed !== 'object' || listed === null) return [];
  const { Points: points, When: when } = listed as { Points?: unknown; When?: unknown };
  const at = typeof when === 'string' ? Date.parse(when) : Number.NaN;
  const isUsable = typeof points === 'number' && Number.isFinite(points) && points > 0;
  // Dates beyond the year 9999 have another form.
  return isUsable && at < Date.UTC(10_000, 0) ? [{ points, at }] : [];
}

const dateTextOf = (at: number): string => new Date(at).toISOString().replace(/\.\d+Z$/, 'Z');
const dayOf = (at: number): string => dateTextOf(at).slice(0, 10);

/** What the store's customer was last given, as the ledger keeps it. */
export interface RememberedBalance extends Balance {
  /** Absent while nothing is announced. */
  readonly told?: Told;
}

/** What the automation of the store was told of a customer. */
export interface Told {
  readonly points: string;
  readonly tier: string | null;
  /** The dates that were told as those of points about to expire, while they are to come. */
  readonly expiries: readonly string[];
}

const form = rememberedForm<RememberedBalance>('customer', 1);
export const recallBalance = form.read;
export const rememberBalance = form.write;

/** Names what the customer's metafields hold. */
export function balanceKey({ points, cashback, tier, expiring }: RememberedBalance): string {
  const held = [points, cashback, tier ?? null, expiring?.points ?? null, expiring?.at ?? null];
  return createHash('sha256').update(JSON.stringify(held)).digest('base64url');
}

/** What to write for one customer of a store: null takes a tier away, undefined leaves it as it is. */
export interface BalanceChange extends Balance {
  readonly customerId: string;
}

export type BalanceWritten =
  | { readonly kind: 'written' }
  | { readonly kind: 'unknown-customer' }
  /** The store does not take this value. `code` is the store's name of the reason. */
  | { readonly kind: 'refused'; readonly code: string }
  | StoreUnavailable;

export interface BalanceStore {
  /**
   * Writes the changes of many customers in as few calls as possible. Returns the result of each, in
   * the order of the changes. A fault in one does not keep the others from being written.
   */
  writeBalances(
    shop: string,
    changes: readonly BalanceChange[],
  ): Promise<readonly BalanceWritten[]>;
}
