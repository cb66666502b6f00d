import type { StoreEvent } from '../events/store-event.ts';
import { isHistory } from '../mapping/history-mark.ts';
import type { Mapped } from '../mapping/wanted-state.ts';
import type { Snapshot } from '../sync/read-snapshot.ts';
import { idempotencyKey } from './idempotency-key.ts';
import { type EntityEntry, type EntityWrite, OUTCOMES_KEPT, type PastOutcome } from './ledger.ts';
import type { EntityKey } from './ledger-key.ts';
import { redactionOf } from './redacted-person.ts';

/** What the next entry is made from. */
export interface EntryChange {
  readonly key: EntityKey;
  readonly event: StoreEvent;
  readonly entry: EntityEntry | undefined;
  readonly snapshot: Snapshot;
  readonly world: { readonly now: () => Date; readonly orderRetentionDays: number };
}

/**
 * Before calls that replace an applied state: from here on nobody may take the old key's word. The
 * version is that of the attempt, so that an older snapshot asks the store instead of overtaking it.
 */
export function markedEntry(
  change: EntryChange,
  { revision: _, ...entry }: EntityEntry,
): EntityWrite {
  return { ...entry, version: newestVersion(change), uncertain: true };
}

/** After a first send whose fate is unknown: remembered as if it had arrived, trusted as if not. */
export function attemptedEntry(
  change: EntryChange,
  mapped: Extract<Mapped, { kind: 'wanted' }>,
): EntityWrite {
  const { appliedKey: _, ...entry } = appliedEntry(change, mapped);
  return { ...entry, uncertain: true, outcomes: history(change, 'attempted') };
}

export function appliedEntry(
  change: EntryChange,
  { wanted, remember }: Extract<Mapped, { kind: 'wanted' }>,
): EntityWrite {
  return {
    version: newestVersion(change),
    appliedKey: idempotencyKey(wanted),
    uncertain: false,
    ...(remember !== undefined && { remembered: remember }),
    ...discountOf(change),
    ...historyOf(change),
    ...redactionOf(change.entry),
    ...expiry(change, wanted),
    outcomes: history(change, 'applied'),
  };
}

/** The version moves on without a call, or a late middle snapshot would be applied. */
export function unchangedEntry(change: EntryChange, entry: EntityEntry): EntityWrite {
  const { revision: _, ...rest } = entry;
  return {
    ...rest,
    version: newestVersion(change),
    ...discountOf(change),
    ...(change.key.kind === 'order' && expiresAfterRetention(change)),
    outcomes: history(change, 'unchanged'),
  };
}

export function skippedEntry(change: EntryChange, why: string): EntityWrite {
  return {
    ...carriedOver(change.entry),
    version: newestVersion(change),
    ...(!change.entry?.appliedKey && expiresAfterRetention(change)),
    outcomes: history(change, 'skipped', why),
  };
}

/** Keeps its version: what was rejected was not settled, and a replay of it must not look late. */
export function rejectedEntry(change: EntryChange, why: string): EntityWrite {
  return {
    ...carriedOver(change.entry),
    version: change.entry?.version ?? 0,
    ...(change.key.kind === 'order' && expiresAfterRetention(change)),
    outcomes: history(change, 'rejected', why),
  };
}

function carriedOver(entry: EntityEntry | undefined): Omit<EntityWrite, 'version' | 'outcomes'> {
  if (!entry) return { uncertain: false };
  const { revision: _, version: __, outcomes: ___, ...rest } = entry;
  return rest;
}

const newestVersion = ({ snapshot, entry }: EntryChange): number =>
  Math.max(snapshot.version, entry?.version ?? 0);

function history(change: EntryChange, outcome: string, why?: string): readonly PastOutcome[] {
  const { event, snapshot, entry, world } = change;
  const { version } = snapshot;
  const line = { at: world.now().toISOString(), outcome, version, topic: event.topic };
  const lines = [...(entry?.outcomes ?? []), { ...line, ...(why !== undefined && { why }) }];
  return lines.slice(-OUTCOMES_KEPT);
}

function discountOf({ snapshot, entry }: EntryChange): Pick<EntityWrite, 'discountId'> {
  const { entity } = snapshot;
  const discountId = entity.kind === 'coupon' ? entity.coupon.discountId : entry?.discountId;
  return discountId === undefined ? {} : { discountId };
}

function historyOf({ key, snapshot, entry }: EntryChange): Pick<EntityWrite, 'history'> {
  return key.kind === 'order' && isHistory(entry, snapshot) ? { history: true } : {};
}

/** Orders expire; products and coupons only once they are over. */
function expiry(
  change: EntryChange,
  wanted: Extract<Mapped, { kind: 'wanted' }>['wanted'],
): Pick<EntityWrite, 'expiresAt'> {
  const isOver = change.snapshot.entity.kind === 'gone' || wanted.kind === 'inactive-coupon';
  return change.key.kind === 'order' || isOver ? expiresAfterRetention(change) : {};
}

function expiresAfterRetention({ world }: EntryChange): { readonly expiresAt: number } {
  return {
    expiresAt: Math.floor(world.now().getTime() / 1000) + world.orderRetentionDays * 86_400,
  };
}
