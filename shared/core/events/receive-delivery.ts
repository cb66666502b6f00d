import { randomUUID, timingSafeEqual } from 'node:crypto';
import { correlationOf, deduplicationIdOf, type EventQueue, type StoreEvent } from './event.ts';
import { errorFields, LOG_LINES, type Telemetry } from './telemetry.ts';

/** What the commands call themselves. */
export const OPERATOR_AGENT = 'loyalty-connector';

/** Each shop has its own. */
export function shopAddress(address: string, shopPath: string): string {
  return `${address.replace(/(?<!\/)\/+$/, '')}/${shopPath}`;
}

/** One request of a store to the connector's address. */
export interface Delivery {
  readonly method: string;
  /** As sent, without the query. */
  readonly path: string;
  /** As Lambda passes them: in any case, repeated ones joined by commas. */
  readonly headers: RequestHeaders;
  /** The raw bytes, which are signed; decoded when they are asked for first. */
  readonly body: Uint8Array;
}

export type RequestHeaders = Readonly<Record<string, string | undefined>>;

export interface DeliveryAnswer {
  readonly status: 200 | 400 | 401 | 405 | 429 | 503;
  readonly text: string;
}

/** After a rotation a store may sign with the old secret for a while: both are accepted until the older one ends. */
export interface WebhookSecrets {
  readonly current: string;
  readonly previous?: string | undefined;
}

export interface WebhookSecretReader {
  get(): Promise<WebhookSecrets>;
  /** Reads the secrets again, at most once a minute: they may have been rotated a moment ago. */
  refresh(): Promise<{ readonly kind: 'renewed' | 'unchanged'; readonly value: WebhookSecrets }>;
}

export type SignatureCheck = 'current' | 'previous' | 'invalid';

/** What a store platform says of a delivery. */
export interface Deliveries {
  /**
   * Whether the headers can prove anything, which says nothing of the secret. What cannot be a proof is refused before
   * the body is decoded and a secret is read.
   */
  maySign(headers: RequestHeaders, now: Date): boolean;
  /** Of a delivery that may be signed. */
  check(delivery: Delivery, secrets: WebhookSecrets): SignatureCheck;
  /** Of a delivery that is proved. */
  identify(delivery: Delivery, shop: string): Identified;
  /** A test of the address: with a wrong signature it does not count for the alarm on forged ones. */
  isProbe(delivery: Delivery): boolean;
}

type Identified =
  | {
      readonly kind: 'event';
      /** Without a `deliveryId` where the platform names none: each delivery is then one of its own. */
      readonly event: Omit<StoreEvent, 'shop' | 'origin' | 'receivedAt' | 'body' | 'deliveryId'> &
        Partial<Pick<StoreEvent, 'deliveryId'>>;
      /**
       * The body shows what changed: equal bytes are known by this. Undefined where it only names its entity, and the
       * store is asked each time.
       */
      readonly saysAll?: string | undefined;
      /** An operator sent it: it proves neither the store's secret nor its subscriptions. */
      readonly byOperator?: boolean;
      /** It says that the store's side is of another version than this release expects. */
      readonly unexpectedVersion?: boolean;
    }
  | { readonly kind: 'not-ours'; readonly text: string; readonly isProbe: boolean }
  | { readonly kind: 'refused'; readonly status: 400 | 401; readonly why?: string };

/** Each shop has its own address and secrets, because an unsigned header must not decide the shop. */
interface ReceivingShop {
  readonly domain: string;
  readonly secrets: WebhookSecretReader;
  readonly deliveries: Deliveries;
}

export interface ReceiverDependencies {
  /** By the path of its address: `/webhooks/example`. */
  readonly shops: ReadonlyMap<string, ReceivingShop>;
  readonly queue: EventQueue;
  readonly telemetry: Telemetry;
  readonly now: () => Date;
  /** How many of its entity this process got in the current minute, this one included. */
  readonly countOfEntity: (event: StoreEvent) => number;
}

/**
 * Verify, identify, enqueue, answer. Besides the queue, only secrets that are not cached are a remote
 * call, because a store waits for a few seconds only, and may give up on an address that fails often.
 */
export async function receiveDelivery(
  delivery: Delivery,
  dependencies: ReceiverDependencies,
): Promise<DeliveryAnswer> {
  if (delivery.method !== 'POST') return { status: 405, text: 'send a webhook with POST' };
  const shop = dependencies.shops.get(delivery.path);
  // The answer is the same for an unknown address and a wrong signature, so that guessing finds no shops.
  if (!shop?.deliveries.maySign(delivery.headers, dependencies.now())) return refused(401);
  const verified = await checkRenewed(
    shop.secrets,
    (secrets) => shop.deliveries.check(delivery, secrets),
    dependencies.telemetry,
  );
  if (verified === 'invalid') {
    if (!shop.deliveries.isProbe(delivery)) dependencies.telemetry.count('signatures-refused');
    return refused(401);
  }
  if (verified === 'unavailable') return { status: 503, text: 'try again later' };
  if (verified === 'previous') dependencies.telemetry.count('older-secret-used');
  return enqueue(delivery, shop, dependencies);
}

/**
 * The id of a delivery may be unsigned: a captured body could be queued again and again under new ones. So only a few
 * of one entity in a minute are known by that id, and more are one message for equal bytes. Not all are: an entity that
 * returns to a former state within one second has the bytes of that state again, and the connector may have read
 * another one from the store in between.
 */
export const MOST_BY_ID = 10;

/**
 * What only names its entity is refused beyond this number. An import of codes sends about one webhook a second. The
 * answer is 429, which a store repeats. With 200 a change would be lost that came after the last queued message was
 * worked off; with 5xx anyone with a captured body could make the receiver look broken.
 */
const MOST_A_MINUTE = 120;

export function countInMinute(now: () => Date): ReceiverDependencies['countOfEntity'] {
  let minute = 0;
  let counts = new Map<string, number>();
  return ({ shop, kind, id }) => {
    const current = Math.floor(now().getTime() / 60_000);
    if (current !== minute) [minute, counts] = [current, new Map()];
    const entity = `${shop}/${kind}/${id}`;
    const count = (counts.get(entity) ?? 0) + 1;
    counts.set(entity, count);
    return count;
  };
}

async function enqueue(
  delivery: Delivery,
  { domain, deliveries }: ReceivingShop,
  { queue, telemetry, now, countOfEntity }: ReceiverDependencies,
): Promise<DeliveryAnswer> {
  const found = deliveries.identify(delivery, domain);
  switch (found.kind) {
    case 'refused':
      return refused(found.status, found.why);
    case 'not-ours':
      if (!found.isProbe) telemetry.count('unknown-topic');
      return { status: 200, text: found.text };
    case 'event':
      break;
  }
  if (found.unexpectedVersion) telemetry.count('unexpected-api-version');
  const { triggeredAt, ...named } = found.event;
  const { kind, topic, deliveryId = randomUUID() } = named;
  const receivedAt = now().toISOString();
  const { body } = delivery;
  const received = { shop: domain, origin: 'webhook', deliveryId, receivedAt, body } as const;
  const event: StoreEvent = { ...named, ...received, ...believable(triggeredAt, now()) };
  const { saysAll } = found;
  const count = countOfEntity(event);
  if (saysAll === undefined && count > MOST_A_MINUTE) {
    return { status: 429, text: 'too many of one entity' };
  }
  const name = count > MOST_BY_ID && saysAll !== undefined ? saysAll : deliveryId;
  try {
    await queue.send(event, deduplicationIdOf({ ...event, deliveryId: name }));
  } catch (error) {
    telemetry.log('error', 'the queue did not accept the event; the store will send it again', {
      correlationId: deliveryId,
      topic,
      ...errorFields(error),
    });
    return { status: 503, text: 'try again later' };
  }
  // Whoever imitates an operator is not counted.
  if (!found.byOperator) telemetry.count('received', { shop: domain, kind, topic });
  telemetry.log('info', LOG_LINES.received, correlationOf(event));
  return { status: 200, text: 'accepted' };
}

/** A store repeats a delivery for hours, Vendure's plugin for a week. */
const OLDEST_MS = 8 * 86_400_000;
const AHEAD_MS = 300_000;

/**
 * The sender's moment, unless its clock was wrong or somebody chose it: the change is real all the same, and only the
 * latency is not measured.
 */
function believable(triggeredAt: string | undefined, now: Date): Pick<StoreEvent, 'triggeredAt'> {
  const at = Date.parse(triggeredAt ?? '');
  const ageMs = now.getTime() - at;
  const isNear = ageMs >= -AHEAD_MS && ageMs <= OLDEST_MS;
  return isNear ? { triggeredAt: new Date(at).toISOString() } : {};
}

/** Against the secrets that are known; where they prove nothing, against those of now. */
export async function checkRenewed(
  secrets: WebhookSecretReader,
  check: (secrets: WebhookSecrets) => SignatureCheck,
  telemetry: Telemetry,
): Promise<SignatureCheck | 'unavailable'> {
  try {
    const known = check(await secrets.get());
    if (known !== 'invalid') return known;
    const renewal = await secrets.refresh();
    return renewal.kind === 'renewed' ? check(renewal.value) : 'invalid';
  } catch (error) {
    telemetry.log('error', 'the secrets of the sender could not be read', errorFields(error));
    return 'unavailable';
  }
}

/** Writes nothing: a flood must not fill the log. AWS counts the 4xx answers of an address. */
function refused(
  status: 400 | 401,
  text = 'the signature does not fit this address',
): DeliveryAnswer {
  return { status, text };
}

/** 32 bytes in base64. */
const HMAC_SHA256 = /^[A-Za-z0-9+/]{43}=$/;

/** Only the form: a sender with a wrong secret has it, too, and is counted. */
export const isHmac = (signature: string | undefined): signature is string =>
  signature !== undefined && HMAC_SHA256.test(signature);

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

/** In any case; without spaces around it, and undefined where nothing is left. */
export function findHeader(headers: RequestHeaders, wanted: string): string | undefined {
  const direct = headers[wanted];
  if (direct) return direct.trim() || undefined;
  for (const key of Object.keys(headers)) {
    if (key.length === wanted.length && key.toLowerCase() === wanted) {
      return headers[key]?.trim() || undefined;
    }
  }
  return undefined;
}
