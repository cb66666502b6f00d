import { fromItem } from './ledger-item.ts';
import { type ListedItem, listLedgerItems } from './list-ledger-items.ts';
import type { ReadSettings } from './read-ledger-items.ts';

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
  const items = await listLedgerItems(settings, shop, 'notice');
  return items
    .map((one) => noticeOf(shop, one))
    .toSorted((one, other) => one.at.localeCompare(other.at));
}

function noticeOf(shop: string, { id, item }: ListedItem): LedgerNotice {
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
