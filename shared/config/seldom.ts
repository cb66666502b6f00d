import type { Service, StorefrontService } from './metrics.ts';

/** A module, and the functions in it that are needed more often than the rest of it. They must keep no state. */
type Seldom = Readonly<Record<string, readonly string[]>>;

const IN_ORDERS: Seldom = {
  'aws/dynamodb-rate-limit': [],
  'aws/read-ledger': [],
  'aws/redact-ledger': [],
  'core/batch/dead-letter': [],
  'core/batch/delay-or-park': [],
  'core/calls/rate-limit': [],
  'core/events/message-body': [],
  'core/events/outcome': ['DEAD_LETTER_REASONS', 'overtaken'],
  'core/mapping/map-coupon': [],
  'core/mapping/map-product': [],
  'core/store/store': ['versionOf'],
  'core/sync/handle-task': [],
  'core/sync/held-order': [],
  'core/sync/observe-entity': [],
  'core/sync/read-snapshot': [],
  'loyalty/read-error': [],
  'rewards/redeem/redemption': [],
  'rewards/redeem/redemption-record': [],
  'shopify/webhooks/read-other-events': [],
  'store/store-credit': [],
};

const without = (all: Seldom, ...often: readonly string[]): Seldom =>
  Object.fromEntries(Object.entries(all).filter(([file]) => !often.includes(file)));

const SELDOM: Readonly<Partial<Record<Service | StorefrontService, Seldom>>> = {
  'sync-orders': IN_ORDERS,
  'sync-products': without(
    IN_ORDERS,
    'core/mapping/map-product',
    'core/sync/read-snapshot',
    'shopify/webhooks/read-other-events',
  ),
  'sync-coupons': without(
    IN_ORDERS,
    'core/mapping/map-coupon',
    'core/sync/handle-task',
    'core/sync/read-snapshot',
    'shopify/webhooks/read-other-events',
  ),
  // Most visits only look at points.
  storefront: {
    'aws/dynamodb-rate-limit': [],
    'aws/read-ledger': [],
    'aws/redact-ledger': [],
    'core/calls/rate-limit': [],
    'core/events/message-body': [],
    'loyalty/read-error': [],
    'loyalty/read-point-event': [],
    'rewards/redeem/challenge': [],
    'rewards/redeem/find-offer': [],
    'rewards/redeem/make-code': [],
    'rewards/redeem/resume-redemption': [],
    'rewards/redeem/redemption': [],
    'rewards/redeem/take-back': [],
    'rewards/storefront/give-points': [],
  },
};

/** What a function loads with the first call into it, because few of its events make one. */
export const seldomIn = (name: Service | StorefrontService): Seldom => SELDOM[name] ?? {};
