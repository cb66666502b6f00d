import type { PointTopic } from '../../loyalty/operations.ts';
import type { EntityKind } from '../ledger/ledger-key.ts';

/**
 * Every event on a queue: one envelope, distinguished by `kind`.
 * See docs/decisions/0040-events-carry-a-claim.md.
 */
export type QueuedEvent = StoreEvent | BalanceEvent | BalanceRequest | PointEvent | RedemptionEvent;

export type EventKind = QueuedEvent['kind'];

/** What every event has: to find it, count it and know its age. */
export interface EventHead {
  readonly shop: string;
  readonly kind: EventKind;
  /** The id of what it is about. */
  readonly id: string;
  /** A label for operators and metrics. */
  readonly topic: string;
  /** Names the delivery: the same for every repetition of it. */
  readonly deliveryId: string;
  /** ISO 8601: when the connector accepted it. The retry window counts from here. */
  readonly receivedAt: string;
  /** How often, by whom and when a dead letter was sent again. */
  readonly replays?: readonly { readonly at: string; readonly by: string }[];
}

/**
 * What the sender says has happened, in the connector's own words. It chooses the work; the store
 * itself, or a signed body, decides.
 */
export type Claim =
  | 'changed'
  | 'deleted'
  /** Of one code of a discount. */
  | 'code-added'
  | 'code-removed'
  /** Of two customers: the event is about the one who is gone. */
  | 'merged'
  | 'data-requested'
  | 'customer-redaction'
  | 'shop-redaction'
  | 'app-removed';

/**
 * Where the event came from. Only a `webhook` carries a body that the store wrote; the others carry
 * what the connector itself read, which is trusted more. No header can set it.
 */
type Origin = 'webhook' | 'fan-out' | 'reconcile' | 'backfill';

/** What an event means. */
export interface Meaning {
  readonly claim: Claim;
  readonly origin: Origin;
}

/** One thing that the store reported, or a feeder found, on its way to a worker. */
export interface StoreEvent extends EventHead, Meaning {
  /**
   * A discount fans out into one message per code (`coupon`); `customer` and `shop` are about a person's
   * rights and the app's removal.
   */
  readonly kind: EntityKind | 'discount' | 'customer' | 'shop';
  /** The id of the entity; for a body in which none was found, a hash of that body. */
  readonly id: string;
  /** The store's own name for it, or a feeder's label: it chooses the reader of a webhook's body. */
  readonly topic: string;
  /** From an unsigned header: for measuring latency, never for deciding. */
  readonly triggeredAt?: string;
  /** From an unsigned header: worth a metric when unexpected. */
  readonly apiVersion?: string;
  /** The body, byte for byte; undefined when it was too large to carry: read the store instead. */
  readonly body: Uint8Array | undefined;
  /** Where a fan-out goes on: each page of a discount's codes is a message of its own. */
  readonly cursor?: string;
  /** A backfill asks or asked for this order: it is sent even if it was placed before go-live. */
  readonly history?: boolean;
  /** An operator wants this order counted by the rules of today, although it was sent under others. */
  readonly newRules?: boolean;
  /**
   * It is sent although the ledger says that nothing changed: the service may have lost it, as an operator
   * says, or by the end of the same code in another spelling. Never over a newer version.
   */
  readonly force?: boolean;
}

/**
 * What is kept of a point event for the worker: whose balance, how much and when. Of the person, only
 * the id.
 */
export interface BalanceEvent extends EventHead {
  readonly kind: 'balance';
  /** The customer's id in the store. */
  readonly id: string;
  /** `unnamed`: a bare payload, without the envelope that names its topic. */
  readonly topic: PointTopic | 'unnamed';
  /** Names the topic, the transaction and its moment. */
  readonly deliveryId: string;
  /** ISO 8601: the time at which this was the balance. */
  readonly eventDate: string;
  /** Exact decimals in plain notation. */
  readonly points: string;
  readonly cashback: string;
}

/**
 * Asks the worker to read a customer's balance from the loyalty service. It is in the group of the customer's
 * point events, so that one worker at a time writes a balance.
 */
export interface BalanceRequest extends EventHead {
  readonly kind: 'balance';
  /** The customer's id in the store. */
  readonly id: string;
  /** Who asks: the storefront for a shopper, or the nightly comparison with the service's report. */
  readonly topic: 'visit' | 'repair';
}

/**
 * A point event as it came, because it cannot be read or names its customer only by e-mail or document.
 * The worker finds the customer and sends a `BalanceEvent`, or parks it.
 */
export interface PointEvent extends EventHead {
  readonly kind: 'point-event';
  /** Of the person a short hash, or a hash of the body. */
  readonly id: string;
  readonly topic: 'unnamed';
  /** Byte for byte up to a bound. Holds personal data: it is in no log and no list. */
  readonly body: Uint8Array;
}

/** Asks the worker to finish one redemption. */
export interface RedemptionEvent extends EventHead {
  readonly kind: 'redemption';
  readonly id: string;
  readonly customerId: string;
  /** Who asks. */
  readonly topic: 'redeem' | 'point-event' | 'operator';
}

/** The queues of the store's events: a bulk product edit must not delay an order. */
export type StoreQueueFamily = 'orders' | 'products' | 'coupons';

/** And the queue of balances and redemptions: a burst of point events must not delay an order. */
export type QueueFamily = StoreQueueFamily | 'balances';

/**
 * Compliance requests and the app's removal go to the queue of orders, because they act on the entries
 * of orders. Customers go to the queue of coupons: an import of customers must not delay an order.
 */
export function queueFamilyOf(kind: StoreEvent['kind']): StoreQueueFamily;
export function queueFamilyOf(kind: EventKind): QueueFamily;
export function queueFamilyOf(kind: EventKind): QueueFamily {
  switch (kind) {
    case 'order':
    case 'customer':
    case 'shop':
      return 'orders';
    case 'product':
      return 'products';
    case 'coupon':
    case 'discount':
    case 'member':
      return 'coupons';
    case 'balance':
    case 'point-event':
    case 'redemption':
      return 'balances';
  }
}

export function isStoreEvent(event: QueuedEvent): event is StoreEvent {
  return queueFamilyOf(event.kind) !== 'balances';
}
