import type { LoyaltyClient } from '../../loyalty/client.ts';
import type { Telemetry } from '../batch/telemetry.ts';
import type { QueueDepth } from '../events/queues.ts';
import type { Doubt } from '../ledger/doubt.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { EntityRules } from '../mapping/map-snapshot.ts';
import type { Pauses } from '../pause/pauses.ts';
import type { CircuitBreaker } from '../sync/circuit-breaker.ts';
import type { Store } from '../sync/store-reader.ts';
import type { StoreWalk } from '../sync/store-walk.ts';
import type { ReadingAssumptions } from './compare-order.ts';
import type { HealingWorld, SentReason } from './healing-message.ts';

export interface ReconcileWorld extends HealingWorld {
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

/** What a walk is for. */
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

/** Why a walk goes on in the next run: a name to filter by. */
export interface Stopped {
  readonly kind: 'stopped';
  readonly why: string;
  /** The store does not accept the cursor where the walk would continue. */
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
  { deadline }: Pick<ReconcileWorld, 'deadline'>,
): Stopped {
  return deadline.aborted ? OUT_OF_TIME : stopped;
}
