import { type PointTopic, pointTopics } from '../../loyalty/point-topics.ts';
import { readPointEvent } from '../../loyalty/read-point-event.ts';
import { correlationOf, errorFields, type Telemetry } from '../batch/telemetry.ts';
import type { BalanceEvent } from '../events/event.ts';
import type { EventQueue } from '../events/queues.ts';
import { decimalText } from './decimal-text.ts';
import { checkToken, isToken, type PointTokens, type TokenCheck } from './point-tokens.ts';

export interface PointRequest {
  readonly method: string;
  /** As sent, without the query: `/example-store/Point_Add/<token>`. */
  readonly path: string;
  readonly body: Uint8Array;
}

export interface PointAnswer {
  readonly status: 200 | 400 | 401 | 405 | 413 | 503;
  readonly text: string;
}

interface ReceivingShop {
  readonly domain: string;
  readonly tokens: {
    get(): Promise<PointTokens>;
    /** Asks again, at most once a minute: a token may have been rotated a moment ago. */
    refresh(): Promise<{ readonly kind: 'renewed' | 'unchanged'; readonly value: PointTokens }>;
  };
}

export interface PointsWorld {
  /** By the shop's part of the address, without slashes. */
  readonly shops: ReadonlyMap<string, ReceivingShop>;
  /** The field of an event's customer with the id in the store. */
  readonly customerIdIn: string;
  readonly queue: EventQueue;
  readonly telemetry: Telemetry;
  readonly now: () => Date;
}

/** An event of the contract has a hundredth of this; a customer object may be large. */
const MOST_BYTES = 65_536;

/**
 * Check the token, read the event, strip it of the person, enqueue, answer.
 *
 * The contract shows no signature, so the address itself is the secret. The answer does not say which part
 * of a wrong address is wrong.
 * See docs/decisions/0025-an-address-per-shop-and-topic.md.
 */
export async function receivePoints(
  { method, path, body }: PointRequest,
  world: PointsWorld,
): Promise<PointAnswer> {
  if (method !== 'POST') return { status: 405, text: 'send a point event with POST' };
  const [, shopPath = '', topicText = '', token = '', ...more] = path.split('/');
  const shop = more.length === 0 ? world.shops.get(shopPath) : undefined;
  const topic = pointTopics.find((one) => one === topicText);
  const check =
    shop && topic && isToken(token) ? await verify(token, topic, shop, world) : 'invalid';
  if (!shop || !topic || check === 'invalid') {
    return refuse(world, 'token', 401, 'there is nothing at this address');
  }
  if (check === 'unavailable') return { status: 503, text: 'try again later' };
  if (check === 'previous') world.telemetry.count('older-secret-used');
  if (body.byteLength > MOST_BYTES) return refuse(world, 'too-large', 413, 'the body is too large');

  const read = readPointEvent(parse(body), world.customerIdIn);
  if (read.kind === 'not-the-contract') {
    return refuse(world, 'not-the-contract', 400, `not a point event: ${read.field}`);
  }
  const { pointId, eventDate, customerId, balance } = read.event;
  // A transaction that is changed or removed later spends nothing a second time.
  const spent = topic === 'Point_Add' ? decimalText(read.event.spent ?? 0) : undefined;
  const points = decimalText(balance.points);
  const cashback = decimalText(balance.cashback);
  if (points === undefined || cashback === undefined) {
    return refuse(world, 'not-the-contract', 400, 'not a point event: PointsBalance');
  }
  if (customerId === undefined || !isStoreId(customerId)) {
    world.telemetry.count('skipped', { why: 'no-store-customer' });
    return { status: 200, text: 'not about a customer of the store' };
  }
  return enqueue(
    {
      kind: 'balance',
      shop: shop.domain,
      id: customerId,
      topic,
      deliveryId: `${topic}/${pointId}/${eventDate}`,
      eventDate,
      points,
      cashback,
      ...(spent !== undefined && spent !== '0' && { spent }),
      receivedAt: world.now().toISOString(),
    },
    world,
  );
}

/** The store's ids are signed numbers of 64 bits. */
const LARGEST_ID = 2n ** 63n - 1n;

/** The store would refuse any other id, and with it everything written in the same call. */
function isStoreId(text: string): boolean {
  return /^[1-9]\d{0,18}$/.test(text) && BigInt(text) <= LARGEST_ID;
}

async function enqueue(event: BalanceEvent, world: PointsWorld): Promise<PointAnswer> {
  const { queue, telemetry } = world;
  try {
    await queue.send(event);
  } catch (error) {
    telemetry.log('error', 'the queue did not take the event', {
      ...correlationOf(event),
      ...errorFields(error),
    });
    return { status: 503, text: 'try again later' };
  }
  telemetry.count('received', { shop: event.shop, kind: event.kind });
  telemetry.log('info', 'received', correlationOf(event));
  return { status: 200, text: 'accepted' };
}

async function verify(
  token: string,
  topic: PointTopic,
  { tokens }: ReceivingShop,
  { telemetry }: PointsWorld,
): Promise<TokenCheck | 'unavailable'> {
  try {
    const check = checkToken(token, (await tokens.get())[topic]);
    if (check !== 'invalid') return check;
    const renewal = await tokens.refresh();
    return renewal.kind === 'renewed' ? checkToken(token, renewal.value[topic]) : 'invalid';
  } catch (error) {
    telemetry.log('error', 'the point tokens could not be read', errorFields(error));
    return 'unavailable';
  }
}

/** Undefined for what is no JSON: the parser's error would quote the body. */
function parse(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch {
    return undefined;
  }
}

function refuse(
  { telemetry }: PointsWorld,
  why: string,
  status: PointAnswer['status'],
  text: string,
): PointAnswer {
  telemetry.count('refused', { why });
  return { status, text };
}
