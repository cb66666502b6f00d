import type { MappingRules } from '../../config/mapping-settings.ts';
import { DEAD_LETTER_DAYS, DROPPED } from '../batch/dead-letter.ts';
import { type EntityKey, type EntityKind, inBatches } from '../events/event.ts';
import type { MappingSkip } from '../events/outcome.ts';
import { type Doubt, isInDoubt, isKnown, wasSettledSince } from '../ledger/entry.ts';
import {
  type EntityEntry,
  isNewer,
  type LedgerEntry,
  ledgerKeyText,
  type PastOutcome,
} from '../ledger/ledger.ts';
import { mapSnapshot } from '../mapping/map-snapshot.ts';
import type { Mapped } from '../mapping/wanted-state.ts';
import type { StoreEntity } from '../store/store.ts';
import { announce } from '../sync/handle-task.ts';
import { planKey } from '../sync/observe-entity.ts';
import { sentOf, wantedKeyOf } from './compare-sides.ts';
import {
  type Compared,
  type ReconcileDeps,
  type ReconciledShop,
  type Sent,
  type SentReason,
  sendOnce,
} from './dependencies.ts';
import type { SentOrder } from './read-orders.ts';

interface Seen {
  readonly id: string;
  readonly version: number;
  readonly entity: StoreEntity | undefined;
}

export interface Purpose {
  /** What changed before and is not in the ledger is history, and left to a backfill. */
  readonly since: number;
  /** Everything is compared, and not only what has changed. */
  readonly isDeep: boolean;
  /** What differs is no lost webhook: none announces it. */
  readonly isNoLoss?: true;
  /** Orders are read from the loyalty service, too. */
  readonly readsOrders: boolean;
}

export async function compareEntities(
  { domain, rules, doubt, mode, ...shop }: ReconciledShop,
  kind: EntityKind,
  seen: readonly Seen[],
  { since, isDeep, isNoLoss }: Purpose,
  deps: ReconcileDeps,
): Promise<Compared & { readonly sentOrders: readonly SentOrder[] }> {
  const { ledger, now, orderRetentionDays, rewards } = deps;
  const isDated = !shop.versionsAreReadings?.includes(kind);
  // The date of a customer also moves with orders and with balances that are written.
  const versionsAreReadings = !isDated || kind === 'member';
  const keyOf = ({ id }: Seen) => ({ shop: domain, kind, id });
  // After go-live, what was only planned is missing, however old it is.
  const looksForPlans = mode === 'observe' || doubt !== undefined;
  const plans = looksForPlans ? seen.map((one) => planKey(keyOf(one))) : [];
  const entries = await ledger.readMany([...seen.map(keyOf), ...plans]);
  const planOf = (one: Seen) =>
    looksForPlans ? entries.get(ledgerKeyText(planKey(keyOf(one)))) : undefined;
  const asSent = await Promise.all(
    seen.map(async ({ entity, ...one }) => ({
      ...one,
      entity: entity && rewards ? await rewards.orderAsSent(domain, entity, ledger) : entity,
    })),
  );
  const sentOrders: SentOrder[] = [];
  const differing = asSent.flatMap((one) => {
    const key = keyOf(one);
    if (isNewer(entries, ledgerKeyText(key))) return [];
    const entry = entries.get(ledgerKeyText(key));
    const { version, entity } = one;
    const planned = planOf(one);
    const from = planned ? Number.NEGATIVE_INFINITY : since;
    const at = { rules, doubt, since: from, versionsAreReadings, orderRetentionDays, now: now() };
    const plan = mode === 'observe' ? planned : undefined;
    const judgement = judgeEntity({ key, entry, plan, version, entity, ...at });
    if (kind === 'order' && judgement.kind === 'fine' && isKnown(entry) && !entry.uncertain) {
      sentOrders.push({ id: one.id, entry, applied: judgement.applied });
    }
    if (judgement.kind !== 'heal') return [];
    const { why, wantedKey } = judgement;
    // Nothing differs that is sent, or it may be older than the connector and have changed in nothing since.
    const isSame = wantedKey !== undefined && wantedKey === entry?.appliedKey;
    const isUnannounced = why === 'missing' || (why === 'stale' && isSame);
    const isQuiet = (kind === 'product' && deps.quietProducts) || (kind === 'member' && isDated);
    const coupon = entity?.kind === 'coupon' ? entity.coupon : undefined;
    const reason = isQuiet && isUnannounced ? 'unannounced' : reasonOf(why);
    return [{ key, version, wantedKey, coupon, why: reason }];
  });
  const coupons = differing.flatMap(({ coupon }) => coupon ?? []);
  await announce(domain, coupons, ledger);
  const sent: Sent[] = [];
  await inBatches(differing, async ({ key, version, wantedKey, coupon, why }) => {
    // Each doubt asks anew, also for a state that was asked for minutes ago.
    const state = doubt ? String(doubt.until) : wantedKey;
    const history = why === 'dead-letter-expired' && kind === 'order' && { history: true };
    const found = { ...key, version, coupon, why };
    if (await sendOnce({ ...found, claim: 'changed', state, ...history }, deps)) {
      sent.push({ id: key.id, why });
    }
  });
  return { lookedAt: seen.length, sent, sentOrders };

  function reasonOf(why: HealReason): SentReason {
    if (doubt) return 'recovered';
    // A change of that very second would have been found by the scheduled scan, within the hour.
    return isNoLoss || (isDeep && why === 'different') ? 'rules-changed' : why;
  }
}

export interface Comparison {
  readonly key: EntityKey;
  readonly entry: EntityEntry | undefined;
  /** Of an observed shop: what would have been sent. */
  readonly plan?: LedgerEntry | undefined;
  /** When the store changed it, or when it was read, epoch milliseconds. */
  readonly version: number;
  readonly versionsAreReadings?: boolean;
  /** Undefined where it could not be read: then only versions are compared. */
  readonly entity: StoreEntity | undefined;
  readonly rules: MappingRules;
  readonly since: number;
  readonly orderRetentionDays: number;
  readonly doubt?: Doubt | undefined;
  readonly now: Date;
}

type Judgement =
  /** `applied`: the store's state, if the ledger says that it was applied. */
  | { readonly kind: 'fine'; readonly applied?: Mapped | undefined }
  /** Of an observed shop: as it was planned. */
  | { readonly kind: 'planned' }
  /** Rejected at this version: its dead letter may wait for a person, or a person dropped it. */
  | { readonly kind: 'waits' }
  /** Older than the connector, or than the ledger's memory of it. */
  | { readonly kind: 'history' }
  | { readonly kind: 'heal'; readonly why: HealReason; readonly wantedKey: string | undefined };

type HealReason = Extract<
  SentReason,
  'missing' | 'stale' | 'different' | 'uncertain' | 'dead-letter-expired'
>;

const HISTORY: MappingSkip = 'before-go-live';
/** A day more than the queue keeps a dead letter, which is sent after the rejection was recorded. */
const LETTER_GONE_MS = (DEAD_LETTER_DAYS + 1) * 86_400_000;

/** See docs/decisions/0018-reconcile-compares-whole-snapshots-not-versions.md. */
export function judgeEntity(comparison: Comparison): Judgement {
  const { key, entry, version, entity, rules, now, versionsAreReadings = false } = comparison;
  // No line is of this very reading: the newest one counts.
  const last = entry && (versionsAreReadings ? entry.outcomes.at(-1) : lastLine(entry, version));
  if (last?.outcome === DROPPED) return { kind: 'waits' };
  const rejectedAt = last?.outcome === 'rejected' ? Date.parse(last.at) : undefined;
  if (rejectedAt !== undefined && now.getTime() - rejectedAt < LETTER_GONE_MS) {
    return { kind: 'waits' };
  }
  // What was rejected was asked for, if by a backfill only: an order from before go-live, too.
  const asked = rejectedAt !== undefined && { history: true };
  const snapshot = { kind: 'snapshot', version, source: 'store', ...asked } as const;
  const mapped = entity && mapSnapshot(key, { ...snapshot, entity }, entry, rules, now);
  const wantedKey = wantedKeyOf(mapped);
  if (isPlanned(comparison, wantedKey)) return { kind: 'planned' };
  const heal = (why: HealReason): Judgement => ({ kind: 'heal', why, wantedKey });
  // The mapping skips it, with or without an event. But the service may hold it, and the ledger have forgotten that.
  if (mapped?.kind === 'skip') return isForgotten(comparison) ? heal('missing') : { kind: 'fine' };
  if (rejectedAt !== undefined) return heal('dead-letter-expired');

  if (entry?.uncertain) return heal('uncertain');
  // Version 0 is an entry in which nothing was ever settled.
  if (entry === undefined || entry.version === 0) {
    return isHistory(comparison, mapped) ? { kind: 'history' } : heal('missing');
  }
  if (version < entry.version) return { kind: 'fine' };
  if (version > entry.version && !versionsAreReadings) return heal('stale');
  // A rule that fails for an entity settled long ago would only make a dead letter.
  if (wantedKey === undefined) return { kind: 'fine' };
  switch (sentOf({ mapped, entry }, wantedKey)) {
    case 'as-it-is': {
      const wasChanged =
        mapped?.kind === 'wanted' && 'changed' in mapped.wanted && mapped.wanted.changed;
      // How much was taken the service does not show: the worker reads the order, and tries the keys of its refunds.
      if (wasChanged && isInDoubt(entry, comparison.doubt)) return heal('uncertain');
      return { kind: 'fine', applied: mapped };
    }
    // A change of the rules takes nothing back by itself: `resend` does, on request.
    case 'by-other-rules':
      return { kind: 'fine' };
    default:
      return heal(versionsAreReadings ? 'stale' : 'different');
  }
}

/** An equal state needs no new plan, however often it is read. */
function isPlanned(
  { plan, entity, version, versionsAreReadings }: Comparison,
  wantedKey: string | undefined,
): boolean {
  if (!plan) return false;
  if (entity && plan.appliedKey === wantedKey) return true;
  return !versionsAreReadings && plan.version >= version;
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

/**
 * What is older and not in the ledger is older than the connector, or its entry has expired: orders and
 * ended codes expire, and would be sent again and again.
 */
function isHistory(
  { key, version, versionsAreReadings, entity, since, orderRetentionDays, now }: Comparison,
  mapped: Mapped | undefined,
): boolean {
  if (version < since) return true;
  const isOver = mapped?.kind === 'wanted' && mapped.wanted.kind === 'inactive-coupon';
  if (key.kind !== 'order' && !isOver) return false;
  const isDated = !versionsAreReadings || entity?.kind !== 'order';
  const from = isDated ? version : Date.parse(entity.order.placedAt);
  return from < now.getTime() - orderRetentionDays * 86_400_000;
}
