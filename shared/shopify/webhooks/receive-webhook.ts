import { createHmac, timingSafeEqual } from 'node:crypto';
import { deduplicationIdOf, type EventQueue, type StoreEvent } from '../../core/events/event.ts';
import { correlationOf, errorFields, type Telemetry } from '../../core/events/telemetry.ts';
import { identifyEntity, PROBE_TOPIC, routeOf, type TopicRoute } from './topics.ts';

interface WebhookRequest {
  readonly method: string;
  /** As sent, without the query. */
  readonly path: string;
  readonly headers: RequestHeaders;
  /** The raw bytes, which are signed. */
  readonly body: Uint8Array;
}

export interface WebhookAnswer {
  readonly status: 200 | 400 | 401 | 405 | 429 | 503;
  readonly text: string;
}

/** Each shop has its own address and secrets, because an unsigned header must not decide the shop. */
interface ReceivingShop {
  readonly domain: string;
  readonly secrets: WebhookSecretReader;
  /** Its orders are counted apart, because an alarm watches for their silence. */
  readonly watchesSilence: boolean;
}

export interface ReceiverDependencies {
  /** By the path of its address: `/webhooks/example`. */
  readonly shops: ReadonlyMap<string, ReceivingShop>;
  readonly queue: EventQueue;
  readonly telemetry: Telemetry;
  readonly now: () => Date;
  readonly apiVersion: string;
  readonly mayQueue: (event: StoreEvent) => boolean;
}

/**
 * Verify, identify, enqueue, answer. Besides the queue, only secrets that are not cached are a remote
 * call, because Shopify waits five seconds in all and gives up on an address that fails often.
 */
export async function receiveWebhook(
  request: WebhookRequest,
  dependencies: ReceiverDependencies,
): Promise<WebhookAnswer> {
  if (request.method !== 'POST') return { status: 405, text: 'send a webhook with POST' };
  const shop = dependencies.shops.get(request.path);
  // The answer is the same for an unknown address and a wrong signature, so that guessing finds no shops.
  if (!shop) return refused(401);
  const verified = await verify(request, shop, dependencies);
  if (verified === 'unsigned') return refused(401);
  if (verified === 'invalid') {
    if (!isProbe(request.headers)) dependencies.telemetry.count('signatures-refused');
    return refused(401);
  }
  if (verified === 'unavailable') return { status: 503, text: 'try again later' };
  if (verified === 'previous') dependencies.telemetry.count('older-secret-used');

  const read = readWebhookHeaders(request.headers);
  if (read.kind === 'bad-headers') return refused(400, read.why);
  if (read.headers.shop !== shop.domain) return refused(401);
  return enqueue(request, read.headers, shop, dependencies);
}

/**
 * Of the body: equal bytes say nothing new. Two edits of a discount in one second have equal bodies, and the store is
 * asked for the second; of a deletion it is asked, too.
 */
const saysAll = ({ claim, carries }: TopicRoute): boolean =>
  claim === 'changed' && (carries === 'entity' || carries === 'event');

/** An import of codes sends about one webhook a second. */
const MOST_A_MINUTE = 120;

/**
 * Whether a body that only names its entity may be queued: at most so many a minute of one entity, in this process.
 * What is refused is answered with 429: the store repeats everything but 200 to 299 ("Troubleshoot webhooks"). With 200
 * a change would be lost that came after the last queued message was worked off; with 5xx anyone with a captured body
 * could make the receiver look broken.
 */
export function createQueueLimit(now: () => Date): ReceiverDependencies['mayQueue'] {
  let minute = 0;
  let counts = new Map<string, number>();
  return ({ shop, kind, id }) => {
    const current = Math.floor(now().getTime() / 60_000);
    if (current !== minute) [minute, counts] = [current, new Map()];
    const entity = `${shop}/${kind}/${id}`;
    const count = (counts.get(entity) ?? 0) + 1;
    counts.set(entity, count);
    return count <= MOST_A_MINUTE;
  };
}

/** What the command `send` calls itself. */
export const OPERATOR_AGENT = 'loyalty-connector';

async function enqueue(
  { body, headers: sent }: WebhookRequest,
  headers: WebhookHeaders,
  { domain, watchesSilence }: ReceivingShop,
  { queue, telemetry, now, apiVersion, mayQueue }: ReceiverDependencies,
): Promise<WebhookAnswer> {
  const { topic, webhookId, triggeredAt } = headers;
  const route = routeOf(topic);
  if (!route) {
    if (topic !== PROBE_TOPIC) telemetry.count('unknown-topic');
    return { status: 200, text: 'not a topic of this connector' };
  }
  // Shopify serves a retired version from the oldest supported one: counted, not refused.
  if (headers.apiVersion !== apiVersion) telemetry.count('unexpected-api-version');

  const event: StoreEvent = {
    shop: domain,
    kind: route.kind,
    id: identifyEntity(route, body, domain),
    claim: route.claim,
    origin: 'webhook',
    topic,
    deliveryId: webhookId,
    receivedAt: now().toISOString(),
    ...(triggeredAt && { triggeredAt }),
    body,
  };
  const isWhole = saysAll(route);
  if (!isWhole && !mayQueue(event)) return { status: 429, text: 'too many of one entity' };
  // The store does not sign the id of a delivery, so a captured body could be queued again and again under new ones.
  const deliveryId = (isWhole && readSignature(sent)) || webhookId;
  try {
    await queue.send(event, deduplicationIdOf({ ...event, deliveryId }));
  } catch (error) {
    telemetry.log('error', 'the queue did not accept the event; the store will send it again', {
      correlationId: webhookId,
      topic,
      ...errorFields(error),
    });
    return { status: 503, text: 'try again later' };
  }
  // An operator's own proves neither the app's secret nor its subscriptions. Whoever imitates it is not counted.
  if (find(sent, 'user-agent') !== OPERATOR_AGENT) {
    telemetry.count('received', { shop: domain, kind: route.kind, topic });
    if (watchesSilence && route.kind === 'order')
      telemetry.count('orders-received', { shop: domain });
  }
  telemetry.log('info', 'received', correlationOf(event));
  return { status: 200, text: 'accepted' };
}

async function verify(
  { headers, body }: WebhookRequest,
  { secrets }: ReceivingShop,
  { telemetry }: ReceiverDependencies,
): Promise<SignatureCheck | 'unavailable' | 'unsigned'> {
  const signature = readSignature(headers);
  // The store signs everything: this says nothing of its secret.
  if (!signature) return 'unsigned';
  try {
    const check = checkSignature(body, signature, await secrets.get());
    if (check !== 'invalid') return check;
    const renewal = await secrets.refresh();
    return renewal.kind === 'renewed' ? checkSignature(body, signature, renewal.value) : 'invalid';
  } catch (error) {
    telemetry.log('error', 'the webhook secrets could not be read', errorFields(error));
    return 'unavailable';
  }
}

function isProbe(headers: WebhookRequest['headers']): boolean {
  const read = readWebhookHeaders(headers);
  return read.kind === 'read' && read.headers.topic === PROBE_TOPIC;
}

/** Writes nothing: a flood must not fill the log. AWS counts the 4xx answers of an address. */
function refused(
  status: 400 | 401,
  text = 'the signature does not fit this address',
): WebhookAnswer {
  return { status, text };
}

/** As Lambda passes them: in any case, repeated ones joined by commas. */
export type RequestHeaders = Readonly<Record<string, string | undefined>>;

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
  return find(headers, familyOf(headers) + SIGNATURE);
}

/** None of these headers is signed. */
export function readWebhookHeaders(headers: RequestHeaders): ReadHeaders {
  const family = familyOf(headers);
  const read = (name: string) => find(headers, family + name) ?? '';
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
  const triggeredAt = find(headers, `${family}triggered-at`);
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
  return FAMILIES.find((family) => find(headers, family + SIGNATURE)) ?? 'x-shopify-';
}

function find(headers: RequestHeaders, wanted: string): string | undefined {
  const direct = headers[wanted];
  if (direct) return direct.trim() || undefined;
  for (const key of Object.keys(headers)) {
    if (key.length === wanted.length && key.toLowerCase() === wanted) {
      return headers[key]?.trim() || undefined;
    }
  }
  return undefined;
}

/**
 * After a rotation Shopify may sign with the old secret for up to an hour ("Rotate or revoke client
 * credentials"), so both are accepted.
 */
export interface WebhookSecrets {
  readonly current: string;
  readonly previous?: string | undefined;
}

export interface WebhookSecretReader {
  get(): Promise<WebhookSecrets>;
  /** Reads the secrets again, at most once a minute: they may have been rotated a moment ago. */
  refresh(): Promise<{ readonly kind: 'renewed' | 'unchanged'; readonly value: WebhookSecrets }>;
}

/** Which secret made the signature. */
export type SignatureCheck = 'current' | 'previous' | 'invalid';

export function checkSignature(
  body: Uint8Array,
  signature: string,
  secrets: WebhookSecrets,
): SignatureCheck {
  const sign = (secret: string) => createHmac('sha256', secret).update(body).digest('base64');
  return whichSigned(secrets, signature, sign);
}

export function whichSigned(
  { current, previous }: WebhookSecrets,
  signature: string,
  sign: (secret: string) => string,
): SignatureCheck {
  if (isSameText(sign(current), signature)) return 'current';
  if (previous && isSameText(sign(previous), signature)) return 'previous';
  return 'invalid';
}

/** In constant time. As text, not as decoded bytes: decoding would accept many spellings of one value. */
function isSameText(expected: string, given: string): boolean {
  const [one, other] = [Buffer.from(expected), Buffer.from(given)];
  return one.length === other.length && timingSafeEqual(one, other);
}
