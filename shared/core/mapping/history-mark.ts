import type { EntityEntry } from '../ledger/ledger.ts';

/** In an order's `Metadatas`: it is older than the connector, so campaigns need not fire. */
export const HISTORY_METADATA = { name: 'history', value: 'true' } as const;

/** Something was applied, or may have been. */
export function isKnown(entry: EntityEntry | undefined): entry is EntityEntry {
  return entry !== undefined && (entry.appliedKey !== undefined || entry.uncertain);
}

/**
 * Whether an order is history. The first send decides: a later change must not look like a new order,
 * and an order that was sent live is not sent again for the mark.
 * See docs/decisions/0022-history-is-a-mark-that-stays.md.
 */
export function isHistory(
  entry: EntityEntry | undefined,
  { history }: { readonly history?: boolean },
): boolean {
  return isKnown(entry) ? entry.history === true : history === true;
}
