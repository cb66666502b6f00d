import type { LoyaltyClient } from '../../loyalty/client.ts';
import type { StoreCoupon } from '../../store/coupon.ts';
import type { CircuitBreaker } from '../calls/call-loyalty.ts';
import type { Pauses } from '../calls/shop-pause.ts';
import {
  type Claim,
  type EventQueue,
  type QueueDepth,
  queueFamilyOf,
  type StoreEvent,
} from '../events/event.ts';
import type { Telemetry } from '../events/telemetry.ts';
import type { Doubt } from '../ledger/entry.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { EntityRules } from '../mapping/map-snapshot.ts';
import {
  encodeCoupon,
  type Store,
  type StoreUnavailable,
  type StoreWalk,
  type WalkedKind,
} from '../store/store.ts';
import type { CallAssumptions } from '../sync/change-service.ts';

export interface ReconcileDeps extends HealingDeps {
  readonly ledger: Ledger;
  /** A shop's account at the loyalty service. */
  readonly program: (shop: string) => {
    readonly loyalty: Pick<LoyaltyClient, 'getOrder'>;
    readonly breaker: CircuitBreaker;
    readonly assumptions: ReadingAssumptions;
  };
  readonly store: Pick<Store, 'readDiscount' | 'readCoupon'> & StoreWalk;
  readonly depth: QueueDepth;
  readonly telemetry: Telemetry;
  readonly now: () => Date;
  /** Ends early, without an error, when the deadline comes. */
  readonly pause: (ms: number) => Promise<void>;
  /** Comes early enough before the function's time-out to keep what was done. */
  readonly deadline: AbortSignal;
  /** Checks that webhooks are subscribed. Never rejects because of what it finds. */
  readonly checkSubscriptions: (shop: string) => Promise<void>;
  /** Compares balances with the loyalty service's report; undefined where there is no storefront. */
  readonly repairBalances?: (
    shop: string,
    othersWait: boolean,
    doubt: Doubt | undefined,
  ) => Promise<Repaired | undefined>;
  readonly pauses: Pick<Pauses, 'refresh' | 'of' | 'doubtOf' | 'goLiveOf'>;
  /** Messages of a paused shop fill the queues: their number says nothing about the others' messages. */
  readonly othersWait: boolean;
  /** How often a run is scheduled. */
  readonly everyMinutes: number;
  /** A run that heals a larger share than this means that webhooks get lost. */
  readonly healedPercent: number;
  /** The store announces a product only when something changes that is sent: a newer version alone is no loss. */
  readonly quietProducts: boolean;
  /** How long the ledger remembers an order, and what is over, after it was last written. */
  readonly orderRetentionDays: number;
}

export interface ReconciledShop {
  readonly domain: string;
  readonly rules: EntityRules;
  /** While it lasts, everything is compared again. */
  readonly doubt?: Doubt | undefined;
}

/** What a scan is for. */
export interface Purpose {
  /** What changed before and is not in the ledger is history, and left to a backfill. */
  readonly since: number;
  /** Everything is compared, and not only what has changed. */
  readonly isDeep: boolean;
  /** Orders are read from the loyalty service, too. */
  readonly readsOrders: boolean;
}

/** Something that was sent because it differed. */
export interface Sent {
  readonly id: string;
  /** The store's, epoch milliseconds. */
  readonly version: number;
  readonly why: SentReason;
}

export interface Compared {
  readonly lookedAt: number;
  readonly sent: readonly Sent[];
  /** Absent: none were. */
  readonly ordersRead?: OrdersRead;
}

/** Orders that were read from the loyalty service. */
export interface OrdersRead {
  readonly read: number;
  /** The service did not give them. */
  readonly unread: number;
  /** The service had lost their state. */
  readonly sentAgain: readonly Sent[];
  /** Ids of those that a person must look at. */
  readonly differing: readonly string[];
}

/** What one run did about balances. */
export interface Repaired {
  readonly compared: number;
  /** Customers whose balance the worker was asked to read. */
  readonly asked: number;
  /** Absent: everything was compared. */
  readonly stopped?: string;
}

/** Why a scan goes on in the next run: a name to filter by. */
export interface Stopped {
  readonly kind: 'stopped';
  readonly why: string;
  /** The store does not accept the cursor where the scan would continue. */
  readonly placeRefused?: boolean;
  /** Orders of the page could not be read from the loyalty service. */
  readonly readingStopped?: boolean;
  /** The least time before it can continue, where the store or the service named one. */
  readonly afterSeconds?: number;
  /** What was done before it stopped and is recorded nowhere else. */
  readonly sent?: Compared;
}

/** So many messages wait for the workers that more would delay live events. */
export const QUEUE_FULL: Stopped = { kind: 'stopped', why: 'queue-full' };
export const OUT_OF_TIME: Stopped = { kind: 'stopped', why: 'out-of-time' };
/** Another run has continued from the same position: it is newer, and this one ends. */
export const OVERTAKEN: Stopped = { kind: 'stopped', why: 'overtaken' };

/** The deadline ends waiting, and makes calls that are under way fail: then it is the reason. */
export function orOutOfTime(
  stopped: Stopped,
  { deadline }: Pick<ReconcileDeps, 'deadline'>,
): Stopped {
  return deadline.aborted ? OUT_OF_TIME : stopped;
}

export type ReadingAssumptions = Pick<
  CallAssumptions,
  'readTotals' | 'ordersAreReplaced' | 'refunds'
>;

export type HealedKind = 'order' | 'product' | 'coupon';

/** The loyalty service holds the codes of a discount, not the discount. */
export function healedKindOf(kind: WalkedKind): HealedKind {
  return kind === 'discount' ? 'coupon' : kind;
}

/** Why something was sent by reconciling. */
export type SentReason =
  /** No event of it was ever settled. */
  | 'missing'
  /** The store has changed it since. */
  | 'stale'
  /** The same version, but another state: two changes in one second. */
  | 'different'
  /** A call was begun and its outcome is not known. */
  | 'uncertain'
  /** The store no longer has it, or the discount has lost the code. */
  | 'deleted'
  | 'removed'
  /** It is mapped differently today: a rule for products or coupons changed, or a date was reached. */
  | 'rules-changed'
  /** Nothing that is sent has changed, so the store announced nothing. */
  | 'unannounced'
  /** It was rejected at this version, and its dead letter no longer exists. */
  | 'letter-expired'
  /** The loyalty service has lost the state that was sent. */
  | 'lost'
  /** The ledger was lost or restored, and does not know what was sent. */
  | 'recovered';

/** These mean no lost webhook. */
export const ROLLED_OUT: ReadonlySet<SentReason> = new Set([
  ...(['rules-changed', 'unannounced', 'letter-expired', 'lost', 'recovered'] as const),
]);

interface Found {
  readonly shop: string;
  readonly id: string;
  readonly version: number;
  readonly now: Date;
}

type Finding = Omit<StoreEvent, 'topic' | 'origin'>;

/**
 * For what is missing or stale. Without a body, so that the worker reads the store. A code carries its
 * coupon, as after its discount's own event, because reading thousands one by one is expensive.
 *
 * The id names entity, version and wanted state, not the run: a page that is repeated within five minutes,
 * after a crash or by another run, sends nothing twice.
 */
export function healingMessage(
  kind: HealedKind,
  { shop, id, version, now }: Found,
  wantedKey: string | undefined,
  coupon?: StoreCoupon,
): Finding {
  return {
    shop,
    kind,
    id,
    claim: 'changed',
    deliveryId: `reconcile/${kind}/${id}/${version}/${wantedKey?.slice(0, 16) ?? ''}`,
    receivedAt: now.toISOString(),
    body: coupon && encodeCoupon(coupon),
  };
}

/** For what the store no longer shows. The worker asks the store again before it acts. */
export function deletionMessage(
  kind: WalkedKind | 'coupon',
  { shop, id, version, now }: Found,
): Finding {
  return {
    shop,
    kind,
    id,
    claim: kind === 'coupon' ? 'code-removed' : 'deleted',
    deliveryId: `reconcile/${kind}/${id}/${version}/gone`,
    receivedAt: now.toISOString(),
    body: undefined,
  };
}

interface HealingDeps {
  readonly queue: EventQueue;
  /** The label that the message carries: the store's own name for such an event. */
  readonly topicOf: (kind: StoreEvent['kind'], claim: Claim) => string;
  /** Delivery ids of what this run has sent. */
  readonly sent: Set<string>;
}

/**
 * False: this run has sent it already. The scans of one run overlap, and messages of the first still
 * wait while the second compares.
 */
export async function sendOnce(
  finding: Finding,
  { queue, topicOf, sent }: HealingDeps,
): Promise<boolean> {
  if (sent.has(finding.deliveryId)) return false;
  const { kind, claim } = finding;
  await queue.send({ ...finding, origin: 'reconcile', topic: topicOf(kind, claim) });
  sent.add(finding.deliveryId);
  return true;
}

/** Live events must not wait behind healed ones: this is a few seconds of the workers' time. */
const MOST_READY = 200;
/** So many retries mean that the service or the store is down: more messages would not help. */
const MOST_IN_ALL = 1_000;
const PAUSE_MS = 5_000;
const MOST_PAUSES = 24;

/**
 * Before each page. Where a shop is paused, its messages may fill the queue for days, and would keep the scans of
 * all others from ever going on: then each page waits once.
 * False: the queue stays full, and the scan continues in the next run.
 */
export async function waitForRoom(
  kind: WalkedKind | 'balance',
  {
    depth,
    pause,
    deadline,
    othersWait,
  }: Pick<ReconcileDeps, 'depth' | 'pause' | 'deadline' | 'othersWait'>,
): Promise<boolean> {
  const mostPauses = othersWait ? 1 : MOST_PAUSES;
  for (let pauses = 0; ; pauses += 1) {
    const { ready, hidden } = await depth.of(queueFamilyOf(kind));
    if (ready <= MOST_READY && ready + hidden <= MOST_IN_ALL) return true;
    if (deadline.aborted) return false;
    if (pauses >= mostPauses) return othersWait;
    await pause(PAUSE_MS);
  }
}

/** Longer is left to the next run. */
const LONGEST_WAIT_SECONDS = 60;

/** The scan continues when the store answers again; credentials and scopes need a person. */
export function storeDidNotAnswer(
  { why, misconfigured, afterSeconds, queryRefused }: StoreUnavailable,
  telemetry: Telemetry,
): Stopped {
  if (misconfigured) telemetry.count('misconfigured', { why: `store-${why}` });
  return {
    kind: 'stopped',
    why: `store-${why}`,
    ...(afterSeconds !== undefined && { afterSeconds }),
    ...(queryRefused && { placeRefused: true }),
  };
}

/** True: the store asked to wait, usually because its rate limit was reached, and the time has passed. */
export async function waitedForStore(
  { afterSeconds }: Stopped,
  { pause, deadline }: Pick<ReconcileDeps, 'pause' | 'deadline'>,
): Promise<boolean> {
  if (afterSeconds === undefined || afterSeconds > LONGEST_WAIT_SECONDS) return false;
  // At least a second, so that the run's time ends the waiting.
  await pause(Math.max(afterSeconds, 1) * 1000);
  return !deadline.aborted;
} /** How far the comparison of one kind of one shop has come. Moments are epoch milliseconds. */
export interface ScanPosition {
  /** Where comparing first began; it never changes. */
  readonly since: number;
  /** Everything that the store changed until here was compared. */
  readonly doneUntil: number;
  /** A scan that was begun and not ended. */
  readonly scan?: Scan;
}

export interface Scan {
  /** Undefined in a deep scan: from the beginning. */
  readonly from: number | undefined;
  readonly until: number;
  /** The store's cursor of the next page. */
  readonly after?: string;
  /** The part of that page that is done already: a single discount can take longer than a run. */
  readonly partly?: PartOfPage;
}

export interface PartOfPage {
  /** Discounts of the page that are done. */
  readonly done: readonly string[];
  /** The discount that is begun, and where its codes continue. */
  readonly begun?: { readonly id: string; readonly from: string };
}

/**
 * Webhooks of the last minutes may still arrive: their changes would count as healed. Longer than the
 * store's search index lags.
 */
const QUIET_MS = 15 * 60_000;

/** Compared twice, so that nothing between two scans is missed. */
const OVERLAP_MS = 15 * 60_000;

/** Of a new deployment: one interval back. */
export function firstPosition(now: Date, everyMinutes: number): ScanPosition {
  const doneUntil = quietUntil(now) - everyMinutes * 60_000;
  return { since: doneUntil - OVERLAP_MS, doneUntil };
}

/**
 * Never past the quiet time. Where `doneUntil` is later than that, a clock was wrong once: starting
 * from it, every run until then would find nothing.
 */
export function nextScan({ doneUntil }: ScanPosition, now: Date): Scan {
  const until = quietUntil(now);
  return { from: Math.min(doneUntil, until) - OVERLAP_MS, until };
}

export function quietUntil(now: Date): number {
  return now.getTime() - QUIET_MS;
}
