import type { Claim, StoreEvent } from '../../core/events/event.ts';

// Only this file knows the store's names of events; the core works with claims.

/** What a topic's body is about, what it claims, and what the body carries. */
export interface TopicRoute {
  readonly kind: StoreEvent['kind'];
  readonly claim: Claim;
  /**
   * `entity`: the body is the entity itself. The others carry only a reference, and the worker reads
   * the store.
   */
  readonly carries:
    | 'entity'
    | 'deletion'
    | 'order-reference'
    | 'discount'
    | 'merge'
    | 'compliance'
    | 'shop'
    /** The body of an Event: what happened, the id, and the result of the subscription's query. */
    | 'event';
}

const order: TopicRoute = { kind: 'order', claim: 'changed', carries: 'entity' };
const orderReference: TopicRoute = { ...order, carries: 'order-reference' };
const product: TopicRoute = { kind: 'product', claim: 'changed', carries: 'entity' };
const deletion = { claim: 'deleted', carries: 'deletion' } as const;
const discount: TopicRoute = { kind: 'discount', claim: 'changed', carries: 'discount' };
const member: TopicRoute = { kind: 'member', claim: 'changed', carries: 'entity' };
const customer = { kind: 'customer', carries: 'compliance' } as const;
const shop = { kind: 'shop', carries: 'shop' } as const;

/**
 * Sent by `doctor` to test the address. It is never queued, and with a wrong signature it does not count
 * for the alarm on forged webhooks. A forger who uses it is refused as well; no store uses it.
 */
export const PROBE_TOPIC = 'connector/doctor';

/**
 * Every topic the connector handles. The webhook subscriptions it wants are derived from here.
 * See docs/how-to/add-a-webhook-topic.md.
 */
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
  ['disputes/create', orderReference],
  ['disputes/update', orderReference],
  ['products/create', product],
  ['products/update', product],
  ['products/delete', { kind: 'product', ...deletion }],
  ['discounts/create', discount],
  ['discounts/update', discount],
  ['discounts/delete', { ...discount, claim: 'deleted' }],
  ['discounts/redeemcode_added', { ...discount, claim: 'code-added' }],
  ['discounts/redeemcode_removed', { ...discount, claim: 'code-removed' }],
  ['customers/create', member],
  ['customers/update', member],
  ['customers/delete', { kind: 'member', ...deletion }],
  ['customers/merge', { kind: 'member', claim: 'merged', carries: 'merge' }],
  ['customers/data_request', { ...customer, claim: 'data-requested' }],
  ['customers/redact', { ...customer, claim: 'customer-redaction' }],
  ['shop/redact', { ...shop, claim: 'shop-redaction' }],
  ['app/uninstalled', { ...shop, claim: 'app-removed' }],
]);

const productEvent: TopicRoute = { ...product, carries: 'event' };

/** Topics and actions of Shopify's Events, which are declared in shopify.app.toml. */
export const eventRoutes: ReadonlyMap<string, TopicRoute> = new Map<string, TopicRoute>([
  ['Product/create', productEvent],
  ['Product/update', productEvent],
  ['Product/delete', { ...productEvent, claim: 'deleted' }],
]);

export function routeOf(topic: string): TopicRoute | undefined {
  return topicRoutes.get(topic) ?? eventRoutes.get(topic);
}

/** A backfill's label for operators, where a webhook has its topic. */
export const backfillTopicOf = (kind: StoreEvent['kind']): string => `backfill/${kind}`;

/** The label of an event that reconcile created. */
export function topicOf(kind: StoreEvent['kind'], claim: Claim): string {
  const about = kind === 'coupon' ? 'discount' : kind;
  const fits = (route: TopicRoute) => route.kind === about && route.claim === claim;
  const topics = [...topicRoutes].filter(([, route]) => fits(route)).map(([topic]) => topic);
  return topics.find((topic) => /\/updated?$/.test(topic)) ?? topics[0] ?? '';
}

/** Only the app's configuration can subscribe to them: the Admin API does not know them. */
export const complianceTopics: ReadonlySet<string> = new Set([
  'customers/data_request',
  'customers/redact',
  'shop/redact',
]);
