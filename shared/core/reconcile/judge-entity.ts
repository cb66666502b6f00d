import { DEAD_LETTER_DAYS } from '../events/dead-letter.ts';
import { type Doubt, isDoubtful, wasSettledSince } from '../ledger/doubt.ts';
import { DROPPED } from '../ledger/dropped-letter.ts';
import { idempotencyKey } from '../ledger/idempotency-key.ts';
import type { EntityEntry, PastOutcome } from '../ledger/ledger.ts';
import type { EntityKey } from '../ledger/ledger-key.ts';
import { type EntityRules, mapSnapshot } from '../mapping/map-snapshot.ts';
import { differsByRulesAlone } from '../mapping/rules-revision.ts';
import type { Mapped, MappingSkip, WantedOrder } from '../mapping/wanted-state.ts';
import type { StoreEntity } from '../sync/store-reader.ts';
import type { SentReason } from './healing-message.ts';

export interface Comparison {
  readonly key: EntityKey;
  readonly entry: EntityEntry | undefined;
  /** The store's own `updated_at`, epoch milliseconds. */
  readonly version: number;
  /** Undefined: it could not be read, so only versions are compared. */
  readonly entity: StoreEntity | undefined;
  readonly rules: EntityRules;
  /** What changed before and is not in the ledger is history, and left to a backfill. */
  readonly since: number;
  readonly orderRetentionDays: number;
  readonly doubt?: Doubt | undefined;
  readonly now: Date;
}

export type Judgement =
  /** `applied`: of an order, the store's state, if the ledger says that it was applied. */
  | { readonly kind: 'fine'; readonly applied?: WantedOrder }
  /** Rejected at this version: its dead letter may wait for a person, or a person dropped it. */
  | { readonly kind: 'waits' }
  /** Older than the connector, or than the ledger's memory of it. */
  | { readonly kind: 'history' }
  | { readonly kind: 'heal'; readonly why: HealReason; readonly wantedKey: string | undefined };

export type HealReason = Extract<
  SentReason,
  'missing' | 'stale' | 'different' | 'uncertain' | 'letter-expired'
>;

const HISTORY: MappingSkip = 'before-go-live';
/** A day more than the queue keeps a letter: it is sent after the rejection was recorded. */
const LETTER_GONE_MS = (DEAD_LETTER_DAYS + 1) * 86_400_000;

/**
 * Compares the ledger's entry of an entity with what the store says.
 * See docs/decisions/0017-reconciling-compares-whole-snapshots.md.
 */
export function judgeEntity(comparison: Comparison): Judgement {
  const { key, entry, version, entity, rules, now } = comparison;
  const last = entry && lastLine(entry, version);
  if (last?.outcome === DROPPED) return { kind: 'waits' };
  const rejectedAt = last?.outcome === 'rejected' ? Date.parse(last.at) : undefined;
  if (rejectedAt !== undefined && now.getTime() - rejectedAt < LETTER_GONE_MS) {
    return { kind: 'waits' };
  }
  // What was rejected was asked for, if by a backfill only: an order from before go-live, too.
  const asked = rejectedAt !== undefined && { history: true };
  const mapped =
    entity &&
    mapSnapshot(
      key,
      { kind: 'snapshot', entity, version, source: 'store', ...asked },
      entry,
      rules,
      now,
    );
  const wantedKey = mapped?.kind === 'wanted' ? idempotencyKey(mapped.wanted) : undefined;
  const heal = (why: HealReason): Judgement => ({ kind: 'heal', why, wantedKey });
  // The mapping skips it, with or without an event. But the service may hold it, and the ledger have forgotten that.
  if (mapped?.kind === 'skip') return isForgotten(comparison) ? heal('missing') : { kind: 'fine' };
  if (rejectedAt !== undefined) return heal('letter-expired');

  if (entry?.uncertain) return heal('uncertain');
  // Version 0 is an entry in which nothing was ever settled.
  if (entry === undefined || entry.version === 0) {
    return version < earliestMissing(comparison, mapped) ? { kind: 'history' } : heal('missing');
  }
  if (version !== entry.version) return version > entry.version ? heal('stale') : { kind: 'fine' };
  // A rule that fails for an entity settled long ago would only make a dead letter.
  if (wantedKey === undefined) return { kind: 'fine' };
  if (wantedKey === entry.appliedKey) {
    const order = orderIn(mapped);
    // How much was taken the service does not show: the worker reads the order, and tries the keys of its refunds.
    if (order?.isRefunded && isDoubtful(entry, comparison.doubt)) return heal('uncertain');
    return { kind: 'fine', ...(order && { applied: order }) };
  }
  // A change of the rules takes nothing back by itself: `resend` does, on request.
  const wasSent = entry.appliedKey !== undefined;
  return wasSent && differsByRulesAlone(mapped, entry) ? { kind: 'fine' } : heal('different');
}

/** Changed since a moment to which the ledger was restored, and not looked at since it was. */
function isForgotten({ key, entry, version, doubt }: Comparison): boolean {
  if (!doubt || key.kind !== 'order') return false;
  return version >= doubt.since && !wasSettledSince(entry, doubt.until);
}

/**
 * The newest line of that version: a replay may have been applied since. An event that left an order from before
 * go-live alone says nothing of it, so what a backfill met before still counts.
 */
function lastLine({ outcomes }: EntityEntry, version: number): PastOutcome | undefined {
  const isOfVersion = (past: PastOutcome) => past.version === version;
  const lines = outcomes.filter(({ outcome, why }) => outcome !== 'skipped' || why !== HISTORY);
  const newest = lines.findLast(isOfVersion);
  return newest ?? (outcomes.some(isOfVersion) ? lines.at(-1) : undefined);
}

function orderIn(mapped: Mapped | undefined): WantedOrder | undefined {
  if (mapped?.kind !== 'wanted') return undefined;
  const { wanted } = mapped;
  return wanted.kind === 'order' || wanted.kind === 'cancelled-order' ? wanted : undefined;
}

/**
 * What is older and not in the ledger is older than the connector, or its entry has expired: orders and
 * ended codes expire, and would be sent again and again.
 */
function earliestMissing(
  { key, since, orderRetentionDays, now }: Comparison,
  mapped: Mapped | undefined,
): number {
  const isOver = mapped?.kind === 'wanted' && mapped.wanted.kind === 'inactive-coupon';
  if (key.kind !== 'order' && !isOver) return since;
  return Math.max(since, now.getTime() - orderRetentionDays * 86_400_000);
}
