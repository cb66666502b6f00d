import type { EventKind } from '../../core/events/store-event.ts';

/** What a topic's payload is about, and where in it the id of that thing stands. */
export interface TopicRoute {
  readonly kind: EventKind;
  /**
   * `entity`: the payload is the entity itself. The others carry only a reference, and the worker
   * reads the store.
   */
  readonly carries: 'entity' | 'deletion' | 'order-reference' | 'discount' | 'compliance' | 'shop';
}

const order: TopicRoute = { kind: 'order', carries: 'entity' };
const product: TopicRoute = { kind: 'product', carries: 'entity' };
const discount: TopicRoute = { kind: 'discount', carries: 'discount' };
const customer: TopicRoute = { kind: 'customer', carries: 'compliance' };
const shop: TopicRoute = { kind: 'shop', carries: 'shop' };

/**
 * Of the operator's own trials of the address: nothing is queued, and a forged one does not count among
 * the signatures that ring. Whoever forges may use it too and is refused all the same; no store does.
 */
export const PROBE_TOPIC = 'connector/doctor';

/** Every topic the connector handles. The webhook subscriptions it wants are derived from here. */
export const topicRoutes: ReadonlyMap<string, TopicRoute> = new Map([
  ['orders/create', order],
  ['orders/updated', order],
  ['orders/paid', order],
  ['orders/fulfilled', order],
  ['orders/partially_fulfilled', order],
  ['orders/cancelled', order],
  ['orders/edited', { kind: 'order', carries: 'order-reference' }],
  ['orders/delete', { kind: 'order', carries: 'deletion' }],
  ['refunds/create', { kind: 'order', carries: 'order-reference' }],
  ['products/create', product],
  ['products/update', product],
  ['products/delete', { kind: 'product', carries: 'deletion' }],
  ['discounts/create', discount],
  ['discounts/update', discount],
  ['discounts/delete', discount],
  ['discounts/redeemcode_added', discount],
  ['discounts/redeemcode_removed', discount],
  ['customers/data_request', customer],
  ['customers/redact', customer],
  ['shop/redact', shop],
  ['app/uninstalled', shop],
]);

/** Declared in the app's own configuration and nowhere else: the Admin API does not know them. */
export const complianceTopics: ReadonlySet<string> = new Set([
  'customers/data_request',
  'customers/redact',
  'shop/redact',
]);
