import { hash } from 'node:crypto';
import type { PointTopic } from '../../loyalty/operations.ts';

/**
 * Every event on a queue: one envelope, distinguished by `kind`.
 * See docs/decisions/0001-events-are-snapshots-and-only-differences-are-sent.md.
 */
export type QueuedEvent = StoreEvent | BalanceEvent | PointEvent | RedemptionEvent;

export type EventKind = QueuedEvent['kind'];

export interface EventHead {
  readonly shop: string;
  readonly kind: EventKind;
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

/** What ties the log lines of one delivery together, from webhook to loyalty call. */
export function correlationOf(event: Omit<EventHead, 'receivedAt'>) {
  const { deliveryId, shop, kind, id, topic } = event;
  return { correlationId: deliveryId, shop, kind, id, topic };
}

/**
 * What the sender says has happened, in the connector's own words. It chooses the work; the store
 * itself, or a signed body, decides.
 */
export const CLAIMS = [
  'changed',
  'deleted',
  /** Of one code of a discount. */
  'code-added',
  'code-removed',
  /** Of two customers: the event is about the one who is gone. */
  'merged',
  'data-requested',
  'customer-redaction',
  'shop-redaction',
  'app-removed',
] as const;
export type Claim = (typeof CLAIMS)[number];

/**
 * Where the event came from. Only a `webhook` carries a body that the store wrote; the others carry
 * what the connector itself read, which is trusted more. No header can set it.
 */
export const ORIGINS = ['webhook', 'fan-out', 'reconcile', 'backfill'] as const;

export interface Meaning {
  readonly claim: Claim;
  readonly origin: (typeof ORIGINS)[number];
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
  /** Of the sender's clock, if it can be right: for measuring latency, never for deciding. */
  readonly triggeredAt?: string;
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

/** Asks the worker to read a customer's balance from the loyalty service. Of the person, it has only the id. */
export interface BalanceEvent extends EventHead {
  readonly kind: 'balance';
  /** The customer's id in the store. */
  readonly id: string;
  /**
   * Who asks: a point event, `unnamed` without the envelope that names its topic; the storefront for a shopper; the
   * nightly comparison with the service's report.
   */
  readonly topic: PointTopic | 'unnamed' | 'visit' | 'repair';
  /** Of a point event, by the service's clock: for measuring latency, never for deciding. */
  readonly triggeredAt?: string;
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

export interface RedemptionEvent extends EventHead {
  readonly kind: 'redemption';
  readonly id: string;
  readonly customerId: string;
  /**
   * Who asks. To take a reward back is `redeem`, too, and so is an order with its code: in one group with the first
   * message, because a second worker must not cancel what the first one has just made again.
   */
  readonly topic: 'redeem' | 'operator';
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

/** What the connector keeps in sync. A coupon is one code of a discount, a member a customer. */
export const ENTITY_KINDS = ['order', 'product', 'coupon', 'member'] as const;
export type EntityKind = (typeof ENTITY_KINDS)[number];

export const isEntityKind = (kind: string): kind is EntityKind =>
  ENTITY_KINDS.some((one) => one === kind);

export interface EntityKey {
  /** The shop's permanent domain, as configured. */
  readonly shop: string;
  readonly kind: EntityKind;
  /** The store's own id as text: exact beyond 2^53. For a coupon, the code. */
  readonly id: string;
}

/** Sends each event to the queue of its family. */
export interface EventQueue {
  /** Resolves only when the queue holds the event. Within five minutes, it holds one of each deduplication id. */
  send(event: QueuedEvent, deduplicationId?: string): Promise<void>;
}

export interface RefusedEvent {
  readonly event: QueuedEvent;
  /** The queue's code for the reason. */
  readonly code: string;
}

/** An event queue for feeders and operators, who send many at once. */
export interface BulkQueue extends EventQueue {
  /**
   * The queues hold all events but the refused ones that it returns. Rejects when a queue cannot be
   * reached, even if some were accepted.
   *
   * Sent twice under one name within five minutes, an event arrives once. Its own name is the same for
   * every repetition of its delivery.
   */
  sendAll(
    events: readonly QueuedEvent[],
    nameOf?: (event: QueuedEvent) => string,
  ): Promise<readonly RefusedEvent[]>;
}

/** How much work is waiting already, as the queue estimates. */
export interface QueueDepth {
  of(family: QueueFamily): Promise<{
    /** Waiting for a worker now. */
    readonly ready: number;
    /** Being worked on, or waiting for its next try. */
    readonly hidden: number;
  }>;
}

/** A message as a worker received it, not checked yet. */
export interface ReceivedMessage {
  readonly messageId: string;
  readonly receiptHandle: string;
  readonly body: string;
  /** The FIFO group: see `groupIdOf`. */
  readonly groupId: string;
  /** How often it was received, this time included. */
  readonly attempts: number;
  /** Orders the messages of one group: a later one has a larger number. */
  readonly sequenceNumber: string;
}

export interface SourceQueue {
  /**
   * Hides all these messages for the same time from now, in as few calls as possible.
   * Rejects when any could not be changed: the message then comes back after its old visibility.
   */
  delay(messages: readonly ReceivedMessage[], afterSeconds: number): Promise<void>;
  /** So many messages wait for their next attempt that the queue may soon hand out no others. */
  isCrowded(): Promise<boolean>;
}

/** SQS, SendMessage: both ids hold 1 to 128 letters, digits and punctuation; a space is neither. */
const ALLOWED_ID = /^[\x21-\x7e]{1,128}$/;

/**
 * One group per entity: one worker at a time works on it, in parallel with every other entity. The text is
 * readable for the operator where SQS allows it, and a hash where it does not (a coupon code may hold any
 * character). The two forms are never equal: only the readable one contains a slash.
 *
 * A redemption has a group for each sender: an operator must not wait behind the first message, which may be delayed
 * for minutes. Work on one redemption may overlap: every step is one
 * conditional write, and the store makes a code once.
 */
export function groupIdOf(event: Pick<EventHead, 'shop' | 'kind' | 'id' | 'topic'>): string {
  const { shop, kind } = event;
  const id = kind === 'redemption' ? `${event.id}/${event.topic}` : event.id;
  const readable = `${shop}/${kind}/${id}`;
  return ALLOWED_ID.test(readable) ? readable : `sha256:${hashOf([shop, kind, id])}`;
}

/**
 * The same for every retry of one delivery, different for any two deliveries. The sender's event id is
 * left out: all webhooks of one action in the store share it. A replay has its own id: SQS would drop
 * it within five minutes of the first sending, and the dead letter would be lost.
 */
export function deduplicationIdOf({
  shop,
  topic,
  deliveryId,
  replays,
}: Pick<EventHead, 'shop' | 'topic' | 'deliveryId' | 'replays'>): string {
  const replayed = (replays ?? []).flatMap(({ at, by }) => [at, by]);
  return hashOf([shop, topic, deliveryId, ...replayed]);
}

/**
 * The group id and the deduplication id of a dead letter. A replayed message has a new id, so its
 * second rejection is another dead letter, while parking the same message again (its deletion failed) stays
 * one. Each has its own group: one that a caller holds must not hide another.
 */
export function deadLetterIdOf({ messageId }: { readonly messageId: string }): string {
  return messageId;
}

/** The id of an event in whose body no entity was found. */
export function hashBody(body: Uint8Array): string {
  return hash('sha256', body);
}

/** JSON separates the parts even where they hold the separator. */
function hashOf(parts: readonly string[]): string {
  return hash('sha256', JSON.stringify(parts));
}

/** The same event as a new message, which the queue does not drop as a repetition. */
export function askAgain<Event extends { readonly deliveryId: string }>(
  event: Event,
  now: Date,
): Event {
  return { ...event, deliveryId: `${event.deliveryId}/again/${now.getTime()}` };
}

/** Hundreds of calls to AWS at once would time out on each other. */
const CALLS_AT_ONCE = 10;

export function batchesOf<T>(items: readonly T[], size: number): readonly (readonly T[])[] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, index) =>
    items.slice(index * size, (index + 1) * size),
  );
}

/** Acts on the items batch by batch; a batch begins when the one before it has ended. */
export async function inBatches<T>(
  items: readonly T[],
  act: (item: T) => Promise<unknown>,
  atOnce = CALLS_AT_ONCE,
): Promise<void> {
  for (const batch of batchesOf(items, atOnce)) await Promise.all(batch.map(act));
}

/** Work side by side, at most so much at once, in the order in which it was asked for. */
export function createTurns(most: number) {
  const waiting: (() => void)[] = [];
  let running = 0;
  return {
    async take<T>(work: () => Promise<T>): Promise<T> {
      if (running < most) running += 1;
      else await new Promise<void>((resolve) => waiting.push(resolve));
      try {
        return await work();
      } finally {
        const next = waiting.shift();
        if (next) next();
        else running -= 1;
      }
    },
  };
}
