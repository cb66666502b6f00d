import {
  deadLetterKey,
  readSummary,
  type SummarizedDeadLetter,
} from '../core/batch/dead-letter.ts';
import type { EventHead } from '../core/events/event.ts';
import { type Ledger, type LedgerEntry, ledgerKeyText, NewerItem } from '../core/ledger/ledger.ts';
import {
  DEAD_LETTERS_INDEX,
  fromItem,
  ITEM,
  itemKeyOf,
  keyIn,
  keyOnly,
  LETTER_LIST,
  type LedgerItem,
  LISTING_INDEX,
  type ListedRecord,
  lettersAboutText,
  listedIdIn,
  listingText,
  newerFormatIn,
  type ReadSettings,
  readItems,
} from './ledger-item.ts';

type Place = Pick<ReadSettings, 'client' | 'table'>;

const ITEMS_PER_PAGE = 200;

/** One page of the keys that are listed under this text. */
async function queryListing(
  { client, table }: Place,
  text: string,
  from: string | undefined,
): Promise<{ readonly items: readonly LedgerItem[]; readonly next?: string }> {
  const listing = { S: text };
  const { Items: items = [], LastEvaluatedKey: last } = await client.query({
    TableName: table,
    IndexName: LISTING_INDEX,
    KeyConditionExpression: '#listing = :listing',
    ExpressionAttributeNames: { '#listing': ITEM.listing },
    ExpressionAttributeValues: { ':listing': listing },
    Limit: ITEMS_PER_PAGE,
    ...(from !== undefined && {
      ExclusiveStartKey: { ...keyOnly(from), [ITEM.listing]: listing },
    }),
  });
  return { items, ...nextFrom(last) };
}

/** One page of a discount's codes. */
export async function listCodes(
  place: Place,
  ...[shop, discountId, from]: Parameters<Ledger['listCodes']>
): ReturnType<Ledger['listCodes']> {
  const { items, ...rest } = await queryListing(place, listingText(shop, discountId), from);
  return { codes: items.flatMap((item) => listedIdIn(shop, 'coupon', item) ?? []), ...rest };
}

/**
 * One page of the whole table. Not consistent, at half the price: a later scan reads it again. Without the
 * items of a newer release.
 */
export async function scanEntities(
  { client, table }: Place,
  from: string | undefined,
): ReturnType<Ledger['scanEntities']> {
  const { Items: items = [], LastEvaluatedKey: last } = await client.scan({
    TableName: table,
    Limit: ITEMS_PER_PAGE,
    ...(from !== undefined && { ExclusiveStartKey: keyOnly(from) }),
  });
  const entries = items.flatMap((item) => {
    const key = newerFormatIn(item) === undefined ? keyIn(item) : undefined;
    return key ? [{ key, entry: fromItem(item).entry }] : [];
  });
  return { entries, ...nextFrom(last) };
}

/** Whatever the ledger has, an entity or not: its key as text, or its hash, and what it holds. Consistent, at full price. */
export async function* readWholeLedger({
  client,
  table,
}: Place): AsyncGenerator<readonly (readonly [key: string, entry: LedgerEntry])[]> {
  let from: LedgerItem | undefined;
  do {
    const { Items: items = [], LastEvaluatedKey: last } = await client.scan({
      ...{ TableName: table, ConsistentRead: true },
      ...(from && { ExclusiveStartKey: from }),
    });
    yield items.map((item) => {
      const key = item[ITEM.key]?.S ?? '';
      const newer = newerFormatIn(item);
      if (newer !== undefined) throw new NewerItem(key, newer);
      return [key, fromItem(item).entry] as const;
    });
    from = last;
  } while (from);
}

function nextFrom(last: LedgerItem | undefined): { readonly next?: string } {
  const next = last?.[ITEM.key]?.S;
  return next === undefined ? {} : { next };
}

/** The keys of all items that are listed under this text. */
async function readListing(place: Place, text: string): Promise<readonly string[]> {
  const keys: string[] = [];
  let from: string | undefined;
  do {
    const { items, next } = await queryListing(place, text, from);
    keys.push(...items.flatMap((item) => item[ITEM.key]?.S ?? []));
    from = next;
  } while (from !== undefined);
  return keys;
}

export interface FoundRecord {
  readonly id: string;
  readonly entry: LedgerEntry;
}

/**
 * All records of a kind and shop, or about the first `most`. Uses the index, because the table may hold millions of items. Throws
 * `NewerItem` where a newer release wrote one: a list that leaves some out misleads.
 */
export async function listRecords(
  settings: ReadSettings,
  shop: string,
  kind: ListedRecord,
  most = Number.POSITIVE_INFINITY,
): Promise<readonly FoundRecord[]> {
  const idOf = new Map<string, string>();
  let from: string | undefined;
  do {
    const { items, next } = await queryListing(settings, listingText(shop, kind), from);
    for (const item of items) {
      const itemKey = item[ITEM.key]?.S ?? '';
      // IAM compares the key with the writer: an item that is only listed as a record of history is none.
      const isHistory = kind === 'audit' || kind === 'given';
      if (isHistory && !itemKey.startsWith(ledgerKeyText({ shop, kind, id: '' }))) continue;
      idOf.set(itemKey, listedIdIn(shop, kind, item) ?? '');
    }
    from = next;
  } while (from !== undefined && idOf.size < most);
  const items = await readItems(settings, [...idOf.keys()]);
  return items.map((item) => {
    const newer = newerFormatIn(item);
    if (newer !== undefined) throw new NewerItem(item[ITEM.key]?.S ?? '', newer);
    return { id: idOf.get(item[ITEM.key]?.S ?? '') ?? '', entry: fromItem(item).entry };
  });
}

/** Something that a person must see, because the connector does not act on it. */
export interface LedgerNotice {
  readonly shop: string;
  /** `data-request`, `shop-redact`, `app-uninstalled`. */
  readonly notice: string;
  /** The store's id. */
  readonly id: string;
  /** ISO 8601. */
  readonly at: string;
  readonly why: string;
}

/** The notices of a shop, the oldest first. */
export async function listNotices(
  settings: ReadSettings,
  shop: string,
): Promise<readonly LedgerNotice[]> {
  const records = await listRecords(settings, shop, 'notice');
  return records
    .map((one) => noticeOf(shop, one))
    .toSorted((one, other) => one.at.localeCompare(other.at));
}

function noticeOf(shop: string, { id, entry }: FoundRecord): LedgerNotice {
  const line = entry.outcomes.at(-1);
  const slash = id.indexOf('/');
  return {
    shop,
    notice: line?.outcome ?? id.slice(0, slash),
    id: id.slice(slash + 1),
    at: line?.at ?? '',
    why: line?.why ?? '',
  };
}

/**
 * All listed dead letters since that moment, the newest first, one page of DynamoDB (1 MB) after the other. Eventually
 * consistent. Without what expired and is not deleted yet.
 */
export async function* readLetters(
  { client, table }: Pick<ReadSettings, 'client' | 'table'>,
  { since, now }: { /** Epoch milliseconds. */ readonly since: number; readonly now: Date },
): AsyncGenerator<readonly SummarizedDeadLetter[]> {
  let from: LedgerItem | undefined;
  do {
    const { Items: items = [], LastEvaluatedKey: last } = await client.query({
      TableName: table,
      IndexName: DEAD_LETTERS_INDEX,
      KeyConditionExpression: '#list = :list AND #place >= :since',
      ExpressionAttributeNames: { '#list': ITEM.letterList, '#place': ITEM.letterPlace },
      ExpressionAttributeValues: {
        ':list': { S: LETTER_LIST },
        ':since': { S: new Date(Math.max(since, 0)).toISOString() },
      },
      ScanIndexForward: false,
      ...(from && { ExclusiveStartKey: from }),
    });
    yield items.flatMap((item) => toLetter(item, now));
    from = last;
  } while (from);
}

/** The dead letters about one entity or other thing, the newest first. */
export async function readLettersAbout(
  settings: ReadSettings,
  about: Pick<EventHead, 'shop' | 'kind' | 'id'>,
  now: Date,
): Promise<readonly SummarizedDeadLetter[]> {
  const keys = await readListing(settings, lettersAboutText(about));
  const items = await readItems(settings, keys);
  return items
    .flatMap((item) => toLetter(item, now))
    .filter(({ gone }) => !gone)
    .toSorted((one, other) => other.at - one.at);
}

/** These dead letters, also those that left the queue. */
export async function readLettersById(
  settings: ReadSettings,
  letterIds: readonly string[],
  now: Date,
): Promise<readonly SummarizedDeadLetter[]> {
  const keys = letterIds.map((id) => itemKeyOf(ledgerKeyText(deadLetterKey(id))));
  return (await readItems(settings, keys)).flatMap((item) => toLetter(item, now));
}

const KEY_PREFIX = ledgerKeyText(deadLetterKey(''));

function toLetter(item: LedgerItem, now: Date): readonly SummarizedDeadLetter[] {
  const key = item[ITEM.key]?.S ?? '';
  const isOver = Number(item[ITEM.expiresAt]?.N) * 1_000 <= now.getTime();
  if (isOver || !key.startsWith(KEY_PREFIX)) return [];
  const letter = readSummary(key.slice(KEY_PREFIX.length), item[ITEM.remembered]?.S);
  return letter ? [letter] : [];
}
