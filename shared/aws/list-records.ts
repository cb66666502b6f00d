import type { LedgerEntry } from '../core/ledger/ledger.ts';
import { fromItem, ITEM, type ListedRecord, listedIdIn } from './ledger-item.ts';
import { queryListing, type ReadSettings, readItems } from './read-ledger.ts';

export interface FoundRecord {
  readonly id: string;
  readonly entry: LedgerEntry;
}

/** All records of a kind and shop, by the index: the table itself may hold millions. */
export async function listRecords(
  settings: ReadSettings,
  shop: string,
  kind: ListedRecord,
): Promise<readonly FoundRecord[]> {
  const idOf = new Map<string, string>();
  let from: string | undefined;
  do {
    const { items, next } = await queryListing(settings, shop, kind, from);
    for (const item of items) {
      idOf.set(item[ITEM.key]?.S ?? '', listedIdIn(shop, kind, item) ?? '');
    }
    from = next;
  } while (from !== undefined);
  const items = await readItems(settings, [...idOf.keys()]);
  return items.map((item) => {
    return { id: idOf.get(item[ITEM.key]?.S ?? '') ?? '', entry: fromItem(item).entry };
  });
}

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
