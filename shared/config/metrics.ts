/**
 * What the code counts, and the name under which CloudWatch keeps it; null: only the log has it.
 *
 * Every name costs money in each hour in which it is written, and so does every value of a dimension. So
 * all functions write under the same names, without dimensions; function, reason and code are in the log.
 * See docs/decisions/0027-an-alarm-is-for-what-a-person-must-act-on.md.
 */
export const METRICS = {
  /** Webhooks that were put on their queue. */
  received: 'received',
  /** The same for orders, by shop; only of shops whose silence is watched. */
  'orders-received': 'orders-received',
  /** Webhooks with a wrong signature. Other refused requests are in AWS's own count of 4xx answers. */
  'signatures-refused': 'signatures-refused',
  /** Point events with a wrong token. */
  'points-refused': 'points-refused',
  /** Requests of shoppers and tills whose signature or session token is not accepted. */
  'storefront-refused': 'storefront-refused',
  'unknown-topic': 'unknown-topic',
  'unexpected-api-version': 'unexpected-api-version',
  'older-secret-used': 'older-secret-used',
  /** Requests of shoppers that failed because the loyalty service, the store or the ledger did not answer. */
  unavailable: 'unavailable',
  applied: 'applied',
  handled: 'applied',
  unchanged: 'no-change',
  superseded: 'no-change',
  skipped: 'no-change',
  retried: 'retried',
  /** Retries of messages that are older than `OLDEST_MESSAGE_MINUTES`. */
  stuck: 'stuck',
  /** Parked in the dead-letter queue. */
  rejected: 'rejected',
  /** Nothing is synced until a person corrects credentials or settings. */
  misconfigured: 'misconfigured',
  /** The loyalty service asked for fewer calls. */
  throttled: 'throttled',
  /** Messages that have waited in a paused shop for so long that SQS may delete them: see `PAUSED_LONG_DAYS`. */
  'paused-long': 'paused-long',
  /** Only for callers that run the sync in their own process. */
  'store-read': null,
  'data-request': 'data-request',
  'shop-redact': 'shop-redact',
  'app-uninstalled': 'app-uninstalled',
  'redemption-pending': 'redemption-pending',
  /** Orders of which the loyalty service holds another state than the store. */
  'order-differs': 'order-differs',
  /** From the change in one system to the answer of the other. */
  'latency-ms': 'latency-ms',
  crash: 'crash',
  /** Runs of reconciliation that finished. */
  reconciled: 'reconciled',
  /** Runs that healed more than `HEALED_PERCENT` of what they compared. */
  'webhooks-lost': 'webhooks-lost',
  /** Entities that reconciliation compared. */
  'looked-at': null,
  /** Compared entities whose newest change no webhook had announced. */
  healed: null,
  /** Sent again by a deep run although no webhook was lost: a rule was corrected, or a code expired. */
  'rolled-out': null,
  /** Orders that a deep run read from the loyalty service and compared. */
  'orders-read': null,
  /** Webhook subscriptions that were missing or wrong. */
  'subscriptions-wrong': 'subscriptions-wrong',
} as const satisfies Readonly<Record<string, string | null>>;

export type Metric = keyof typeof METRICS;

/** A name in CloudWatch. */
export type WrittenMetric = NonNullable<(typeof METRICS)[Metric]>;

/**
 * `everyday`: an ordinary day writes it in most hours, at $0.30 a month.
 * `trouble`: a person must act on a single one. `sign`: only many of them, or those of hours, mean something.
 * `silence`: written only where the settings ask for its alarm.
 */
type Rhythm = 'everyday' | 'trouble' | 'sign' | 'silence';

export const RHYTHMS: Readonly<Record<WrittenMetric, Rhythm>> = {
  received: 'everyday',
  'orders-received': 'silence',
  'signatures-refused': 'sign',
  'points-refused': 'sign',
  'storefront-refused': 'sign',
  'unknown-topic': 'sign',
  'unexpected-api-version': 'sign',
  'older-secret-used': 'sign',
  unavailable: 'sign',
  applied: 'everyday',
  'no-change': 'everyday',
  retried: 'everyday',
  stuck: 'trouble',
  rejected: 'trouble',
  misconfigured: 'trouble',
  throttled: 'sign',
  'paused-long': 'trouble',
  'data-request': 'trouble',
  'shop-redact': 'trouble',
  'app-uninstalled': 'trouble',
  'redemption-pending': 'trouble',
  'order-differs': 'trouble',
  'latency-ms': 'everyday',
  crash: 'trouble',
  reconciled: 'everyday',
  'webhooks-lost': 'trouble',
  'subscriptions-wrong': 'trouble',
};

/** With `monitoring: 'basic'`, one metric for everything that a person must act on. */
export const TROUBLE = 'trouble';

/** What `deployment.monitoring` may be. */
export type Monitoring = 'full' | 'basic';

/** The name that CloudWatch gets for a count; undefined means none. */
export function writtenName(
  metric: Metric,
  monitoring: Monitoring,
): WrittenMetric | typeof TROUBLE | undefined {
  const name = METRICS[metric];
  if (name === null) return undefined;
  const rhythm = RHYTHMS[name];
  if (monitoring === 'full' || rhythm === 'silence') return name;
  return rhythm === 'trouble' ? TROUBLE : undefined;
}

/** Details of a count, for callers in the same process. */
export type Detail = 'shop' | 'kind' | 'why' | 'code' | 'topic';

/** The names of the functions. */
export type Service =
  | 'receive-webhook'
  | 'sync-orders'
  | 'sync-products'
  | 'sync-coupons'
  | 'reconcile';

/** The functions of the storefront, where it is deployed. */
export type StorefrontService = 'receive-points' | 'sync-balances' | 'storefront';

/** How long a message may wait in a queue, or be retried, before an alarm: longer than most outages of a service. */
export const OLDEST_MESSAGE_MINUTES = 30;

/** The share of compared entities that reconciliation may heal before an alarm says that webhooks get lost. */
export const HEALED_PERCENT = 5;
