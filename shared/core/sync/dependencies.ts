import type { CompleteAssumptions, OtherOrderId } from '../../config/connector-settings.ts';
import type { MappingRules } from '../../config/mapping-settings.ts';
import type { LoyaltyClient } from '../../loyalty/client.ts';
import type { CircuitBreaker } from '../calls/call-loyalty.ts';
import type { Pauses } from '../calls/shop-pause.ts';
import type { EventQueue, StoreEvent } from '../events/event.ts';
import type { Outcome, RetryWindows } from '../events/outcome.ts';
import type { Telemetry } from '../events/telemetry.ts';
import type { Doubt } from '../ledger/entry.ts';
import type { EntityEntry, Ledger, RedactionMark } from '../ledger/ledger.ts';
import type { Snapshot, Store } from '../store/store.ts';

export interface SyncDeps {
  readonly ledger: Ledger;
  /** Where customers are looked up; absent: in the ledger itself. */
  readonly customers?: Pick<Ledger, 'readMany'>;
  readonly store: Store;
  readonly queue: EventQueue;
  /** What belongs to one shop: its loyalty account and its circuit breaker. */
  readonly shop: (domain: string) => {
    readonly loyalty: LoyaltyCalls;
    readonly breaker: CircuitBreaker;
    readonly assumptions: CallAssumptions;
    readonly rules: MappingRules;
    /** How another integration may have named the shop's orders. */
    readonly otherOrderIds?: readonly OtherOrderId[];
    /** Nothing is changed for the shop. */
    readonly observes?: boolean;
  };
  readonly telemetry: Telemetry;
  readonly now: () => Date;
  readonly orderRetentionDays: number;
  readonly deadline: AbortSignal;
  readonly pauses: RetryWindows &
    Pick<Pauses, 'doubtOf' | 'goLiveOf' | 'takeoverOf' | 'noteObserving'>;
  readonly rewards?: WorkerMoments | undefined;
}

export type LoyaltyCalls = Pick<
  LoyaltyClient,
  | 'sendOrder'
  | 'cancelPosOrder'
  | 'partiallyCancelPosOrder'
  | 'getOrder'
  | 'updateProduct'
  | 'createCoupon'
  | 'deactivateCoupon'
  | 'upsertCustomer'
  | 'getCustomerPoints'
  | 'changeCustomerStatus'
>;

type Answered = Extract<Awaited<ReturnType<LoyaltyCalls['getOrder']>>, { value: unknown }>;
export type HeldOrder = NonNullable<Answered['value']>;

/** What the contract leaves open. The settings describe each. */
export type CallAssumptions = Omit<CompleteAssumptions, 'redemptionsKeepMetadata'>;

export interface Synced {
  readonly outcome: Outcome;
  /** What the ledger holds now, as far as this worker knows. */
  readonly entry: EntityEntry | undefined;
}

/**
 * The moments at which the core meets points and rewards, which implement them. Absent where the settings have no
 * storefront: then nothing of points and rewards is loaded.
 */
export interface RewardMoments {
  /** An entity is about to be mapped, or compared with what was sent: the same, as the service is to be given it. */
  orderAsSent<Entity extends Snapshot['entity']>(
    shop: string,
    entity: Entity,
    ledger: Pick<Ledger, 'readMany'>,
  ): Promise<Entity>;
  /** The store's state of an order is known, and about to be applied: it waits for this. Repeated with every event. */
  orderSeen(
    shop: string,
    entity: Snapshot['entity'],
    deps: Pick<SyncDeps, 'ledger' | 'queue' | 'now' | 'orderRetentionDays'>,
  ): Promise<void>;
  /** A person is erased: first what is kept for them here. Undefined when it is done. */
  personErased(
    event: StoreEvent,
    customerId: string,
    mark: RedactionMark,
    deps: Pick<SyncDeps, 'ledger' | 'telemetry' | 'now'>,
  ): Promise<Outcome | undefined>;
  /** The store merged this customer into another. Undefined when nothing is under way that may still move their points. */
  customerMerged(
    event: StoreEvent,
    deletedId: string,
    deps: Pick<SyncDeps, 'ledger' | 'now'>,
  ): Promise<Outcome | undefined>;
  /** A scheduled run has compared what changed in a shop. `othersWait`: see `waitForRoom`. */
  shopScanned(shop: string, othersWait: boolean, doubt: Doubt | undefined): Promise<void>;
}

export type WorkerMoments = Omit<RewardMoments, 'shopScanned'>;

export type ScanMoments = Pick<RewardMoments, 'orderAsSent' | 'shopScanned'>;
