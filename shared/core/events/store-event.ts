import type { EntityKind } from '../ledger/ledger-key.ts';

/**
 * What a message is about. A discount fans out into one message per code (`coupon`); `customer` and
 * `shop` carry the compliance topics and the app's removal.
 */
export type EventKind = EntityKind | 'discount' | 'customer' | 'shop';

/**
 * What the sender says has happened, in the words of the store model. It chooses the work; the store
 * itself, or a signed body, has the last word.
 */
export type Claim =
  | 'changed'
  | 'deleted'
  /** Of one code of a discount. */
  | 'code-added'
  | 'code-removed'
  | 'data-requested'
  | 'customer-redaction'
  | 'shop-redaction'
  | 'app-removed';

/**
 * Who sent the event. Only a `webhook` carries a body that the store wrote; the others carry what the
 * connector itself read, which is trusted further. The receiver sets it and no header does.
 */
export type Origin = 'webhook' | 'fan-out' | 'reconcile' | 'backfill';

/** What an event means. */
export interface Meaning {
  readonly claim: Claim;
  readonly origin: Origin;
}

/** The meaning of an event that has only a topic, as version 0.1.0 wrote it. */
export type MeaningOf = (event: Pick<StoreEvent, 'kind' | 'topic'>) => Meaning;

/** One thing that the store reported, or a feeder found, on its way to a worker. */
export interface StoreEvent extends Meaning {
  readonly shop: string;
  readonly kind: EventKind;
  /** The id of the entity; for a body in which none was found, a hash of that body. */
  readonly id: string;
  /** The store's own name for it: a label for operators and metrics, and what version 0.1.0 reads. */
  readonly topic: string;
  /** Names the delivery: the store's webhook id, or an id that the feeder made. */
  readonly deliveryId: string;
  /** ISO 8601: when the connector accepted it. The retry window counts from here. */
  readonly receivedAt: string;
  /** From an unsigned header: for measuring latency, never for deciding. */
  readonly triggeredAt?: string;
  /** From an unsigned header: worth a metric when unexpected. */
  readonly apiVersion?: string;
  /** The body, byte for byte; undefined when it was too large to carry: read the store instead. */
  readonly body: Uint8Array | undefined;
  /** Where a fan-out goes on: each page of a discount's codes is a message of its own. */
  readonly cursor?: string;
  /** How often, by whom and when a dead letter was sent again. */
  readonly replays?: readonly { readonly at: string; readonly by: string }[];
  /** Of an order that was there before the connector: the loyalty service is told so, once and for all. */
  readonly history?: boolean;
  /**
   * A person wants it sent although the ledger says that nothing changed: the service may have lost it.
   * Never over a newer version.
   */
  readonly force?: boolean;
}

/** Where accepted events go. Resolves only when the next keeper of the truth holds the event. */
export interface EventQueue {
  send(event: StoreEvent): Promise<void>;
}

/** Why a message was given up, in words and fields that a person can filter by. */
export interface DeadLetterReason {
  /** `unreadable`, `rejected`, `retry-window-over`. */
  readonly reason: string;
  /** One plain sentence without personal data. */
  readonly why: string;
  /** The loyalty service's error name, where there is one. */
  readonly code?: string;
  readonly attempts: number;
  /** ISO 8601. */
  readonly at: string;
}

/** Where what cannot be delivered waits. `source` is the message exactly as it was received. */
export interface DeadLetters {
  park(
    source: { readonly messageId: string; readonly body: string },
    reason: DeadLetterReason,
  ): Promise<void>;
}
