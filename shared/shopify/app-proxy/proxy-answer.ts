/** What goes back through Shopify to the shopper's browser. */
export interface ProxyAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Words that a program can tell apart; the widget has translations of them. */
export type ErrorCode =
  | 'bad-signature'
  | 'not-logged-in'
  | 'not-found'
  | 'wrong-method'
  | 'bad-request'
  | 'unknown-field'
  | 'too-many-requests'
  | 'unavailable'
  | 'too-few-points'
  | 'not-available'
  | 'limit-reached'
  | 'refused';

/**
 * `customer`: kept by nobody. `everybody`: the same for all who ask, so any cache on the way may keep it
 * for a minute.
 */
export type Audience = 'customer' | 'everybody';

const EVERYBODY_SECONDS = 60;

export function jsonAnswer(value: unknown, audience: Audience = 'customer'): ProxyAnswer {
  return {
    status: 200,
    headers: jsonHeaders(
      audience === 'customer' ? 'private, no-store' : `public, max-age=${EVERYBODY_SECONDS}`,
    ),
    body: JSON.stringify(value),
  };
}

export function errorAnswer(
  status: number,
  code: ErrorCode,
  message: string,
  afterSeconds?: number,
): ProxyAnswer {
  return {
    status,
    headers: {
      ...jsonHeaders('private, no-store'),
      ...(afterSeconds !== undefined && { 'retry-after': String(afterSeconds) }),
    },
    body: JSON.stringify({ error: { code, message } }),
  };
}

export function unavailable(afterSeconds?: number): ProxyAnswer {
  const message = 'The loyalty program cannot be reached at the moment. Try again later.';
  return errorAnswer(503, 'unavailable', message, afterSeconds);
}

export function tooMany(afterSeconds: number): ProxyAnswer {
  const message = 'That was a lot at once. Wait a moment.';
  return errorAnswer(429, 'too-many-requests', message, afterSeconds);
}

export function badRequest(message: string): ProxyAnswer {
  return errorAnswer(400, 'bad-request', message);
}

export function unknownField(): ProxyAnswer {
  return errorAnswer(400, 'unknown-field', 'The request has a field that is not known here.');
}

function jsonHeaders(caching: string): Readonly<Record<string, string>> {
  return {
    'content-type': 'application/json; charset=utf-8',
    'cache-control': caching,
    'x-content-type-options': 'nosniff',
  };
}
