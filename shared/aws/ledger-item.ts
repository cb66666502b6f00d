import { createHash } from 'node:crypto';
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import type { EntityKey, EventHead } from '../core/events/event.ts';
import { LEDGER_FORMAT } from '../core/events/formats.ts';
import {
  type CancelStep,
  type EntityEntry,
  type EntityWrite,
  entityKeyFrom,
  type LedgerKey,
  type LetterWrite,
  ledgerKeyText,
  OUTCOMES_KEPT,
  type PastOutcome,
  type RecordKind,
  type ServiceOrder,
} from '../core/ledger/ledger.ts';
import type { DynamoDbCalls } from './aws-client.ts';

export type LedgerItem = Record<string, AttributeValue>;

/**
 * The attributes of an entry in DynamoDB. Names are short because they count towards the size of the
 * item, and writes are billed per KB: ten outcomes without a remembered state stay below one.
 */
export const ITEM = {
  /** S, partition key: the key's text, or its hash if DynamoDB would refuse or change the text. */
  key: 'entity',
  /** N: epoch milliseconds. */
  version: 'v',
  /** S, absent while nothing was applied. */
  appliedKey: 'k',
  /** BOOL. */
  uncertain: 'u',
  /** S, absent when nothing is remembered or it was redacted. */
  remembered: 'm',
  /** S: a JSON array of [at, outcome, version, topic, why?, origin?, counts?], the oldest first. */
  outcomes: 'o',
  /** N, from 1. */
  revision: 'r',
  /** S: identifies one write, so that its repetition is not mistaken for another worker's write. */
  writeId: 'w',
  /**
   * S: shop|discount of a coupon, shop|kind of a listed record, what a dead letter is about. `LISTING_INDEX` holds only
   * these.
   */
  listing: 'd',
  /** S: the id of such an item as JSON, only if the key is a hash. */
  listedId: 'c',
  /** S: `LETTER_LIST`, and the place of a dead letter's summary in it. `DEAD_LETTERS_INDEX` holds only these. */
  letterList: 'l',
  letterPlace: 't',
  /** BOOL, true or absent: the order was sent as history. */
  history: 'h',
  /** S: `ServiceOrder` as JSON, absent where nothing is known. */
  service: 'a',
  /** S: the revision of the rules that the order was mapped by. */
  rules: 's',
  /** N, epoch milliseconds, absent unless the person was redacted. */
  redactedAt: 'x',
  /** N, absent for 1: see `LEDGER_FORMAT`. */
  format: 'f',
  /** N, epoch seconds: the table's TTL attribute. */
  expiresAt: 'expiresAt',
} as const;

/**
 * Global index by `ITEM.listing`, with `ITEM.listedId` as its only other attribute. Neither changes when
 * an item is written again, so such writes cost nothing in the index. It holds the codes of discounts
 * and, despite its name, the listed records.
 */
export const LISTING_INDEX = 'codes-of-discount';

/** Global index of the summaries of dead letters by list and time, with all that a list shows. */
export const DEAD_LETTERS_INDEX = 'dead-letters';
/** The one list: of those that are in their queue. */
export const LETTER_LIST = 'open';

/** A missing or invalid revision is read as this value, which is never written. */
export const NO_REVISION = 0;

/** DynamoDB refuses partition keys above 2048 bytes, and one refused key fails a whole batch read. */
const KEY_MAX_BYTES = 1_024;

/** Injective: the readable form contains two bars, the hashed one only that behind the kind. */
export function itemKeyOf(entityText: string): string {
  // UTF-8 has no lone surrogates, so two different codes could become one key.
  const usable = entityText.isWellFormed() && Buffer.byteLength(entityText) <= KEY_MAX_BYTES;
  if (usable) return entityText;
  const kind = entityText.slice(0, entityText.indexOf('|'));
  return `${kind}|sha256:${createHash('sha256').update(JSON.stringify(entityText)).digest('hex')}`;
}

export function keyOnly(itemKey: string): LedgerItem {
  return { [ITEM.key]: { S: itemKey } };
}

/** Records that the index lists by shop. Their kind takes the place of a discount's id, a number. */
export type ListedRecord = Extract<
  RecordKind,
  'notice' | 'redemption' | 'audit' | 'given' | 'waiting'
>;

const LISTED: ReadonlySet<string> = new Set<ListedRecord>([
  ...(['notice', 'redemption', 'audit', 'given', 'waiting'] as const),
]);

const isListed = (text: string): text is ListedRecord => LISTED.has(text);

/** A shop's domain has no bar, so the first one ends it. */
export function listingText(shop: string, listedUnder: string): string {
  return `${shop}|${listedUnder}`;
}

/** The listing of the dead letters about one thing. DynamoDB limits the keys of an index, too. */
export function lettersAboutText({ shop, kind, id }: Pick<EventHead, 'shop' | 'kind' | 'id'>) {
  return itemKeyOf(listingText(shop, `dead letter of ${kind}/${id}`));
}

/** The id of a coupon (its code) or of a listed record in `LISTING_INDEX`. */
export function listedIdIn(
  shop: string,
  kind: 'coupon' | ListedRecord,
  item: LedgerItem,
): string | undefined {
  const prefix = ledgerKeyText({ shop, kind, id: '' });
  const itemKey = item[ITEM.key]?.S;
  if (itemKey?.startsWith(prefix)) return itemKey.slice(prefix.length);
  return jsonIn(item[ITEM.listedId], (value) => (typeof value === 'string' ? value : undefined));
}

/** The entity of an item; undefined for a record, and if the item has only a hash of the key. */
export function keyIn(item: LedgerItem): EntityKey | undefined {
  const key = entityKeyFrom(item[ITEM.key]?.S ?? '');
  const listing = item[ITEM.listing]?.S;
  if (key || listing === undefined) return key;
  const bar = listing.indexOf('|');
  if (isListed(listing.slice(bar + 1))) return undefined;
  const shop = listing.slice(0, bar);
  const id = listedIdIn(shop, 'coupon', item);
  return id === undefined ? undefined : { shop, kind: 'coupon', id };
}

export function toItem(
  key: LedgerKey,
  entry: EntityWrite & Partial<LetterWrite>,
  revision: number,
  writeId: string,
): LedgerItem {
  const { appliedKey, remembered, expiresAt, history, redactedAt, service, rules, listed } = entry;
  const listedUnder = isListed(key.kind) ? key.kind : entry.discountId;
  const text = ledgerKeyText(key);
  const itemKey = itemKeyOf(text);
  const outcomes = entry.outcomes.slice(-OUTCOMES_KEPT).map(toTuple);
  return {
    ...keyOnly(itemKey),
    [ITEM.version]: { N: String(entry.version) },
    [ITEM.uncertain]: { BOOL: entry.uncertain },
    [ITEM.outcomes]: { S: JSON.stringify(outcomes) },
    [ITEM.revision]: { N: String(revision) },
    [ITEM.writeId]: { S: writeId },
    ...(LEDGER_FORMAT > 1 && { [ITEM.format]: { N: String(LEDGER_FORMAT) } }),
    ...(appliedKey !== undefined && { [ITEM.appliedKey]: { S: appliedKey } }),
    ...(remembered !== undefined && { [ITEM.remembered]: { S: remembered } }),
    ...(expiresAt !== undefined && { [ITEM.expiresAt]: { N: String(expiresAt) } }),
    ...(history === true && { [ITEM.history]: { BOOL: true } }),
    ...(service && { [ITEM.service]: { S: JSON.stringify(service) } }),
    ...(rules !== undefined && { [ITEM.rules]: { S: rules } }),
    ...(redactedAt !== undefined && { [ITEM.redactedAt]: { N: String(redactedAt) } }),
    ...(listed && {
      [ITEM.letterList]: { S: LETTER_LIST },
      [ITEM.letterPlace]: { S: `${listed.at}|${key.id}` },
      ...(listed.about && { [ITEM.listing]: { S: lettersAboutText(listed.about) } }),
    }),
    ...(listedUnder !== undefined && {
      [ITEM.listing]: { S: listingText(key.shop, listedUnder) },
      ...(itemKey !== text && { [ITEM.listedId]: { S: JSON.stringify(key.id) } }),
    }),
  };
}

/** The form of an item that a newer release wrote; undefined for one that this release may read and replace. */
export function newerFormatIn(item: LedgerItem): number | undefined {
  const format = numberIn(item[ITEM.format]) ?? 1;
  return format > LEDGER_FORMAT ? format : undefined;
}

/**
 * Reads the usable attributes of an item, which a person may have edited or an unknown release written.
 * A damaged item must neither fail its batch nor block its entity permanently: it is `uncertain` at
 * version 0, so that the next snapshot is sent again and replaces it. `faults` names the unusable
 * attributes.
 */
export function fromItem(item: LedgerItem): { entry: EntityEntry; faults: readonly string[] } {
  const faults: string[] = [];
  const read = <T>(name: string, value: T | undefined): T | undefined => {
    if (value === undefined && item[name] !== undefined) faults.push(name);
    return value;
  };
  const need = <T>(name: string, value: T | undefined, fallback: T): T => {
    if (value === undefined) faults.push(name);
    return value ?? fallback;
  };
  const appliedKey = read(ITEM.appliedKey, item[ITEM.appliedKey]?.S);
  const remembered = read(ITEM.remembered, item[ITEM.remembered]?.S);
  const version = need(ITEM.version, numberIn(item[ITEM.version]), 0);
  const uncertain = need(ITEM.uncertain, item[ITEM.uncertain]?.BOOL, true);
  const history = read(ITEM.history, item[ITEM.history]?.BOOL);
  const service = read(ITEM.service, jsonIn(item[ITEM.service], readServiceOrder));
  const rules = read(ITEM.rules, item[ITEM.rules]?.S);
  const redactedAt = read(ITEM.redactedAt, numberIn(item[ITEM.redactedAt]));
  const revision = need(ITEM.revision, revisionIn(item[ITEM.revision]), NO_REVISION);
  const stateIsDoubtful = faults.length > 0;
  // The state is valid without the following attributes.
  const outcomes = read(ITEM.outcomes, jsonIn(item[ITEM.outcomes], toOutcomes)) ?? [];
  const listing = read(ITEM.listing, item[ITEM.listing]?.S);
  const listedUnder = listing?.slice(listing.indexOf('|') + 1);
  const expiresAt = read(ITEM.expiresAt, numberIn(item[ITEM.expiresAt]));
  const entry: EntityEntry = {
    version,
    uncertain: uncertain || stateIsDoubtful,
    outcomes,
    revision,
    ...(appliedKey !== undefined && { appliedKey }),
    ...(remembered !== undefined && { remembered }),
    ...(listedUnder !== undefined && !isListed(listedUnder) && { discountId: listedUnder }),
    ...(expiresAt !== undefined && { expiresAt }),
    ...(history === true && { history }),
    ...(service && { service }),
    ...(rules !== undefined && { rules }),
    ...(redactedAt !== undefined && { redactedAt }),
  };
  return { entry, faults };
}

type OutcomeTuple = readonly [
  ...[string, string, number, string],
  ...[(string | null)?, (string | null)?, number?],
];

function toTuple({ at, outcome, version, topic, why, origin, counts }: PastOutcome): OutcomeTuple {
  if (counts !== undefined) {
    return [at, outcome, version, topic, why ?? null, origin ?? null, counts];
  }
  if (origin) return [at, outcome, version, topic, why ?? null, origin];
  return why === undefined ? [at, outcome, version, topic] : [at, outcome, version, topic, why];
}

function toOutcomes(value: unknown): PastOutcome[] | undefined {
  return Array.isArray(value) && value.every(isTuple) ? value.map(fromTuple) : undefined;
}

function isTuple(value: unknown): value is OutcomeTuple {
  if (!Array.isArray(value)) return false;
  const [at, outcome, version, topic, why] = value;
  return (
    [at, outcome, topic, why ?? ''].every((text) => typeof text === 'string') &&
    typeof version === 'number'
  );
}

function fromTuple([at, outcome, version, topic, why, origin, counts]: OutcomeTuple): PastOutcome {
  return {
    ...{ at, outcome, version, topic, ...(typeof why === 'string' && { why }) },
    ...(origin === 'reconcile' && { origin }),
    ...(typeof counts === 'number' && { counts }),
  };
}

function jsonIn<T>(attribute: AttributeValue | undefined, read: (value: unknown) => T) {
  try {
    return read(JSON.parse(attribute?.S ?? ''));
  } catch {
    return undefined;
  }
}

function numberIn(attribute: AttributeValue | undefined): number | undefined {
  const value = Number(attribute?.N);
  return Number.isSafeInteger(value) ? value : undefined;
}

/** Must accept exactly what the ledger's condition for `NO_REVISION` refuses. */
function revisionIn(attribute: AttributeValue | undefined): number | undefined {
  const value = Number(attribute?.N);
  return value >= 1 && value <= Number.MAX_SAFE_INTEGER ? value : undefined;
}

export interface ReadSettings {
  readonly client: DynamoDbCalls;
  readonly table: string;
  readonly pause: (milliseconds: number) => Promise<unknown>;
  /** From 0 to below 1. */
  readonly random: () => number;
}

/** DynamoDB, BatchGetItem. */
const KEYS_PER_REQUEST = 100;
/** The pauses add up to less than 2 s. If items are then still unread, the batch fails and is retried. */
const ROUNDS = 6;
const FIRST_PAUSE_MS = 50;

/** The existing items of these distinct keys, strongly consistent. */
export async function readItems(
  settings: ReadSettings,
  itemKeys: readonly string[],
): Promise<readonly LedgerItem[]> {
  const requests: Promise<readonly LedgerItem[]>[] = [];
  for (let start = 0; start < itemKeys.length; start += KEYS_PER_REQUEST) {
    requests.push(readChunk(settings, itemKeys.slice(start, start + KEYS_PER_REQUEST)));
  }
  return (await Promise.all(requests)).flat();
}

async function readChunk(
  { client, table, pause, random }: ReadSettings,
  itemKeys: readonly string[],
): Promise<readonly LedgerItem[]> {
  const items: LedgerItem[] = [];
  let unread = itemKeys.map(keyOnly);
  for (let round = 0; round < ROUNDS; round += 1) {
    if (round > 0) await pause(FIRST_PAUSE_MS * 2 ** (round - 1) * (0.5 + random() / 2));
    const { Responses, UnprocessedKeys } = await client.batchGetItem({
      RequestItems: { [table]: { Keys: unread, ConsistentRead: true } },
    });
    items.push(...(Responses?.[table] ?? []));
    unread = UnprocessedKeys?.[table]?.Keys ?? [];
    if (unread.length === 0) return items;
  }
  throw new Error(`DynamoDB left ${unread.length} entries unread after ${ROUNDS} requests`);
}

/** Placeholders, because DynamoDB reserves several hundred words. */
export function names(...used: readonly (keyof typeof ITEM)[]): Record<string, string> {
  return Object.fromEntries(used.map((name) => [`#${name}`, ITEM[name]]));
}

/** Undefined for any other form: of an amount that is misread, a customer's points would be taken. */
export function readServiceOrder(value: unknown): ServiceOrder | undefined {
  const record = (value ?? {}) as Partial<ServiceOrder>;
  const { id, placedAt, completedAt, total, products, rest, taken, step, theirs = 0 } = record;
  const isRead =
    [id, placedAt, completedAt, rest].every((text) => text === undefined || isText(text)) &&
    [total, taken, theirs].every(isWhole) &&
    isList(products, 3) &&
    (step === undefined || isStep(step));
  return isRead ? (value as ServiceOrder) : undefined;
}

function isStep({ sum, value, products, searchedFrom = 0 }: Partial<CancelStep>): boolean {
  return [sum, value, searchedFrom].every(isWhole) && isList(products, 2);
}

function isList(value: unknown, size: number): boolean {
  const isRow = (row: unknown) =>
    Array.isArray(row) && row.length === size && row.every((cell, i) => i === 0 || isWhole(cell));
  return Array.isArray(value) && value.every(isRow);
}

const isText = (value: unknown): boolean => typeof value === 'string';

const isWhole = (value: unknown): value is number => Number.isSafeInteger(value);
