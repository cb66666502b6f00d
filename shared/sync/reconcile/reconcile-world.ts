import type { Ledger } from '../ledger.ts';
import type { EntityRules } from '../map-snapshot.ts';
import type { QueueDepth } from '../queue-depth.ts';
import type { EventQueue } from '../store-event.ts';
import type { Store } from '../store-reader.ts';
import type { StoreWalk } from '../store-walk.ts';
import type { Telemetry } from '../telemetry.ts';

export interface ReconcileWorld {
  readonly ledger: Ledger;
  readonly store: Pick<Store, 'readDiscount' | 'readCoupon'> & StoreWalk;
  readonly queue: EventQueue;
  /** Delivery ids of what this run has sent. */
  readonly sent: Set<string>;
  readonly depth: QueueDepth;
  readonly telemetry: Telemetry;
  readonly now: () => Date;
  /** Ends early, without an error, when the deadline comes. */
  readonly pause: (ms: number) => Promise<void>;
  /** Comes early enough before the function's time-out to keep what was done. */
  readonly deadline: AbortSignal;
  /** Sees to it that the store will tell of what happens next. Resolves whatever it finds. */
  readonly healSubscriptions: (shop: string) => Promise<void>;
  /** How often a run is scheduled. */
  readonly everyMinutes: number;
}

export interface ReconciledShop {
  readonly domain: string;
  readonly rules: EntityRules;
}

/** What was looked at, and the versions of what was sent for. */
export interface Compared {
  readonly lookedAt: number;
  readonly healed: readonly number[];
}

/** Why a walk goes on in the next run: a name to filter by. */
export interface Stopped {
  readonly kind: 'stopped';
  readonly why: string;
  /** The least time before it can go on, where the store named one. */
  readonly afterSeconds?: number;
}

export const OUT_OF_TIME: Stopped = { kind: 'stopped', why: 'out-of-time' };
/** Another run has gone on from the same place: it is the newer one, and this one ends quietly. */
export const OVERTAKEN: Stopped = { kind: 'stopped', why: 'overtaken' };
