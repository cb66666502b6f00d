import type { EventQueue, StoreEvent } from '../events/event.ts';
import type { Outcome } from '../events/outcome.ts';
import type { Telemetry } from '../events/telemetry.ts';
import type { Doubt } from '../ledger/entry.ts';
import type { Ledger, RedactionMark } from '../ledger/ledger.ts';
import type { StoreEntity } from '../store/store.ts';

/**
 * The moments at which the core meets points and rewards, which implement them. Absent where the settings have no
 * storefront: then nothing of points and rewards is loaded.
 */
export interface RewardMoments {
  /** An entity is about to be mapped, or compared with what was sent: the same, as the service is to be given it. */
  orderAsSent<Entity extends StoreEntity | { readonly kind: 'gone' }>(
    shop: string,
    entity: Entity,
    ledger: Pick<Ledger, 'readMany'>,
  ): Promise<Entity>;
  /** The store's state of an order is known, and about to be applied: it waits for this. Repeated with every event. */
  orderSeen(
    shop: string,
    entity: StoreEntity | { readonly kind: 'gone' },
    deps: Pick<MomentDeps, 'ledger' | 'queue' | 'now' | 'orderRetentionDays'>,
  ): Promise<void>;
  /** A person is erased: first what is kept for them here. Undefined when it is done. */
  personErased(
    event: StoreEvent,
    customerId: string,
    mark: RedactionMark,
    deps: Pick<MomentDeps, 'ledger' | 'telemetry' | 'now'>,
  ): Promise<Outcome | undefined>;
  /** The store merged this customer into another. Undefined when nothing is under way that may still move their points. */
  customerMerged(
    event: StoreEvent,
    deletedId: string,
    deps: Pick<MomentDeps, 'ledger' | 'now'>,
  ): Promise<Outcome | undefined>;
  /** A scheduled run has compared what changed in a shop. `othersWait`: see `waitForRoom`. */
  shopScanned(shop: string, othersWait: boolean, doubt: Doubt | undefined): Promise<void>;
}

interface MomentDeps {
  readonly ledger: Ledger;
  readonly queue: EventQueue;
  readonly telemetry: Telemetry;
  readonly now: () => Date;
  readonly orderRetentionDays: number;
}

/** Those that a worker meets. */
export type WorkerMoments = Omit<RewardMoments, 'shopScanned'>;

/** Those that a scan meets. */
export type ScanMoments = Pick<RewardMoments, 'orderAsSent' | 'shopScanned'>;
