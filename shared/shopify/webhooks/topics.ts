import { createHmac } from 'node:crypto';
import { type Claim, hashBody, type StoreEvent } from '../../core/events/event.ts';
import {
  type Deliveries,
  findHeader,
  isHmac,
  OPERATOR_AGENT,
  type RequestHeaders,
  type SignatureCheck,
  type WebhookSecrets,
  whichSigned,
} from '../../core/events/receive-delivery.ts';
import type { ReadFault } from '../../store/store-entities.ts';
import { API_VERSION, entityId, idFromGid } from '../entity-id.ts';

export const shopifyDeliveries: Deliveries = {
  // The store signs everything.
  maySign: (headers) => isHmac(readSignature(headers)),

  check: ({ headers, body }, secrets) =>
    checkSignature(body, readSignature(headers) ?? '', secrets),

  identify({ headers, body }, shop) {
    const read = readWebhookHeaders(headers);
    if (read.kind === 'bad-headers') return { kind: 'refused', status: 400, why: read.why };
    const { topic, webhookId, triggeredAt, apiVersion } = read.headers;
    if (read.headers.shop !== shop) return { kind: 'refused', status: 401 };
    const route = routeOf(topic);
    if (!route) {
      const text = 'not a topic of this connector';
      return { kind: 'not-ours', text, isProbe: topic === PROBE_TOPIC };
    }
    return {
      kind: 'event',
      event: {
        kind: route.kind,
        id: identifyEntity(route, body, shop),
        claim: route.claim,
        topic,
        deliveryId: webhookId,
        ...(triggeredAt && { triggeredAt }),
      },
      saysAll: saysAll(route) ? (readSignature(headers) ?? webhookId) : undefined,
      byOperator: findHeader(headers, 'user-agent') === OPERATOR_AGENT,
      // Shopify serves a retired version from the oldest supported one: counted, not refused.
      unexpectedVersion: apiVersion !== API_VERSION,
    };
  },

  isProbe({ headers }) {
    const read = readWebhookHeaders(headers);
    return read.kind === 'read' && read.headers.topic === PROBE_TOPIC;
  },
};

/**
 * Of the body. That of a discount is equal after two edits in one second, and the store is asked for the second; of a
 * deletion it is asked, too.
 */
const saysAll = ({ claim, carries }: TopicRoute): boolean =>
  claim === 'changed' && (carries === 'entity' || carries === 'event');

interface WebhookHeaders {
  /** `orders/create`; of an Event its topic and action: `Product/update`. */
  readonly topic: string;
  readonly shop: string;
  readonly webhookId: string;
  readonly apiVersion: string;
  readonly triggeredAt: string | undefined;
}

type ReadHeaders =
  | { readonly kind: 'read'; readonly headers: WebhookHeaders }
  | { readonly kind: 'bad-headers'; readonly why: string };

/** Shopify's Events use the first family, its webhooks the second. */
const EVENTS = 'shopify-';
const FAMILIES = [EVENTS, 'x-shopify-'] as const;
const SIGNATURE = 'hmac-sha256';

/**
 * Several times what the store sends. Headers are not signed: with a captured body, any caller could
 * fill the log with them or make a message too large for its queue.
 */
const MAX_LENGTH = 255;

export function readSignature(headers: RequestHeaders): string | undefined {
  return findHeader(headers, familyOf(headers) + SIGNATURE);
}

/** None of these headers is signed. */
export function readWebhookHeaders(headers: RequestHeaders): ReadHeaders {
  const family = familyOf(headers);
  const read = (name: string) => findHeader(headers, family + name) ?? '';
  const action = family === EVENTS ? read('action') : '';
  const required = {
    topic: [read('topic'), action].filter((part) => part !== '').join('/'),
    'shop-domain': read('shop-domain'),
    'webhook-id': read('webhook-id'),
    'api-version': read('api-version'),
  };
  const named = (wrong: (value: string) => boolean) =>
    Object.entries(required).flatMap(([name, value]) => (wrong(value) ? [family + name] : []));
  const missing = named((value) => value === '');
  if (missing.length > 0) return { kind: 'bad-headers', why: `missing: ${missing.join(', ')}` };
  // A header sent twice arrives joined. No genuine value has a comma, and a guess between two topics
  // would let the sender choose.
  const doubled = named((value) => value.includes(','));
  if (doubled.length > 0) return { kind: 'bad-headers', why: `sent twice: ${doubled.join(', ')}` };
  const tooLong = named((value) => value.length > MAX_LENGTH);
  if (tooLong.length > 0) return { kind: 'bad-headers', why: `too long: ${tooLong.join(', ')}` };
  const triggeredAt = findHeader(headers, `${family}triggered-at`);
  return {
    kind: 'read',
    headers: {
      topic: required.topic,
      shop: required['shop-domain'].toLowerCase(),
      webhookId: required['webhook-id'],
      apiVersion: required['api-version'],
      triggeredAt: triggeredAt && triggeredAt.length <= MAX_LENGTH ? triggeredAt : undefined,
    },
  };
}

/** The family with a signature; headers of the other one are ignored. */
function familyOf(headers: RequestHeaders): string {
  return FAMILIES.find((family) => findHeader(headers, family + SIGNATURE)) ?? 'x-shopify-';
}

/**
 * After a rotation Shopify may sign with the old secret for up to an hour ("Rotate or revoke client
 * credentials").
 */
export function checkSignature(
  body: Uint8Array,
  signature: string,
  secrets: WebhookSecrets,
): SignatureCheck {
  const sign = (secret: string) => createHmac('sha256', secret).update(body).digest('base64');
  return whichSigned(secrets, signature, sign);
}

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

/** The label of an event that reconcile created. */
export function topicOf({ kind, claim }: Pick<StoreEvent, 'kind' | 'claim'>): string {
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

/**
 * The id under which an event is queued, so that all events of one entity are in one group. A body
 * without an id gets its hash instead: the worker parks it, and nothing is lost.
 * See docs/decisions/0006-messages-and-items-carry-a-version-and-newer-ones-wait.md.
 */
export function identifyEntity(route: TopicRoute, body: Uint8Array, shop: string): string {
  if (route.carries === 'shop') return shop;
  return (route.carries === 'entity' ? idAtHead(route, body) : undefined) ?? idInside(route, body);
}

function idInside(route: TopicRoute, body: Uint8Array): string {
  const parsed = parseJson(body);
  const payload = parsed.kind === 'parsed' ? asRecord(parsed.value) : undefined;
  return (payload && findId(route, payload)) ?? hashBody(body);
}

/** Enough for both ids, with any spaces and escaped slashes. */
const HEAD_BYTES = 256;
const HEAD =
  /^\s*{\s*(?:"id"\s*:\s*\d{1,30}\s*,\s*)?"admin_graphql_api_id"\s*:\s*"(gid:[^"]+)"\s*[,}]/;

/**
 * The body of an order or a product begins with its global id. Parsing the whole body would take a
 * quarter of the receiver's time for an order of 64 KB, and the worker refuses a body whose id is not
 * that of its group.
 */
function idAtHead(route: TopicRoute, body: Uint8Array): string | undefined {
  const head = Buffer.from(body.buffer, body.byteOffset, Math.min(body.length, HEAD_BYTES));
  const gid = HEAD.exec(head.toString('latin1'))?.[1]?.replaceAll('\\/', '/');
  return idFromGid(gid, gidTypeOf(route));
}

function gidTypeOf({ kind }: TopicRoute) {
  if (kind === 'member') return 'Customer';
  return kind === 'order' ? 'Order' : 'Product';
}

function findId(route: TopicRoute, payload: Payload): string | undefined {
  switch (route.carries) {
    case 'entity':
    case 'deletion':
      return entityId(idFields(payload), gidTypeOf(route));
    case 'order-reference':
      return asId(payload.order_id) ?? asId(asRecord(payload.order_edit)?.order_id);
    case 'discount':
      return discountId(asText(payload.admin_graphql_api_id));
    case 'merge':
      return idFromGid(asText(payload.admin_graphql_api_customer_deleted_id), 'Customer');
    case 'compliance':
      return asId(asRecord(payload.customer)?.id);
    case 'event':
      return productIdOfEvent(payload);
    case 'shop':
      return undefined;
  }
}

/** Of one with codes, or of an automatic one. */
export const discountId = (gid: string | undefined) =>
  idFromGid(gid, 'DiscountCodeNode') ?? idFromGid(gid, 'DiscountAutomaticNode');

const idFields = (payload: Payload) => ({
  id: asId(payload.id),
  admin_graphql_api_id: asText(payload.admin_graphql_api_id),
});

/** `parseJson` returns long ids as text, so a number is exact. */
function asId(value: unknown): string | undefined {
  const text = typeof value === 'number' ? String(value) : value;
  return typeof text === 'string' && /^\d{1,30}$/.test(text) ? text : undefined;
}

// Without a schema library: the receiver loads this file.

export type Payload = Readonly<Record<string, unknown>>;

/** In the variables of the query; a deletion may name it only in the paths of what changed. */
export function productIdOfEvent(body: Payload): string | undefined {
  const given = asText(asRecord(body.query_variables)?.productId);
  return idFromGid(given ?? gidOfRoot(body.fields_changed), 'Product');
}

/** `{"removed": ["product[id: 'gid://shopify/Product/123']"]}` */
function gidOfRoot(fieldsChanged: unknown): string | undefined {
  const [path] = Object.values(asRecord(fieldsChanged) ?? {}).flat();
  return /^product\[id: '([^']+)'\]/.exec(asText(path) ?? '')?.[1];
}

export function asRecord(value: unknown): Payload | undefined {
  return typeof value === 'object' && value !== null ? (value as Payload) : undefined;
}

export function asText(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

export type ParsedJson =
  | { readonly kind: 'parsed'; readonly value: unknown }
  | { readonly kind: 'fault'; readonly fault: ReadFault };

/**
 * A number of sixteen digits or more in the place of a value. A match inside a text costs time, never
 * correctness.
 */
const LONG_INTEGER = /[:[,]\s*-?\d{16}/;

const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Returns integers beyond 2^53 as text, digit for digit: `JSON.parse` alone rounds them, and Shopify's
 * ids can be that long.
 *
 * The reviver that keeps the digits makes parsing about six times slower (2.1 ms against 0.36 ms for
 * 52 KB on Node 24); testing whether it is needed costs a third of a plain parse. It is also the only
 * part that recurses: a body nested deeper than the stack is a fault there. Without the reviver depth
 * does no harm, because the readers follow only their schemas.
 *
 * A `__proto__` in the text becomes an ordinary own property, which no reader looks at.
 */
export function parseJson(body: Uint8Array | string): ParsedJson {
  let text: string;
  try {
    text = typeof body === 'string' ? body : utf8.decode(body);
  } catch {
    return fault('is not UTF-8 text');
  }
  if (text.trim() === '') return fault('is empty');
  try {
    const value = LONG_INTEGER.test(text) ? JSON.parse(text, keepDigits) : JSON.parse(text);
    return { kind: 'parsed', value };
  } catch (error) {
    if (error instanceof RangeError) return fault('is nested too deeply');
    return fault(`is not JSON${place(error)}`);
  }
}

function keepDigits(_key: string, value: unknown, context?: { source?: string }): unknown {
  if (typeof value !== 'number' || Number.isSafeInteger(value)) return value;
  const source = context?.source;
  return source !== undefined && /^-?\d+$/.test(source) ? source : value;
}

/** The engine's message quotes the text around the fault, which may be personal data. */
function place(error: unknown): string {
  const position = /at position (\d+)/.exec(error instanceof Error ? error.message : '')?.[1];
  return position === undefined ? '' : ` (position ${position})`;
}

function fault(problem: string): ParsedJson {
  return { kind: 'fault', fault: { path: '$', problem } };
}
