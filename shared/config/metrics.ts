/**
 * Every metric of the connector. Its dimension in CloudWatch is `service` (the name of the function); some
 * have a second set of dimensions with the details named here.
 *
 * Each combination of values is a metric that costs money in every hour in which it is written. So only
 * details that an alarm or a graph uses are dimensions; all others are only in the log line.
 */
export const METRICS = {
  /** Webhooks that were put on their queue; per shop, because one shop can stop sending. */
  received: ['shop', 'kind'],
  refused: ['why'],
  'unknown-topic': [],
  'unexpected-api-version': [],
  'older-secret-used': [],
  /** Requests of shoppers that were answered. */
  served: [],
  /** Requests that failed because the loyalty service or the store did not answer. */
  unavailable: [],
  /** Requests beyond the rate limit. */
  'too-many': [],
  applied: [],
  unchanged: [],
  superseded: [],
  skipped: [],
  handled: [],
  retried: [],
  /** Parked in the dead-letter queue. */
  rejected: [],
  /** Nothing is synced until a person corrects credentials or settings. */
  misconfigured: [],
  /** The loyalty service asked for fewer calls. */
  throttled: [],
  /** The age of a message that waits because its shop is paused. */
  'paused-ms': [],
  /** Only for callers that run the sync in their own process; not written to CloudWatch. */
  'store-read': null,
  /** A request that a person must answer, by kind. */
  notice: ['why'],
  /** From the change in the store to the answer of the loyalty service. */
  'latency-ms': [],
  crash: [],
  /** Entities that reconciliation compared. */
  'looked-at': [],
  /** Compared entities whose newest change no webhook had announced. */
  healed: ['kind'],
  /** Sent again by a deep run although no webhook was lost: a rule was corrected, or a code expired. */
  'rolled-out': [],
  /** Orders that a deep walk read from the loyalty service and compared. */
  'orders-read': [],
  /** The age of the oldest change that one run healed. */
  'oldest-healed-ms': [],
  /** Runs of reconciliation that finished. */
  reconciled: [],
  /** Webhook subscriptions that were missing or wrong. */
  'subscriptions-wrong': [],
  /** Subscriptions that the scheduled run repaired. */
  'subscriptions-repaired': [],
  /** Balances that the nightly comparison with the loyalty service's report corrected. */
  'balances-repaired': [],
} as const satisfies Readonly<Record<string, readonly Detail[] | null>>;

export type Metric = keyof typeof METRICS;

/** The metrics that are written to CloudWatch. */
export type WrittenMetric = Exclude<Metric, 'store-read'>;

/** A detail that a metric may have. */
export type Detail = 'shop' | 'kind' | 'why' | 'code' | 'topic';

/** The names of the functions: the dimension `service`. */
export type Service =
  | 'receive-webhook'
  | 'sync-orders'
  | 'sync-products'
  | 'sync-coupons'
  | 'reconcile';

/** The functions of the storefront, where it is deployed. */
export type StorefrontService = 'receive-points' | 'sync-balances' | 'storefront';
