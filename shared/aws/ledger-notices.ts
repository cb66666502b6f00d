import {
  CODES_INDEX,
  discountText,
  fromItem,
  ITEM,
  indexedIdIn,
  type LedgerItem,
  NOTICES,
} from './ledger-item.ts';
import { type ReadSettings, readLedgerItems } from './read-ledger-items.ts';

/** Something that a person must see and the connector does not act on by itself. */
export interface LedgerNotice {
  readonly shop: string;
  /** `data-request`, `shop-redact`, `app-uninstalled`. */
  readonly notice: string;
  /** What the store calls it. */
  readonly id: string;
  /** ISO 8601. */
  readonly at: string;
  readonly why: string;
}

/** The notices of a shop, the oldest first, by the index: the table itself may hold millions. */
export async function listNotices(
  settings: ReadSettings,
  shop: string,
): Promise<readonly LedgerNotice[]> {
  const found: LedgerItem[] = [];
  let from: LedgerItem | undefined;
  do {
    const { Items: items = [], LastEvaluatedKey: last } = await settings.client.query({
      TableName: settings.table,
      IndexName: CODES_INDEX,
      KeyConditionExpression: '#discount = :notices',
      ExpressionAttributeNames: { '#discount': ITEM.discount },
      ExpressionAttributeValues: { ':notices': { S: discountText(shop, NOTICES) } },
      ...(from && { ExclusiveStartKey: from }),
    });
    found.push(...items);
    from = last;
  } while (from);

  const idOf = new Map(
    found.map((item) => [item[ITEM.key]?.S ?? '', indexedIdIn(shop, 'notice', item) ?? '']),
  );
  const items = await readLedgerItems(settings, [...idOf.keys()]);
  return items
    .map((item) => noticeOf(shop, idOf.get(item[ITEM.key]?.S ?? '') ?? '', item))
    .toSorted((one, other) => one.at.localeCompare(other.at));
}

function noticeOf(shop: string, id: string, item: LedgerItem): LedgerNotice {
  const line = fromItem(item).entry.outcomes.at(-1);
  const slash = id.indexOf('/');
  return {
    shop,
    notice: line?.outcome ?? id.slice(0, slash),
    id: id.slice(slash + 1),
    at: line?.at ?? '',
    why: line?.why ?? '',
  };
}
