import { createHash } from 'node:crypto';
import {
  type BalanceEvent,
  correlationOf,
  type EventQueue,
  hashBody,
  type PointEvent,
} from '../../core/events/event.ts';
import {
  checkRenewed,
  type SignatureCheck,
  type WebhookSecretReader,
  type WebhookSecrets,
  whichSigned,
} from '../../core/events/receive-delivery.ts';
import { errorFields, LOG_LINES, type Telemetry } from '../../core/events/telemetry.ts';
import type { ParseSecret } from '../../core/platform/platform.ts';
import { MOST_BYTES, type Person, readSaid } from './point-balance.ts';

interface PointRequest {
  readonly method: string;
  /** As sent, without the query: `/shop`, or `/shop/<token>`. */
  readonly path: string;
  /** By their names in small letters. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: Uint8Array;
}

interface PointAnswer {
  readonly status: 200 | 401 | 405 | 503;
  readonly text: string;
}

interface ReceivingShop {
  readonly domain: string;
  readonly tokens: WebhookSecretReader;
}

export interface PointsDeps {
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
 * See docs/decisions/0021-point-events-are-stored-before-they-are-read.md.
 */
export async function receivePoints(
  { method, path, headers, body }: PointRequest,
  deps: PointsDeps,
): Promise<PointAnswer> {
  if (method !== 'POST') return { status: 405, text: 'send a point event with POST' };
  const [, shopPath = '', token, ...more] = path.split('/');
  const shop = more.length === 0 ? deps.shops.get(shopPath) : undefined;
  const proof = { header: headers[TOKEN_HEADER], token };
  // No secret is read for what cannot be a token.
  const mayProve = isToken(proof.header) || isToken(proof.token);
  const check =
    shop && mayProve
      ? await checkRenewed(shop.tokens, (tokens) => checkProof(proof, tokens), deps.telemetry)
      : 'invalid';
  if (!shop || check === 'invalid') {
    // Of an unknown path nothing is written: a flood must not fill the log. AWS counts the 4xx answers.
    if (shop) deps.telemetry.count('points-refused');
    return { status: 401, text: 'there is nothing at this address' };
  }
  if (check === 'unavailable') return { status: 503, text: 'try again later' };
  return enqueue(toEvent(body, shop.domain, deps), check === 'previous', deps);
}

/** Of the person only the id, where the event has it; else the body as it came. */
function toEvent(
  body: Uint8Array,
  shop: string,
  { customerIdIn, now }: PointsDeps,
): BalanceEvent | PointEvent {
  const receivedAt = now().toISOString();
  const read = readSaid(body, customerIdIn);
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
  { queue, telemetry }: PointsDeps,
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
  telemetry.log('info', LOG_LINES.received, {
    ...correlationOf(event),
    ...(olderToken && { olderToken }),
  });
  return { status: 200, text: 'accepted' };
}

/** The header in which a subscription sends its token. */
export const TOKEN_HEADER = 'x-loyalty-connector-token';

/** What proves the sender of a point event: the current token and, until it ends, the previous one. */
export type PointTokens = WebhookSecrets;

/** What a request shows: a header, and a token in its address. */
type GivenProof = Readonly<Record<'header' | 'token', string | undefined>>;

/** 32 random bytes as base64url. */
const TOKEN = /^[A-Za-z0-9_-]{43}$/;

function isToken(value: unknown): value is string {
  return typeof value === 'string' && TOKEN.test(value);
}

/** The secret that holds them; `previousUntil`: when the previous one ends. */
export const parsePointTokens: ParseSecret<PointTokens & { readonly previousUntil?: unknown }> = ({
  current,
  previous,
  previousUntil,
}) => {
  if (!isToken(current)) {
    return { kind: 'fault', field: 'current', why: 'must be a token of 32 bytes' };
  }
  const older = isToken(previous) ? { previous, previousUntil } : {};
  return { kind: 'parsed', value: { current, ...older } };
};

/** Either proof is enough. See docs/decisions/0021-point-events-are-stored-before-they-are-read.md. */
export function checkProof({ header, token }: GivenProof, tokens: PointTokens): SignatureCheck {
  const checks = [header, token].map((given) =>
    isToken(given) ? whichSigned(tokens, given, (held) => held) : 'invalid',
  );
  if (checks.includes('current')) return 'current';
  return checks.includes('previous') ? 'previous' : 'invalid';
}
