import { MOST_LINES } from '../../core/redeem/available-rewards.ts';
import type { ChallengeRefusal } from '../../core/redeem/challenge.ts';
import type { OfferRefusal } from '../../core/redeem/find-offer.ts';
import type { RefusedWhy } from '../../core/redemptions/redemption.ts';
import type { Contact } from '../../core/redemptions/redemption-record.ts';
import type { Storefront } from '../../core/storefront/storefront.ts';

/** A request after its proof was checked. */
interface Question<Customer> {
  /**
   * The customer who is logged in, as Shopify says; at the till the customer of the address. Nothing else
   * in a request can name a customer.
   */
  readonly customerId: Customer;
  readonly parameters: ReadonlyMap<string, string>;
  readonly body: Uint8Array;
  readonly storefront: Storefront;
}

export type Route = {
  readonly method: 'GET' | 'POST';
  /** Query parameters that the route knows; any other is refused. */
  readonly parameters: readonly string[];
} & (
  | {
      readonly for: 'customer';
      readonly answer: (question: Question<string>) => Promise<StorefrontAnswer>;
    }
  /** Of the till: for a customer, by a user of the store. */
  | {
      readonly for: 'staff';
      readonly answer: (
        question: Question<string> & { readonly staffId: string },
      ) => Promise<StorefrontAnswer>;
    }
  /** A login is not needed. */
  | {
      readonly for: 'anyone';
      readonly answer: (question: Question<string | undefined>) => Promise<StorefrontAnswer>;
    }
);

/** The answer for the shopper's browser, or for the extension that asks. */
export interface StorefrontAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
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
  /** The till asks the customer for what `asks` names, and starts the challenge again with it. */
  | 'contact-needed'
  | RefusedWhy
  | OfferRefusal
  | ChallengeRefusal;

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
