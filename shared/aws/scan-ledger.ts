import type { Ledger } from '../core/ledger/ledger.ts';
import type { DynamoDbCalls } from './aws-calls.ts';
import { fromItem, ITEM, keyIn, keyOnly } from './ledger-item.ts';

const ENTRIES_PER_PAGE = 200;

/** One page of the whole table. Half the price of a consistent read, and whoever walks asks again. */
export async function scanLedger(
  client: DynamoDbCalls,
  table: string,
  from: string | undefined,
): ReturnType<Ledger['scan']> {
  const { Items: items = [], LastEvaluatedKey: last } = await client.scan({
    TableName: table,
    Limit: ENTRIES_PER_PAGE,
    ...(from !== undefined && { ExclusiveStartKey: keyOnly(from) }),
  });
  const entries = items.flatMap((item) => {
    const key = keyIn(item);
    return key ? [{ key, entry: fromItem(item).entry }] : [];
  });
  const next = last?.[ITEM.key]?.S;
  return { entries, ...(next !== undefined && { next }) };
}
