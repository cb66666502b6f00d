import {
  CODES_INDEX,
  discountText,
  ITEM,
  indexedIdIn,
  type LedgerItem,
  type ListedKind,
} from './ledger-item.ts';
import { type ReadSettings, readLedgerItems } from './read-ledger-items.ts';

export interface ListedItem {
  readonly id: string;
  readonly item: LedgerItem;
}

/** All items of a kind and shop, by the index: the table itself may hold millions. */
export async function listLedgerItems(
  settings: ReadSettings,
  shop: string,
  kind: ListedKind,
): Promise<readonly ListedItem[]> {
  const found: LedgerItem[] = [];
  let from: LedgerItem | undefined;
  do {
    const { Items: items = [], LastEvaluatedKey: last } = await settings.client.query({
      TableName: settings.table,
      IndexName: CODES_INDEX,
      KeyConditionExpression: '#discount = :kind',
      ExpressionAttributeNames: { '#discount': ITEM.discount },
      ExpressionAttributeValues: { ':kind': { S: discountText(shop, kind) } },
      ...(from && { ExclusiveStartKey: from }),
    });
    found.push(...items);
    from = last;
  } while (from);

  const idOf = new Map(
    found.map((item) => [item[ITEM.key]?.S ?? '', indexedIdIn(shop, kind, item) ?? '']),
  );
  const items = await readLedgerItems(settings, [...idOf.keys()]);
  return items.map((item) => ({ id: idOf.get(item[ITEM.key]?.S ?? '') ?? '', item }));
}
