import type { StoreOrder } from '../../store/store-entities.ts';
import type { EntityEntry, Ledger } from '../ledger/ledger.ts';
import type { OrderRules } from './mapping-rules.ts';

/** In an order's `Metadatas`: it is older than the program, so campaigns need not fire. */
export const HISTORY_METADATA = { name: 'history', value: 'true' } as const;

/** Something was applied, or may have been. */
export function isKnown(entry: EntityEntry | undefined): entry is EntityEntry {
  return entry !== undefined && (entry.appliedKey !== undefined || entry.uncertain);
}

/** The rules with the moment of go-live: as set, as the shop's control record says, or when the ledger was created. */
export async function withGoLive<Rules extends Pick<OrderRules, 'goLive'>>(
  rules: Rules,
  recorded: number | undefined,
  ledger: Pick<Ledger, 'createdAt'>,
): Promise<Rules> {
  if (rules.goLive !== undefined) return rules;
  return { ...rules, goLive: new Date(recorded ?? (await ledger.createdAt())).toISOString() };
}

/**
 * An order that was placed before go-live is history. What the service holds decides first: an order that
 * was sent live is not sent again for the mark, and one that was sent with it keeps it.
 * See docs/decisions/0022-history-is-before-go-live.md.
 */
export function isHistory(
  entry: EntityEntry | undefined,
  { placedAt }: Pick<StoreOrder, 'placedAt'>,
  { goLive }: Pick<OrderRules, 'goLive'>,
): boolean {
  if (isKnown(entry)) return entry.history === true;
  return goLive !== undefined && Date.parse(placedAt) < Date.parse(goLive);
}
