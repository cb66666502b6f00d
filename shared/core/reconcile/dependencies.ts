import type { MappingRules } from '../../config/mapping-settings.ts';
import type { LoyaltyClient } from '../../loyalty/client.ts';
import type { StoreCoupon } from '../../store/store-entities.ts';
import type { CircuitBreaker } from '../calls/call-loyalty.ts';
import type { Pauses } from '../calls/shop-pause.ts';
import {
  type EntityKind,
  type EventQueue,
  type QueueDepth,
  queueFamilyOf,
  type StoreEvent,
} from '../events/event.ts';
import type { Telemetry } from '../events/telemetry.ts';
import type { Doubt } from '../ledger/entry.ts';
import {
  type Ledger,
  type LedgerEntry,
  type RecordKey,
  readEntry,
  rememberedForm,
} from '../ledger/ledger.ts';
import {
  encodeCoupon,
  type ScannedKind,
  type Store,
  type StoreScan,
  type StoreUnavailable,
} from '../store/store.ts';
import type { CallAssumptions, ScanMoments } from '../sync/dependencies.ts';

export interface ReconcileDeps {
  readonly ledger: Ledger;
  readonly program: (shop: string) => {
    readonly loyalty: Pick<LoyaltyClient, 'getOrder'>;
    readonly breaker: CircuitBreaker;
    readonly assumptions: ReadingAssumptions;
  };
  readonly store: Pick<Store, 'readDiscount' | 'readCoupon'> & StoreScan;
  readonly queue: EventQueue;
  /** The label that a message carries: the store's own name for such an event. */
  readonly topicOf: (event: Pick<StoreEvent, 'shop' | 'kind' | 'claim'>) => string;
  /** Delivery ids of what this run has sent. */
  readonly sent: Set<string>;
  readonly depth: QueueDepth;
  readonly telemetry: Telemetry;
  readonly now: () => Date;
  /** Ends early, without an error, when the deadline comes. */
  readonly pause: (ms: number) => Promise<void>;
  /** Comes early enough before the function's time-out to keep what was done. */
  readonly deadline: AbortSignal;
  /** Before anything is compared; why the loyalty service refuses the shop. Never rejects because of what it finds. */
  readonly checkShop: (shop: string) => Promise<string | undefined>;
  readonly rewards?: ScanMoments | undefined;
  readonly pauses: Pick<
    Pauses,
    'refresh' | 'of' | 'doubtOf' | 'goLiveOf' | 'takeoverOf' | 'noteObserving'
  >;
  /** Messages of a paused shop fill the queues: their number says nothing about the others' messages. */
  readonly othersWait: boolean;
  /** False where only operators ask for deep scans. */
  readonly deepEveryDays: number | false;
  /** The store announces a product only when something changes that is sent: a newer version alone is no loss. */
  readonly quietProducts: boolean;
  /** How long the ledger remembers an order, and what is over, after it was last written. */
  readonly orderRetentionDays: number;
}

export type ReadingAssumptions = Pick<
  CallAssumptions,
  'readTotals' | 'ordersAreReplaced' | 'refunds'
>;

export interface ReconciledShop {
  readonly domain: string;
  readonly rules: MappingRules;
  /** Of an observed shop, plans are compared and not what was sent. Absent: `live`. */
  readonly mode?: 'live' | 'observe';
  /** Kinds whose versions are moments of reading: a later one alone says nothing. Of others they are moments of change. */
  readonly versionsAreReadings?: readonly EntityKind[];
  /** While it lasts, everything is compared again. */
  readonly doubt?: Doubt | undefined;
  /** After a lost or restored ledger, and after go-live: it may not know the calls from before then (epoch milliseconds). */
  readonly forgottenUntil?: number | undefined;
}

export interface Compared {
  readonly lookedAt: number;
  readonly sent: readonly Sent[];
  readonly ordersRead?: OrdersRead;
}

export interface Sent {
  readonly id: string;
  readonly why: SentReason;
}

export interface OrdersRead {
  /** Ids. */
  readonly read: readonly string[];
  /** The service did not give them. */
  readonly unread: number;
  /** The service had lost their state. */
  readonly sentAgain: readonly Sent[];
  /** Ids of those that a person must look at. */
  readonly differing: readonly string[];
  /** Ids of those that differ, too, but were called about so lately that the service may only show it late. */
  readonly lately: readonly string[];
}

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
  | (typeof ROLLED_OUT)[number];

/** Reasons that mean no lost webhook. */
export const ROLLED_OUT = [
  /**
   * It is mapped differently today: a rule for products or coupons changed, a date was reached, or the store gives a
   * discount whatever its own dates say.
   */
  'rules-changed',
  /** Nothing that is sent has changed, so the store announced nothing. */
  'unannounced',
  /** It was rejected at this version, and its dead letter no longer exists. */
  'dead-letter-expired',
  /** The loyalty service has lost the state that was sent. */
  'lost',
  /** The ledger was lost or restored, and does not know what was sent. */
  'recovered',
] as const;

/** Customers are in no deep scan: their date of change is enough, and a backfill sends those of before. */
export type ComparedKind = ScannedKind | 'member';

/** The loyalty service holds the codes of a discount, not the discount. */
export function entityKindOf(kind: ComparedKind): EntityKind {
  return kind === 'discount' ? 'coupon' : kind;
}

interface Finding extends Pick<StoreEvent, 'shop' | 'id' | 'claim' | 'history' | 'force'> {
  readonly kind: EntityKind | ScannedKind;
  readonly version: number;
  /** Distinguishes messages of one version, by the first 16 characters. */
  readonly state: string | undefined;
  readonly coupon?: StoreCoupon | undefined;
  readonly why: SentReason;
}

/**
 * Without a body, so that the worker reads the store. A code carries its coupon, as after its discount's
 * own event, because reading thousands one by one is expensive.
 *
 * The delivery id names entity, version and wanted state, not the run: a page that is repeated within five
 * minutes, after a crash or by another run, sends nothing twice. Returns false for what this run has sent
 * already: its scans overlap, and messages of the first still wait while the second compares.
 */
export async function sendOnce(
  { version, state = '', coupon, why, ...event }: Finding,
  { queue, topicOf, sent, telemetry, now }: ReconcileDeps,
): Promise<boolean> {
  const { shop, kind, id } = event;
  const deliveryId = `reconcile/${kind}/${id}/${version}/${state.slice(0, 16)}`;
  if (sent.has(deliveryId)) return false;
  await queue.send({
    ...event,
    deliveryId,
    receivedAt: now().toISOString(),
    body: coupon && encodeCoupon(coupon),
    origin: 'reconcile',
    topic: topicOf(event),
  });
  sent.add(deliveryId);
  telemetry.log('info', 'sent by reconciling', { shop, kind, id, why });
  return true;
}

/** Why a scan goes on in the next run: a name to filter by. */
export interface Stopped {
  readonly kind: 'stopped';
  readonly why: string;
  /** The store refuses credentials, scopes or address: the shop waits for a person, and the others go on. */
  readonly refused?: boolean;
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
export function orOutOfTime(stopped: Stopped, { deadline }: { deadline: AbortSignal }): Stopped {
  return deadline.aborted ? OUT_OF_TIME : stopped;
}

/** The scan continues when the store answers again; credentials and scopes need a person. */
export function storeDidNotAnswer({
  why,
  misconfigured,
  afterSeconds,
  queryRefused,
}: StoreUnavailable): Stopped {
  return {
    kind: 'stopped',
    why: `store-${why}`,
    ...(misconfigured && { refused: true }),
    ...(afterSeconds !== undefined && { afterSeconds }),
    ...(queryRefused && { placeRefused: true }),
  };
}

/** Longer is left to the next run. */
const LONGEST_WAIT_SECONDS = 60;

/** True when the store asked to wait, usually because its rate limit was reached, and the time has passed. */
export async function waitedForStore(
  { afterSeconds }: Stopped,
  { pause, deadline }: Pick<ReconcileDeps, 'pause' | 'deadline'>,
): Promise<boolean> {
  if (afterSeconds === undefined || afterSeconds > LONGEST_WAIT_SECONDS) return false;
  // At least a second, so that the run's time ends the waiting.
  await pause(Math.max(afterSeconds, 1) * 1000);
  return !deadline.aborted;
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
 * False when the queue stays full: the scan continues in the next run.
 */
export async function waitForRoom(
  kind: ComparedKind | 'balance',
  deps: Pick<ReconcileDeps, 'depth' | 'pause' | 'deadline' | 'othersWait'>,
): Promise<boolean> {
  const mostPauses = deps.othersWait ? 1 : MOST_PAUSES;
  for (let pauses = 0; ; pauses += 1) {
    const { ready, hidden } = await deps.depth.of(queueFamilyOf(kind));
    if (ready <= MOST_READY && ready + hidden <= MOST_IN_ALL) return true;
    if (deps.deadline.aborted) return false;
    if (pauses >= mostPauses) return deps.othersWait;
    await deps.pause(PAUSE_MS);
  }
}

/**
 * Webhooks of the last minutes may still arrive: their changes would count as healed. Longer than the
 * store's search index lags.
 */
export const QUIET_MINUTES = 15;

export function quietUntil(now: Date): number {
  return now.getTime() - QUIET_MINUTES * 60_000;
}

const form = rememberedForm<object>('cursor', 1);

export function cursorKey(shop: string, id: string): RecordKey<'cursor'> {
  return { shop, kind: 'cursor', id };
}

/** A state of the reconciliation, kept in the ledger. Undefined where there is none that this release can read. */
export async function recallState<State>(
  ledger: Pick<Ledger, 'readMany'>,
  key: RecordKey<'cursor'>,
): Promise<State | undefined> {
  return stateIn(await readEntry(ledger, key));
}

export function stateIn<State>(entry: LedgerEntry | undefined): State | undefined {
  return form.read(entry?.remembered) as State | undefined;
}

/** The same, for the run that changes it. Of two runs at once the older one can no longer write. */
export async function openCursor<State extends object>(
  ledger: Pick<Ledger, 'readMany' | 'write'>,
  key: RecordKey<'cursor'>,
) {
  const entry = await readEntry(ledger, key);
  let revision = entry?.revision;
  return {
    state: stateIn<State>(entry),
    /** False when another run has written since. */
    async keep(state: State, version: number): Promise<boolean> {
      const written = await ledger.write(key, form.entry(state, version), revision);
      if (written.kind === 'written') revision = written.revision;
      return written.kind === 'written';
    },
  };
}
