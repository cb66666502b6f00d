import { type AdminFailure, failure } from './admin-answer.ts';
import type { AdminCredentials } from './admin-credentials.ts';
import { type HttpAnswer, post } from './http-post.ts';
import { readStatus } from './read-answer.ts';

export interface IssuedToken {
  readonly kind: 'token';
  readonly accessToken: string;
  readonly livesSeconds: number;
}

type ClientCredentials = Extract<AdminCredentials, { kind: 'client-credentials' }>;

/** A token without its life's length is taken to live as long as the page on the grant says: a day. */
const USUAL_LIFE = 86_399;

/**
 * Buys a token (Shopify, "Using the client credentials grant"). Not through the package: its grant
 * comes only with the whole library, without a time-out, and throws the answer's text.
 */
export async function requestToken(
  address: string,
  { clientId, clientSecret }: ClientCredentials,
  timeoutMs: number,
): Promise<IssuedToken | AdminFailure> {
  const timeout = AbortSignal.timeout(timeoutMs);
  const headers = { 'content-type': 'application/json', accept: 'application/json' };
  const body = JSON.stringify({
    client_id: clientId,
    client_secret: clientSecret,
    grant_type: 'client_credentials',
  });
  try {
    const answer = await post(`${address}/admin/oauth/access_token`, headers, body, timeout);
    const { status, text } = answer;
    return status >= 200 && status <= 299 ? readToken(text) : refusal(answer);
  } catch {
    return failure(timeout.aborted ? 'time-out' : 'connection');
  }
}

/** The grant answers 400 for an unknown app, a wrong secret and a shop of somebody else's. */
function refusal({ status, headers }: HttpAnswer): AdminFailure {
  if (status === 400 || status === 401 || status === 403) return failure('bad-credentials');
  return readStatus(status, headers['retry-after']);
}

function readToken(text: string): IssuedToken | AdminFailure {
  try {
    const { access_token, expires_in } = JSON.parse(text);
    if (typeof access_token !== 'string' || access_token === '') return failure('not-the-api');
    const lives = typeof expires_in === 'number' && expires_in > 0 ? expires_in : USUAL_LIFE;
    return { kind: 'token', accessToken: access_token, livesSeconds: lives };
  } catch {
    return failure('not-the-api');
  }
}
