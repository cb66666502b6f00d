import type { StorefrontAnswer } from './route.ts';

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
