import type { Claim, MeaningOf, StoreEvent } from '../../core/events/event.ts';

// The only place that knows how the store names what happens; the core hears of claims.

/** What a topic's payload is about, what it claims, and where in it the id of that thing stands. */
export interface TopicRoute {
  readonly kind: StoreEvent['kind'];
  readonly claim: Claim;
  /**
   * `entity`: the payload is the entity itself. The others carry only a reference, and the worker
   * reads the store.
   */
  readonly carries: 'entity' | 'deletion' | 'order-reference' | 'discount' | 'compliance' | 'shop';
}

const order: TopicRoute = { kind: 'order', claim: 'changed', carries: 'entity' };
const orderReference: TopicRoute = { ...order, carries: 'order-reference' };
const product: TopicRoute = { kind: 'product', claim: 'changed', carries: 'entity' };
const deletion = { claim: 'deleted', carries: 'deletion' } as const;
const discount: TopicRoute = { kind: 'discount', claim: 'changed', carries: 'discount' };
const customer = { kind: 'customer', carries: 'compliance' } as const;
const shop = { kind: 'shop', carries: 'shop' } as const;

/**
 * Of the operator's own trials of the address: nothing is queued, and a forged one does not count among
 * the signatures that ring. Whoever forges may use it too and is refused all the same; no store does.
 */
export const PROBE_TOPIC = 'connector/doctor';

/** Every topic the connector handles. The webhook subscriptions it wants are derived from here. */
export const topicRoutes: ReadonlyMap<string, TopicRoute> = new Map<string, TopicRoute>([
  ['orders/create', order],
  ['orders/updated', order],
  ['orders/paid', order],
  ['orders/fulfilled', order],
  ['orders/partially_fulfilled', order],
  ['orders/cancelled', order],
  ['orders/edited', orderReference],
  ['orders/delete', { kind: 'order', ...deletion }],
  ['refunds/create', orderReference],
  ['products/create', product],
  ['products/update', product],
  ['products/delete', { kind: 'product', ...deletion }],
  ['discounts/create', discount],
  ['discounts/update', discount],
  ['discounts/delete', { ...discount, claim: 'deleted' }],
  ['discounts/redeemcode_added', { ...discount, claim: 'code-added' }],
  ['discounts/redeemcode_removed', { ...discount, claim: 'code-removed' }],
  ['customers/data_request', { ...customer, claim: 'data-requested' }],
  ['customers/redact', { ...customer, claim: 'customer-redaction' }],
  ['shop/redact', { ...shop, claim: 'shop-redaction' }],
  ['app/uninstalled', { ...shop, claim: 'app-removed' }],
]);

/** Begins the topics of a backfill, which are not the store's. */
const BACKFILL = 'backfill/';

/** The label of a message that a backfill sends; version 0.1.0 knows such a message by it. */
export const backfillTopicOf = (kind: StoreEvent['kind']): string => `${BACKFILL}${kind}`;

/**
 * The topic that fits what a feeder found out: a label for operators, by which version 0.1.0, too,
 * understands the message.
 */
export function topicOf(kind: StoreEvent['kind'], claim: Claim): string {
  const about = kind === 'coupon' ? 'discount' : kind;
  const fits = (route: TopicRoute) => route.kind === about && route.claim === claim;
  const topics = [...topicRoutes].filter(([, route]) => fits(route)).map(([topic]) => topic);
  return topics.find((topic) => /\/updated?$/.test(topic)) ?? topics[0] ?? '';
}

/**
 * What a message of version 0.1.0 means, which has a topic and nothing else. Its receiver queued no
 * topic that is not in the table above, and no webhook is about a single code.
 */
export const meaningOf: MeaningOf = ({ kind, topic }) => ({
  claim: topicRoutes.get(topic)?.claim ?? 'changed',
  origin: topic.startsWith(BACKFILL) ? 'backfill' : kind === 'coupon' ? 'fan-out' : 'webhook',
});

/** Declared in the app's own configuration and nowhere else: the Admin API does not know them. */
export const complianceTopics: ReadonlySet<string> = new Set([
  'customers/data_request',
  'customers/redact',
  'shop/redact',
]);
