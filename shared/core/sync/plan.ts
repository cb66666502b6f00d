import { isKnown } from '../ledger/entry.ts';
import type { EntityEntry } from '../ledger/ledger.ts';
import type { SnapshotSource } from '../store/store.ts';

interface Situation {
  readonly entry: EntityEntry | undefined;
  /** The snapshot's own `updated_at`, epoch milliseconds. */
  readonly version: number;
  readonly source: SnapshotSource;
  /** Hash of the wanted state; undefined when the mapping skips the entity. */
  readonly wantedKey: string | undefined;
  readonly now: Date;
  /** A backfill asks for it. */
  readonly history?: boolean;
  /** If the version is that of the applied state, only the rules make a difference: see `differsByRulesAlone`. */
  readonly rulesChanged?: boolean;
  /** The service may hold another state than the entry says: the ledger was restored. */
  readonly inDoubt?: boolean;
  /** Sent even if nothing changed, because a person says that the service lost it. */
  readonly force?: boolean;
}

/** What to do about one snapshot. */
export type Plan =
  | { readonly kind: 'call' }
  /** No call, but the ledger learns the version, or a late middle snapshot would be applied. */
  | { readonly kind: 'unchanged'; readonly advance: boolean }
  | { readonly kind: 'superseded' }
  /** The store did not change it since it was sent: only the rules did. */
  | { readonly kind: 'rules-changed' }
  | { readonly kind: 'skip' }
  | { readonly kind: 'read-store'; readonly why: ReadStoreReason };

type ReadStoreReason =
  | 'same-second'
  | 'old-and-unknown'
  | 'uncertain-and-older'
  | 'skipped-and-older';

/** An event this late is either a long outage or a captured body: the store is asked. */
const OLD_AFTER_MS = 2 * 86_400_000;

export function plan(situation: Situation): Plan {
  const { entry, version, source, wantedKey, now } = situation;
  const { force, history, rulesChanged, inDoubt } = situation;
  const fromStore = source === 'store';

  // Version 0: no snapshot was recorded yet, only a rejection or a code that was announced.
  if (entry === undefined || (entry.version === 0 && !entry.uncertain)) {
    if (source === 'event' && now.getTime() - version > OLD_AFTER_MS) {
      return { kind: 'read-store', why: 'old-and-unknown' };
    }
    return wantedKey === undefined ? { kind: 'skip' } : { kind: 'call' };
  }

  if (version < entry.version) {
    // No other event may come to clear the mark: the worker that set it may have been late itself.
    if (entry.uncertain && !fromStore) return { kind: 'read-store', why: 'uncertain-and-older' };
    // The newer version was skipped, perhaps because only a backfill may send it: this is the backfill.
    if (history && !fromStore && !isKnown(entry)) {
      return { kind: 'read-store', why: 'skipped-and-older' };
    }
    // A store that answers with an older state than the ledger's lags behind: its answer counts only
    // while the entry is uncertain.
    if (!entry.uncertain) return { kind: 'superseded' };
  }

  if (wantedKey === undefined) return { kind: 'skip' };
  const known = entry.appliedKey !== undefined;
  const same = entry.appliedKey === wantedKey && !entry.uncertain && !inDoubt;
  if (same && !force) return { kind: 'unchanged', advance: version > entry.version };

  if (rulesChanged && known && !entry.uncertain && version === entry.version && !force) {
    return { kind: 'rules-changed' };
  }

  const tie = version === entry.version && !same && !entry.uncertain;
  if (tie && source === 'event') return { kind: 'read-store', why: 'same-second' };

  return { kind: 'call' };
}

/** As long as the store keeps a feeder's file. The ledger keeps orders at least five times as long. */
const FRESH_MS = 7 * 86_400_000;

/** After this time the second of `updated_at` is over, and the store shows its last state. */
const SETTLED_MS = 2 * 60_000;

/**
 * How far the snapshot of an event is trusted. One that a feeder read from the store is genuine, and a
 * later change has left a newer version in the ledger. It counts as `feeder` only when it was read well
 * after the second of its version: within that second the entity may have changed again.
 */
export function snapshotSource(
  { version, readAt }: { readonly version: number; readonly readAt?: number },
  now: Date,
): SnapshotSource {
  if (readAt === undefined) return 'event';
  const fresh = now.getTime() - readAt <= FRESH_MS;
  return fresh && readAt - version >= SETTLED_MS ? 'feeder' : 'event';
}
