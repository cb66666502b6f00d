import type { StoreCoupon } from '../../store/coupon.ts';
import { DEAD_LETTER_DAYS, DROPPED } from '../batch/dead-letter.ts';
import { inBatches } from '../batch/run-batch.ts';
import type { EntityKey } from '../events/event.ts';
import type { MappingSkip } from '../events/outcome.ts';
import { type Doubt, isDoubtful, isKnown, wasSettledSince } from '../ledger/entry.ts';
import {
  type EntityEntry,
  isNewer,
  type Ledger,
  ledgerKeyText,
  type PastOutcome,
  type RecordKey,
  readEntry,
  rememberedForm,
} from '../ledger/ledger.ts';
import { differsByRulesAlone } from '../mapping/map-order.ts';
import { type EntityRules, mapSnapshot } from '../mapping/map-snapshot.ts';
import { idempotencyKey, type Mapped, type WantedOrder } from '../mapping/wanted-state.ts';
import { withRewardCodeFirst } from '../redemptions/reward-codes.ts';
import type { StoreEntity } from '../store/store.ts';
import { announce } from '../sync/fan-out.ts';
import type { SentOrder } from './compare-order.ts';
import {
  type Compared,
  type HealedKind,
  healingMessage,
  type Purpose,
  type ReconcileDeps,
  type ReconciledShop,
  type Sent,
  type SentReason,
  sendOnce,
} from './dependencies.ts';

/** What the store says of one entity. */
export interface Seen {
  readonly id: string;
  readonly version: number;
  readonly entity: StoreEntity | undefined;
}

/** Compares a page of the store with the ledger and sends a message for each difference. */
export async function compareEntities(
  shop: ReconciledShop,
  kind: HealedKind,
  seen: readonly Seen[],
  purpose: Purpose,
  deps: ReconcileDeps,
): Promise<Compared & { readonly sentOrders: readonly SentOrder[] }> {
  const { ledger, now, telemetry, orderRetentionDays } = deps;
  const keyOf = ({ id }: Seen): EntityKey => ({ shop: shop.domain, kind, id });
  const entries = await ledger.readMany(seen.map(keyOf));
  const asSent = await Promise.all(
    seen.map(async ({ entity, ...one }) => ({
      ...one,
      entity: entity && (await withRewardCodeFirst(shop.domain, entity, ledger)),
    })),
  );
  const sentOrders: SentOrder[] = [];
  const differing = asSent.flatMap((one) => {
    const key = keyOf(one);
    const { version, entity } = one;
    if (isNewer(entries, ledgerKeyText(key))) return [];
    const entry = entries.get(ledgerKeyText(key));
    const { rules, doubt } = shop;
    const at = { rules, doubt, since: purpose.since, orderRetentionDays, now: now() };
    const judgement = judgeEntity({ key, entry, version, entity, ...at });
    if (kind === 'order' && judgement.kind === 'fine' && isKnown(entry) && !entry.uncertain) {
      sentOrders.push({ id: one.id, entry, wanted: judgement.applied });
    }
    if (judgement.kind !== 'heal') return [];
    const { why, wantedKey } = judgement;
    // Nothing differs that is sent, or it may be older than the connector and have changed in nothing since.
    const isSame = wantedKey !== undefined && wantedKey === entry?.appliedKey;
    const isUnannounced = why === 'missing' || (why === 'stale' && isSame);
    const isQuiet = deps.quietProducts && kind === 'product' && isUnannounced;
    return [{ ...one, key, judgement, isQuiet }];
  });
  await announce(
    shop.domain,
    differing.flatMap(({ entity }) => couponIn(entity) ?? []),
    ledger,
  );
  const sent: Sent[] = [];
  await inBatches(differing, async ({ key, id, version, entity, judgement, isQuiet }) => {
    const { wantedKey } = judgement;
    const why = reasonOf(judgement.why, isQuiet);
    const found = { shop: shop.domain, id, version, now: now() };
    // Each doubt asks anew, also for a state that was asked for minutes ago.
    const state = shop.doubt ? String(shop.doubt.until) : wantedKey;
    const message = healingMessage(kind, found, state, couponIn(entity));
    const asked = why === 'letter-expired' && kind === 'order' && { history: true };
    if (!(await sendOnce({ ...message, ...asked }, deps))) return;
    sent.push({ id, version, why });
    telemetry.log('info', 'sent by reconciling', { ...key, why });
  });
  return { lookedAt: seen.length, sent, sentOrders };

  function reasonOf(why: HealReason, isQuiet: boolean): SentReason {
    if (isQuiet) return 'unannounced';
    if (shop.doubt) return 'recovered';
    // A change of that very second would have been found by the scheduled scan, within the hour.
    return purpose.isDeep && why === 'different' ? 'rules-changed' : why;
  }
}

function couponIn(entity: StoreEntity | undefined): StoreCoupon | undefined {
  return entity?.kind === 'coupon' ? entity.coupon : undefined;
}

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

type Judgement =
  /** `applied`: of an order, the store's state, if the ledger says that it was applied. */
  | { readonly kind: 'fine'; readonly applied?: WantedOrder }
  /** Rejected at this version: its dead letter may wait for a person, or a person dropped it. */
  | { readonly kind: 'waits' }
  /** Older than the connector, or than the ledger's memory of it. */
  | { readonly kind: 'history' }
  | { readonly kind: 'heal'; readonly why: HealReason; readonly wantedKey: string | undefined };

type HealReason = Extract<
  SentReason,
  'missing' | 'stale' | 'different' | 'uncertain' | 'letter-expired'
>;

const HISTORY: MappingSkip = 'before-go-live';
/** A day more than the queue keeps a letter: it is sent after the rejection was recorded. */
const LETTER_GONE_MS = (DEAD_LETTER_DAYS + 1) * 86_400_000;

/**
 * Compares the ledger's entry of an entity with what the store says.
 * See docs/decisions/0018-reconcile-compares-whole-snapshots-not-versions.md.
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

/** A state of the reconciliation, kept in the ledger as a cursor. */
interface Kept<State> {
  /** Undefined: there is none, or none that this release can read. */
  readonly state: State | undefined;
  readonly revision: number | undefined;
}

const form = rememberedForm<object>('cursor', 1);

export function cursorKey(shop: string, id: string): RecordKey<'cursor'> {
  return { shop, kind: 'cursor', id };
}

export async function recallState<State>(
  ledger: Pick<Ledger, 'readMany'>,
  key: RecordKey<'cursor'>,
): Promise<Kept<State>> {
  const entry = await readEntry(ledger, key);
  const state = form.read(entry?.remembered) as State | undefined;
  return { state, revision: entry?.revision };
}

/** The new revision; undefined when another run has written since. */
export async function keepState(
  ledger: Pick<Ledger, 'write'>,
  key: RecordKey<'cursor'>,
  state: object,
  { version, revision }: { readonly version: number; readonly revision: number | undefined },
): Promise<number | undefined> {
  const entry = { version, uncertain: false, remembered: form.write(state), outcomes: [] };
  const written = await ledger.write(key, entry, revision);
  return written.kind === 'written' ? written.revision : undefined;
}
