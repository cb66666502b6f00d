import { createHmac } from 'node:crypto';
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
import { API_VERSION } from '../entity-id.ts';
import { identifyEntity, PROBE_TOPIC, routeOf, type TopicRoute } from './topics.ts';

/** Shopify's webhooks and Events. */
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
 * Of the body: equal bytes say nothing new. Two edits of a discount in one second have equal bodies, and the store is
 * asked for the second; of a deletion it is asked, too.
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
