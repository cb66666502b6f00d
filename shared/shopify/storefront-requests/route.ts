import { MOST_LINES } from '../../rewards/redeem/available-rewards.ts';
import type { ChallengeRefusal } from '../../rewards/redeem/challenge.ts';
import type { OfferRefusal } from '../../rewards/redeem/find-offer.ts';
import type { RefusedWhy } from '../../rewards/redeem/redemption.ts';
import type { TakenBackBy } from '../../rewards/redeem/take-back.ts';
import type { Storefront } from '../../rewards/storefront/storefront.ts';
import type { Contact, TakeBackRefusal } from '../../store/storefront-answers.gen.ts';

/** A request after its proof was checked. */
interface Question<Customer> {
  /**
   * The customer who is logged in, as Shopify says; at the till the customer of the address. Nothing else
   * in a request can name a customer.
   */
  readonly customerId: Customer;
  /** Who asks: the customer, or staff at a till. */
  readonly by: TakenBackBy;
  readonly parameters: ReadonlyMap<string, string>;
  readonly body: Uint8Array;
  readonly storefront: Storefront;
}

/** By whom a route is for. */
interface Questions {
  readonly customer: Question<string>;
  /** Of the till: for a customer, by a user of the store. */
  readonly staff: Question<string> & { readonly staffId: string };
  /** A login is not needed. */
  readonly anyone: Question<string | undefined>;
}

interface RouteFor<Whom extends keyof Questions> {
  readonly method: 'GET' | 'POST';
  readonly for: Whom;
  /** Query parameters that the route knows; any other is refused. */
  readonly parameters: readonly string[];
  readonly answer: (question: Questions[Whom]) => Promise<StorefrontAnswer>;
}

export type Route = { [Whom in keyof Questions]: RouteFor<Whom> }[keyof Questions];

export const get = <Whom extends keyof Questions>(
  whom: Whom,
  parameters: readonly string[],
  answer: RouteFor<Whom>['answer'],
): RouteFor<Whom> => ({ method: 'GET', for: whom, parameters, answer });

/** All that it is told stands in the body. */
export const post = <Whom extends keyof Questions>(
  whom: Whom,
  answer: RouteFor<Whom>['answer'],
): RouteFor<Whom> => ({ method: 'POST', for: whom, parameters: [], answer });

export interface StorefrontAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** The body is bytes, not text. */
  readonly isBase64Encoded?: boolean;
}

/** The widget has a translation for each. */
type ErrorCode =
  | 'bad-signature'
  | 'bad-token'
  | 'not-logged-in'
  | 'not-found'
  | 'wrong-method'
  | 'bad-request'
  | 'unknown-field'
  | 'too-many-requests'
  | 'unavailable'
  | 'not-live'
  /** Only to workflows. */
  | 'too-many-points'
  | 'daily-limit'
  | 'shop-paused'
  /** The till asks the customer for what `asks` names, and starts the challenge again with it. */
  | 'contact-needed'
  | RefusedWhy
  | OfferRefusal
  | ChallengeRefusal
  | TakeBackRefusal;

/** Beside code and message, where there is more to say. */
interface ErrorDetails {
  /** In the loyalty service's own words, for the person at the till. */
  readonly programMessage?: string | undefined;
  readonly asks?: readonly Contact[];
}

const PUBLIC_SECONDS = 60;

const CACHING = {
  private: 'private, no-store',
  /** Only for an answer that is the same for every caller. */
  public: `public, max-age=${PUBLIC_SECONDS}`,
} as const;

export function jsonAnswer(
  value: unknown,
  caching: keyof typeof CACHING = 'private',
): StorefrontAnswer {
  return { status: 200, headers: jsonHeaders(caching), body: JSON.stringify(value) };
}

export function errorAnswer(
  status: number,
  code: ErrorCode,
  message: string,
  afterSeconds?: number,
  details: ErrorDetails = {},
): StorefrontAnswer {
  return {
    status,
    headers: {
      ...jsonHeaders('private'),
      ...(afterSeconds !== undefined && { 'retry-after': String(afterSeconds) }),
    },
    body: JSON.stringify({ error: { code, message, ...details } }),
  };
}

export function unavailable(afterSeconds?: number): StorefrontAnswer {
  const message = 'The loyalty program cannot be reached at the moment. Try again later.';
  return errorAnswer(503, 'unavailable', message, afterSeconds);
}

export function tooMany(afterSeconds: number): StorefrontAnswer {
  const message = 'Too many requests. Wait a moment.';
  return errorAnswer(429, 'too-many-requests', message, afterSeconds);
}

export function badRequest(message: string): StorefrontAnswer {
  return errorAnswer(400, 'bad-request', message);
}

export function wrongCart(): StorefrontAnswer {
  return badRequest(`items must be 1 to ${MOST_LINES} of id:price:quantity.`);
}

export function unknownField(): StorefrontAnswer {
  return errorAnswer(400, 'unknown-field', 'The request has an unknown field.');
}

function jsonHeaders(caching: keyof typeof CACHING): Readonly<Record<string, string>> {
  return {
    'content-type': 'application/json; charset=utf-8',
    'cache-control': CACHING[caching],
    'x-content-type-options': 'nosniff',
  };
}

export type Read<Value> =
  | { readonly kind: 'read'; readonly value: Value }
  | { readonly kind: 'bad'; readonly answer: StorefrontAnswer };

type Fields = Readonly<Record<string, unknown>>;

/** A click with the longest cart needs a tenth of this. */
const MAX_BODY_BYTES = 32_768;

export function readBody(body: Uint8Array, known: readonly string[]): Read<Fields> {
  if (body.byteLength > MAX_BODY_BYTES) return bad('The body is too large.');
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch {
    return bad('The body must be JSON.');
  }
  return readObject(value, known);
}

/** An unknown field is refused, not ignored, so that no request can name another customer. */
function readObject(value: unknown, known: readonly string[]): Read<Fields> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return bad('The body must be a JSON object.');
  }
  if (Object.keys(value).some((key) => !known.includes(key))) {
    return { kind: 'bad', answer: unknownField() };
  }
  return { kind: 'read', value: Object.assign(Object.create(null), value) };
}

/** The loyalty service's ids are 32-bit numbers. */
const MAX_ID = 2 ** 31 - 1;

export function isId(value: unknown): value is number {
  return Number.isInteger(value) && Number(value) > 0 && Number(value) <= MAX_ID;
}

export function bad(message: string): { readonly kind: 'bad'; readonly answer: StorefrontAnswer } {
  return { kind: 'bad', answer: badRequest(message) };
}

/**
 * Extensions ask from a worker of another origin. Shopify documents it for tills only, and its own libraries
 * allow any. So does this: the session token is the only proof, a page without one gets nothing, and cookies
 * are never allowed.
 */
const ANY_ORIGIN = { 'access-control-allow-origin': '*' };

/** The most that Chromium keeps the answer to a preflight. */
const PREFLIGHT_SECONDS = 7_200;

/** The same for every address: an answer that depends on the shop would tell which shops there are. */
export function answerPreflight(): StorefrontAnswer {
  return {
    status: 204,
    headers: {
      ...ANY_ORIGIN,
      'access-control-allow-methods': 'GET, POST',
      'access-control-allow-headers': 'authorization, content-type',
      'access-control-max-age': String(PREFLIGHT_SECONDS),
    },
    body: '',
  };
}

/** Errors too: without the header, an extension cannot read why it was refused. */
export function allowAnyOrigin(answer: StorefrontAnswer): StorefrontAnswer {
  const exposed = { 'access-control-expose-headers': 'retry-after' };
  return { ...answer, headers: { ...answer.headers, ...ANY_ORIGIN, ...exposed } };
}
