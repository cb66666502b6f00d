import type { EventQueue, StoreEvent } from '../../core/events/event.ts';
import { correlationOf, errorFields, type Telemetry } from '../../core/events/telemetry.ts';
import { identifyEntity } from './identify-entity.ts';
import { checkSignature, type SignatureCheck, type WebhookSecretReader } from './signature.ts';
import { PROBE_TOPIC, routeOf } from './topics.ts';
import {
  type RequestHeaders,
  readSignature,
  readWebhookHeaders,
  type WebhookHeaders,
} from './webhook-headers.ts';

export interface WebhookRequest {
  readonly method: string;
  /** As sent, without the query. */
  readonly path: string;
  readonly headers: RequestHeaders;
  /** The raw bytes, which are signed. */
  readonly body: Uint8Array;
}

export interface WebhookAnswer {
  readonly status: 200 | 400 | 401 | 405 | 503;
  readonly text: string;
}

/** Each shop has its own address and secrets, because an unsigned header must not decide the shop. */
interface ReceivingShop {
  readonly domain: string;
  readonly secrets: WebhookSecretReader;
  /** Its orders are counted apart, because an alarm watches for their silence. */
  readonly watchesSilence: boolean;
}

export interface ReceivingWorld {
  /** By the path of its address: `/webhooks/example`. */
  readonly shops: ReadonlyMap<string, ReceivingShop>;
  readonly queue: EventQueue;
  readonly telemetry: Telemetry;
  readonly now: () => Date;
  readonly apiVersion: string;
}

/**
 * Verify, identify, enqueue, answer. Besides the queue, only secrets that are not cached are a remote
 * call, because Shopify waits five seconds in all and gives up on an address that fails often.
 */
export async function receiveWebhook(
  request: WebhookRequest,
  world: ReceivingWorld,
): Promise<WebhookAnswer> {
  if (request.method !== 'POST') return { status: 405, text: 'send a webhook with POST' };
  const shop = world.shops.get(request.path);
  // The answer is the same for an unknown address and a wrong signature, so that guessing finds no shops.
  if (!shop) return refused(401);
  const verified = await verify(request, shop, world);
  if (verified === 'invalid') {
    if (!isProbe(request.headers)) world.telemetry.count('signatures-refused');
    return refused(401);
  }
  if (verified === 'unavailable') return { status: 503, text: 'try again later' };
  if (verified === 'previous') world.telemetry.count('older-secret-used');

  const read = readWebhookHeaders(request.headers);
  if (read.kind === 'bad-headers') return refused(400, read.why);
  if (read.headers.shop !== shop.domain) return refused(401);
  return enqueue(request.body, read.headers, shop, world);
}

async function enqueue(
  body: Uint8Array,
  headers: WebhookHeaders,
  { domain, watchesSilence }: ReceivingShop,
  { queue, telemetry, now, apiVersion }: ReceivingWorld,
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
    apiVersion: headers.apiVersion,
    body,
  };
  try {
    await queue.send(event);
  } catch (error) {
    telemetry.log('error', 'the queue did not accept the event; the store will send it again', {
      correlationId: webhookId,
      topic,
      ...errorFields(error),
    });
    return { status: 503, text: 'try again later' };
  }
  telemetry.count('received', { shop: domain, kind: route.kind, topic });
  if (watchesSilence && route.kind === 'order')
    telemetry.count('orders-received', { shop: domain });
  telemetry.log('info', 'received', correlationOf(event));
  return { status: 200, text: 'accepted' };
}

async function verify(
  { headers, body }: WebhookRequest,
  { secrets }: ReceivingShop,
  { telemetry }: ReceivingWorld,
): Promise<SignatureCheck | 'unavailable'> {
  const signature = readSignature(headers);
  if (!signature) return 'invalid';
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
