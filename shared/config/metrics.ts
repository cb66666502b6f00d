/**
 * Every figure the connector counts. CloudWatch keeps each by `service` (the name of the function), and
 * some also by the details named here.
 *
 * Each combination of values is a metric that is paid for in every hour in which it is written. So
 * only what an alarm or a graph looks at is kept apart; all other details stand in the log line.
 */
export const METRICS = {
  /** Webhooks that were put on their queue; per shop, because a shop can fall silent alone. */
  received: ['shop', 'kind'],
  refused: ['why'],
  'unknown-topic': [],
  'unexpected-api-version': [],
  'older-secret-used': [],
  /** Questions of a shopper that were answered, whatever the answer. */
  served: [],
  /** Those that were not, because the loyalty service or the store was away. */
  unavailable: [],
  /** Those that came too fast. */
  'too-many': [],
  applied: [],
  unchanged: [],
  superseded: [],
  skipped: [],
  handled: [],
  retried: [],
  /** Parked in the dead-letter queue. */
  rejected: [],
  /** Nothing will pass until a person mends credentials or settings. */
  misconfigured: [],
  /** The loyalty service asked for fewer calls. */
  throttled: [],
  /** Heard by whoever runs the sync in its own process. Nobody looks for it in CloudWatch. */
  'store-read': null,
  /** Something a person must see; each kind asks for something else. */
  notice: ['why'],
  /** From the change in the store to the answer of the loyalty service. */
  'latency-ms': [],
  crash: [],
  /** Entities that reconciliation compared. */
  'looked-at': [],
  /** Those of them that no webhook had told of, or not the newest. */
  healed: ['kind'],
  /** Sent anew by a deep walk although no webhook was lost: a rule was corrected, or a code's last day came. */
  'rolled-out': [],
  /** How long ago the oldest of one run's healed things had changed. */
  'oldest-healed-ms': [],
  /** Runs of reconciliation that came to their end. */
  reconciled: [],
  /** Webhook subscriptions that were missing or wrong. */
  'subscriptions-wrong': [],
  /** Those of them that the scheduled run mended. */
  'subscriptions-repaired': [],
} as const satisfies Readonly<Record<string, readonly Detail[] | null>>;

export type Metric = keyof typeof METRICS;

/** What CloudWatch gets to know. */
export type WrittenMetric = Exclude<Metric, 'store-read'>;

/** What a count may be told with. */
export type Detail = 'shop' | 'kind' | 'why' | 'code' | 'topic';

/** The names under which the functions count: the dimension `service`. */
export type Service =
  | 'receive-webhook'
  | 'sync-orders'
  | 'sync-products'
  | 'sync-coupons'
  | 'reconcile';

/** Those of the way back into the store, where it is deployed. */
export type StorefrontService = 'receive-points' | 'sync-balances' | 'storefront';
