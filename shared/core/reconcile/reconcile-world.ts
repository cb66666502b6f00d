import type { Telemetry } from '../batch/telemetry.ts';
import type { QueueDepth } from '../events/queues.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { EntityRules } from '../mapping/map-snapshot.ts';
import type { Store } from '../sync/store-reader.ts';
import type { StoreWalk } from '../sync/store-walk.ts';
import type { HealingWorld } from './healing-message.ts';

export interface ReconcileWorld extends HealingWorld {
  readonly ledger: Ledger;
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
  /** How often a run is scheduled. */
  readonly everyMinutes: number;
  /** How long the ledger remembers an order, and what is over, after it was last written. */
  readonly orderRetentionDays: number;
}

export interface ReconciledShop {
  readonly domain: string;
  readonly rules: EntityRules;
}

/** What a walk is for. */
export interface Purpose {
  /** What changed before, and is unknown, is history: a backfill's business. */
  readonly since: number;
  /** Everything is compared, and not only what has changed. */
  readonly isDeep: boolean;
}

export interface Compared {
  readonly lookedAt: number;
  /** The versions of what was sent for because no event had told of it. */
  readonly healed: readonly number[];
  /** How much more was sent for because it is mapped otherwise today: a rule, or a day that has come. */
  readonly rolledOut: number;
}

/** Why a walk goes on in the next run: a name to filter by. */
export interface Stopped {
  readonly kind: 'stopped';
  readonly why: string;
  /** The store does not take the place where the walk would go on. */
  readonly placeRefused?: boolean;
  /** The least time before it can go on, where the store named one. */
  readonly afterSeconds?: number;
  /** What was done before it stopped and is kept nowhere else. */
  readonly sent?: Compared;
}

/** So much waits for the workers that more of it would only delay live events. */
export const QUEUE_FULL: Stopped = { kind: 'stopped', why: 'queue-full' };
export const OUT_OF_TIME: Stopped = { kind: 'stopped', why: 'out-of-time' };
/** Another run has gone on from the same place: it is the newer one, and this one ends quietly. */
export const OVERTAKEN: Stopped = { kind: 'stopped', why: 'overtaken' };

/** Waiting for the store or for room ends with the time, and a call that is under way fails by it. */
export function orOutOfTime(
  stopped: Stopped,
  { deadline }: Pick<ReconcileWorld, 'deadline'>,
): Stopped {
  return deadline.aborted ? OUT_OF_TIME : stopped;
}
