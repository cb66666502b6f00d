import type { Ledger } from '../core/ledger/ledger.ts';
import type { DynamoDbCalls } from './aws-calls.ts';
import {
  fromItem,
  ITEM,
  keyIn,
  keyOnly,
  type LedgerItem,
  LISTING_INDEX,
  listedIdIn,
  listingText,
} from './ledger-item.ts';

export interface ReadSettings {
  readonly client: DynamoDbCalls;
  readonly table: string;
  readonly pause: (milliseconds: number) => Promise<unknown>;
  /** From 0 to below 1. */
  readonly random: () => number;
}

/** DynamoDB, BatchGetItem. */
const KEYS_PER_REQUEST = 100;
/** Together below 2 s of pauses; what is then still unread fails the batch, which comes back later. */
const ROUNDS = 6;
const FIRST_PAUSE_MS = 50;

/** The items of these distinct keys that exist, strongly consistent. */
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

type Place = Pick<ReadSettings, 'client' | 'table'>;

const ITEMS_PER_PAGE = 200;

/** One page of what is listed under a discount or a kind of record: the keys and nothing else. */
export async function queryListing(
  { client, table }: Place,
  shop: string,
  listedUnder: string,
  from: string | undefined,
): Promise<{ readonly items: readonly LedgerItem[]; readonly next?: string }> {
  const listing = { S: listingText(shop, listedUnder) };
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
  const { items, ...rest } = await queryListing(place, shop, discountId, from);
  return { codes: items.flatMap((item) => listedIdIn(shop, 'coupon', item) ?? []), ...rest };
}

/** One page of the whole table. Half the price of a consistent read, and a later walk asks again. */
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
    const key = keyIn(item);
    return key ? [{ key, entry: fromItem(item).entry }] : [];
  });
  return { entries, ...nextFrom(last) };
}

function nextFrom(last: LedgerItem | undefined): { readonly next?: string } {
  const next = last?.[ITEM.key]?.S;
  return next === undefined ? {} : { next };
}
