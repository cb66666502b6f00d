/**
 * `everyday`: an ordinary day writes it in most hours, at $0.30 a month.
 * `trouble`: a person must act on a single one. `sign`: only many of them, or those of hours, mean something;
 * anyone can cause some, so a flood of one is written in a few lines a minute.
 */
type Rhythm = 'everyday' | 'trouble' | 'sign';

/**
 * What the code counts, with the name under which CloudWatch keeps it, and how often; null: only the log has it.
 *
 * Every name costs money in each hour in which it is written, and so does every value of a dimension. So
 * all functions write under the same names, without dimensions; function, reason and code are in the log.
 * See docs/decisions/0027-an-alarm-is-for-what-a-person-must-act-on.md.
 */
export const METRICS = {
  /** Webhooks that were put on their queue. */
  received: ['received', 'everyday'],
  /** Webhooks with a wrong signature. Other refused requests, unsigned ones too, are in AWS's own count of 4xx answers. */
  'signatures-refused': ['signatures-refused', 'sign'],
  /** Point events with a wrong token. */
  'points-refused': ['points-refused', 'sign'],
  /** Requests of shoppers and tills whose signature or session token is not accepted. */
  'storefront-refused': ['storefront-refused', 'sign'],
  'unknown-topic': ['unknown-topic', 'sign'],
  'unexpected-api-version': ['unexpected-api-version', 'sign'],
  'older-secret-used': ['older-secret-used', 'sign'],
  /** Requests of shoppers that failed because the loyalty service, the store or the ledger did not answer. */
  unavailable: ['unavailable', 'sign'],
  applied: ['applied', 'everyday'],
  handled: ['applied', 'everyday'],
  unchanged: ['no-change', 'everyday'],
  superseded: ['no-change', 'everyday'],
  skipped: ['no-change', 'everyday'],
  retried: ['retried', 'everyday'],
  /** Retries of messages that are older than `OLDEST_MESSAGE_MINUTES`. */
  stuck: ['stuck', 'trouble'],
  /** Parked in the dead-letter queue. */
  rejected: ['rejected', 'trouble'],
  /** Nothing is synced until a person corrects credentials or settings. */
  misconfigured: ['misconfigured', 'trouble'],
  throttled: ['throttled', 'sign'],
  /** Messages that have waited for a week, in a paused shop or for the rate limit: they are parked on day 13. */
  'waits-long': ['waits-long', 'trouble'],
  /** Only for callers that run the sync in their own process. */
  'store-read': null,
  'data-request': ['data-request', 'trouble'],
  'shop-redact': ['shop-redact', 'trouble'],
  'app-uninstalled': ['app-uninstalled', 'trouble'],
  /** Answers that a till was not allowed to try: its user gave too many wrong ones. */
  'pin-guessing': ['pin-guessing', 'trouble'],
  'redemption-pending': ['redemption-pending', 'trouble'],
  /** Orders of which the loyalty service holds another state than the store. */
  'order-differs': ['order-differs', 'trouble'],
  /** From the change in one system to the answer of the other. */
  'latency-ms': ['latency-ms', 'everyday'],
  crash: ['crash', 'trouble'],
  /** Runs of reconciliation that finished. */
  reconciled: ['reconciled', 'everyday'],
  /** Runs that healed more than `HEALED_PERCENT` of what they compared. */
  'webhooks-lost': ['webhooks-lost', 'trouble'],
  /** Entities that reconciliation compared. */
  'looked-at': null,
  /** Compared entities whose newest change no webhook had announced. */
  healed: null,
  /** Sent again by a deep run although no webhook was lost: a rule was corrected, or a code expired. */
  'rolled-out': null,
  /** Orders that a deep run read from the loyalty service and compared. */
  'orders-read': null,
  'subscriptions-wrong': ['subscriptions-wrong', 'trouble'],
} as const satisfies Readonly<Record<string, readonly [string, Rhythm] | null>>;

export type Metric = keyof typeof METRICS;

/** A name in CloudWatch. */
export type WrittenMetric = NonNullable<(typeof METRICS)[Metric]>[0];

/** By the name in CloudWatch. */
export const RHYTHMS = Object.fromEntries(
  Object.values(METRICS).filter((written) => written !== null),
) as Readonly<Record<WrittenMetric, Rhythm>>;

/** With `monitoring: 'basic'`, one metric for everything that a person must act on. */
export const TROUBLE = 'trouble';

/** What `deployment.monitoring` may be. */
export type Monitoring = 'full' | 'basic';

/** Details of a count, for callers in the same process. */
export type Detail = 'shop' | 'kind' | 'why' | 'code' | 'topic';

/** The names of the functions. */
export type Service =
  | 'receive-webhook'
  | 'sync-orders'
  | 'sync-products'
  | 'sync-coupons'
  | 'reconcile'
  /** Where the settings have `events`. */
  | 'announce';

/** The functions of the storefront, where it is deployed. */
export type StorefrontService = 'receive-points' | 'sync-balances' | 'storefront';

/** How long a message may wait in a queue, or be retried, before an alarm: longer than most outages of a service. */
export const OLDEST_MESSAGE_MINUTES = 30;

/**
 * How often recent changes in the store are compared with the ledger. Oftener finds little that webhooks did not bring;
 * seldomer delays what they lost.
 */
export const RECONCILE_MINUTES = 60;

/** How often it is compared what of it was announced, where the settings have `events`. */
export const ANNOUNCE_MINUTES = 5;

/** The share of compared entities that reconciliation may heal before an alarm says that webhooks get lost. */
export const HEALED_PERCENT = 5;
