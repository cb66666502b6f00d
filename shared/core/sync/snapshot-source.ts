import type { SnapshotSource } from './plan.ts';

/** As long as the store keeps the file that a feeder reads; the ledger remembers five times as long. */
const FRESH_MS = 7 * 86_400_000;

/** After so long the second of `updated_at` is over, and so is what the store needs to show it. */
const SETTLED_MS = 2 * 60_000;

/**
 * How far the snapshot of an event is trusted. One that a feeder read from the store is genuine, and
 * whatever changed since has left a newer version in the ledger. It counts as such only when it was read
 * well after the second it is about: until then that second may have had another state.
 */
export function snapshotSource(
  { version, readAt }: { readonly version: number; readonly readAt?: number },
  now: Date,
): SnapshotSource {
  if (readAt === undefined) return 'event';
  const fresh = now.getTime() - readAt <= FRESH_MS;
  return fresh && readAt - version >= SETTLED_MS ? 'feeder' : 'event';
}
