import { createHash } from 'node:crypto';
import { correlationOf, errorFields, type Telemetry } from '../batch/telemetry.ts';
import type { BalanceEvent, PointEvent } from '../events/event.ts';
import { hashBody } from '../events/message-ids.ts';
import type { EventQueue } from '../events/queues.ts';
import { MOST_BYTES, type Person, readPointBalance } from './point-balance.ts';
import {
  checkProof,
  type GivenProof,
  isToken,
  type PointTokens,
  TOKEN_HEADER,
  type TokenCheck,
} from './point-tokens.ts';

export interface PointRequest {
  readonly method: string;
  /** As sent, without the query: `/example-store`. */
  readonly path: string;
  /** By their names in small letters. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: Uint8Array;
}

export interface PointAnswer {
  readonly status: 200 | 401 | 405 | 503;
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

/**
 * Check the proof, read the event, enqueue, answer. What cannot be read is enqueued too, and the worker
 * parks it: the service may switch a subscription off after five failures in a row.
 *
 * The answer does not say which part of a wrong address or proof is wrong.
 * See docs/decisions/0042-point-events-are-stored-first.md.
 */
export async function receivePoints(
  { method, path, headers, body }: PointRequest,
  world: PointsWorld,
): Promise<PointAnswer> {
  if (method !== 'POST') return { status: 405, text: 'send a point event with POST' };
  const { shopPath, token } = readPath(path);
  const shop = world.shops.get(shopPath);
  const proof = { header: headers[TOKEN_HEADER], token };
  const check = shop ? await verify(proof, shop, world) : 'invalid';
  if (!shop || check === 'invalid') {
    // Of an unknown path nothing is written: a flood must not fill the log. AWS counts the 4xx answers.
    if (shop) world.telemetry.count('points-refused');
    return { status: 401, text: 'there is nothing at this address' };
  }
  if (check === 'unavailable') return { status: 503, text: 'try again later' };
  const event = toEvent(body, shop.domain, world);
  return enqueue(event, check === 'previous', world);
}

/** `/shop`, or `/shop/<token>`. */
function readPath(path: string) {
  const [, shopPath = '', token, ...more] = path.split('/');
  return { shopPath: more.length === 0 ? shopPath : '', token };
}

/** Of the person only the id, where the event has it; else the body as it came. */
function toEvent(
  body: Uint8Array,
  shop: string,
  { customerIdIn, now }: PointsWorld,
): BalanceEvent | PointEvent {
  const receivedAt = now().toISOString();
  const read = readPointBalance(body, customerIdIn);
  if (read.kind === 'of-customer') {
    return { kind: 'balance', shop, id: read.customerId, ...read.said, receivedAt };
  }
  const hash = hashBody(body);
  return {
    kind: 'point-event',
    shop,
    id: read.kind === 'of-person' ? groupOf(read.person) : hash,
    topic: 'unnamed',
    // Not the balance's own: the queue would take the balance for a repetition of this.
    deliveryId: read.kind === 'of-person' ? `person/${read.said.deliveryId}` : hash,
    // One byte too many, so that the worker sees that it was too large.
    body: body.subarray(0, MOST_BYTES + 1),
    receivedAt,
  };
}

/**
 * Keeps the order of one person's events. A short part of the hash, because the whole one would let a
 * reader of the log test an e-mail address; that a few persons share a group costs little.
 */
function groupOf({ email, document = '' }: Person): string {
  const name = email?.toLowerCase() ?? document;
  return createHash('sha256').update(name).digest('hex').slice(0, 4);
}

async function enqueue(
  event: BalanceEvent | PointEvent,
  olderToken: boolean,
  { queue, telemetry }: PointsWorld,
): Promise<PointAnswer> {
  try {
    await queue.send(event);
  } catch (error) {
    telemetry.log('error', 'the queue did not take the event', {
      ...correlationOf(event),
      ...errorFields(error),
    });
    return { status: 503, text: 'try again later' };
  }
  telemetry.log('info', 'received', { ...correlationOf(event), ...(olderToken && { olderToken }) });
  return { status: 200, text: 'accepted' };
}

async function verify(
  proof: GivenProof,
  { tokens }: ReceivingShop,
  { telemetry }: PointsWorld,
): Promise<TokenCheck | 'unavailable'> {
  // No secret is read for what cannot be a token.
  if (!isToken(proof.header) && !isToken(proof.token)) return 'invalid';
  try {
    const check = checkProof(proof, await tokens.get());
    if (check !== 'invalid') return check;
    const renewal = await tokens.refresh();
    return renewal.kind === 'renewed' ? checkProof(proof, renewal.value) : 'invalid';
  } catch (error) {
    telemetry.log('error', 'the point tokens could not be read', errorFields(error));
    return 'unavailable';
  }
}
