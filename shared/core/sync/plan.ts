import type { EntityEntry } from '../ledger/ledger.ts';

/**
 * Where a snapshot comes from decides how far it is trusted: `event` may be late or a captured body,
 * `feeder` was read from the store some time ago, `store` a moment ago.
 */
export type SnapshotSource = 'event' | 'feeder' | 'store';

export interface Situation {
  readonly entry: EntityEntry | undefined;
  /** The snapshot's own `updated_at`, epoch milliseconds. */
  readonly version: number;
  readonly source: SnapshotSource;
  /** Hash of the wanted state; undefined when the mapping skips the entity. */
  readonly wantedKey: string | undefined;
  readonly now: Date;
  /** Sent even if nothing changed, because a person says that the service lost it. */
  readonly force?: boolean;
}

/**
 * What to do about one snapshot.
 *
 * `mark`: the calls replace a state that was already applied, so the ledger must say so first. A
 * worker that dies between the call and the record, followed by a return to the earlier state,
 * would otherwise leave the service wrong for ever.
 */
export type Plan =
  | { readonly kind: 'call'; readonly mark: boolean }
  /** No call, but the ledger learns the version, or a late middle snapshot would be applied. */
  | { readonly kind: 'unchanged'; readonly advance: boolean }
  | { readonly kind: 'superseded' }
  | { readonly kind: 'skip' }
  | { readonly kind: 'read-store'; readonly why: ReadStoreReason };

type ReadStoreReason = 'same-second' | 'old-and-unknown' | 'uncertain-and-older';

/** An event this late is either a long outage or a captured body: only the store can tell. */
const OLD_AFTER_MS = 2 * 86_400_000;

export function plan({ entry, version, source, wantedKey, now, force }: Situation): Plan {
  const fromStore = source === 'store';

  // Version 0 is an entry in which nothing was ever settled: a rejection, a code that was announced.
  if (entry === undefined || (entry.version === 0 && !entry.uncertain)) {
    if (source === 'event' && now.getTime() - version > OLD_AFTER_MS) {
      return { kind: 'read-store', why: 'old-and-unknown' };
    }
    return wantedKey === undefined ? { kind: 'skip' } : { kind: 'call', mark: false };
  }

  if (version < entry.version) {
    // Nobody else may come to clear the mark: the one who set it may have been late itself.
    if (entry.uncertain && !fromStore) return { kind: 'read-store', why: 'uncertain-and-older' };
    // A store that answers with an older state than the ledger has seen lags behind: its word
    // counts only where nothing better is known.
    if (!entry.uncertain) return { kind: 'superseded' };
  }

  if (wantedKey === undefined) return { kind: 'skip' };
  const known = entry.appliedKey !== undefined;
  const same = entry.appliedKey === wantedKey && !entry.uncertain;
  if (same && !force) return { kind: 'unchanged', advance: version > entry.version };

  const tie = version === entry.version && !same && !entry.uncertain;
  if (tie && source === 'event') return { kind: 'read-store', why: 'same-second' };

  return { kind: 'call', mark: known && !entry.uncertain };
}
