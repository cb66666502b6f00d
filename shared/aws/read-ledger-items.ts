import type { DynamoDbCalls } from './aws-calls.ts';
import { keyOnly, type LedgerItem } from './ledger-item.ts';

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
export async function readLedgerItems(
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
