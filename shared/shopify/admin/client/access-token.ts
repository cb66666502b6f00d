import type { HttpAnswer, HttpClient } from '../../../http/http-client.ts';
import {
  ADMIN_HEADERS,
  type AdminFailure,
  failure,
  HTTP_FAILURES,
  readStatus,
} from './admin-answer.ts';
import type { AdminCredentials, AdminSecret } from './admin-secret.ts';

type ClientCredentials = Extract<AdminCredentials, { kind: 'client-credentials' }>;

interface IssuedToken {
  readonly kind: 'token';
  readonly accessToken: string;
  readonly validSeconds: number;
}

/** The token of one shop, shared by the whole process. */
export interface AccessTokens {
  get(): Promise<{ readonly kind: 'token'; readonly accessToken: string } | AdminFailure>;
  /** For a token that the store refused: the next `get` returns a new one. */
  refuse(accessToken: string): void;
}

interface Held {
  readonly credentials: ClientCredentials;
  readonly accessToken: string;
  /** Epoch milliseconds. */
  readonly renewAt: number;
  readonly endsAt: number;
}

/** A token is renewed this long before its end, but not before nine tenths of its lifetime. */
const RENEW_BEFORE_MS = 5 * 60_000;

export function createAccessTokens({
  secret,
  requestToken,
  now,
}: {
  readonly secret: AdminSecret;
  readonly requestToken: (credentials: ClientCredentials) => Promise<IssuedToken | AdminFailure>;
  readonly now: () => number;
}): AccessTokens {
  let held: Held | undefined;
  let renewal: Promise<Held | AdminFailure> | undefined;
  /** Set after a refusal: the credentials themselves may have been changed. */
  let refused = false;

  async function readSecret(): Promise<AdminCredentials | AdminFailure> {
    const read = await (refused ? secret.refresh() : secret.get());
    if (read === 'unreachable') return failure('credentials-unreachable');
    if (read === 'unusable') return failure('no-credentials');
    refused = false;
    return read;
  }

  async function renew(credentials: ClientCredentials): Promise<Held | AdminFailure> {
    const issued = await requestToken(credentials);
    if (issued.kind === 'failure') return issued;
    const validMs = issued.validSeconds * 1000;
    const endsAt = now() + validMs;
    const renewAt = endsAt - Math.min(RENEW_BEFORE_MS, validMs / 10);
    held = { credentials, accessToken: issued.accessToken, renewAt, endsAt };
    return held;
  }

  return {
    async get() {
      const credentials = await readSecret();
      if (credentials.kind === 'failure') return credentials;
      if (credentials.kind === 'static') {
        return { kind: 'token', accessToken: credentials.accessToken };
      }
      const usable = held && sameApp(held.credentials, credentials) ? held : undefined;
      if (usable && now() < usable.renewAt) return token(usable);
      // Concurrent callers share one request.
      renewal ??= renew(credentials).finally(() => {
        renewal = undefined;
      });
      const renewed = await renewal;
      if (!('kind' in renewed)) return token(renewed);
      return usable && now() < usable.endsAt ? token(usable) : renewed;
    },
    refuse(accessToken) {
      refused = true;
      if (held?.accessToken === accessToken) held = undefined;
    },
  };
}

function token({ accessToken }: Held) {
  return { kind: 'token', accessToken } as const;
}

function sameApp(one: ClientCredentials, other: ClientCredentials): boolean {
  return one.clientId === other.clientId && one.clientSecret === other.clientSecret;
}

/** For a token without a stated lifetime (the same page). */
const DEFAULT_VALID_SECONDS = 86_399;

/** Shopify, "Using the client credentials grant". */
export async function requestToken(
  http: HttpClient,
  { clientId, clientSecret }: ClientCredentials,
  timeoutMs: number,
): Promise<IssuedToken | AdminFailure> {
  const answer = await http.send({
    method: 'POST',
    path: '/admin/oauth/access_token',
    headers: ADMIN_HEADERS,
    body: JSON.stringify({
      client_id: clientId,
      client_secret: clientSecret,
      grant_type: 'client_credentials',
    }),
    timeoutMs,
    repeatable: true,
  });
  if (answer.kind === 'failure') return failure(HTTP_FAILURES[answer.reason]);
  const { status, text } = answer;
  return status >= 200 && status <= 299 ? readToken(text) : refusal(answer);
}

/** The answer is 400 for an unknown app, a wrong secret and a shop of another owner. */
function refusal({ status, headers }: HttpAnswer): AdminFailure {
  if (status === 400 || status === 401 || status === 403) return failure('bad-credentials');
  return readStatus(status, headers['retry-after']);
}

function readToken(text: string): IssuedToken | AdminFailure {
  try {
    const { access_token, expires_in } = JSON.parse(text);
    if (typeof access_token !== 'string' || access_token === '') return failure('not-the-api');
    const validSeconds =
      typeof expires_in === 'number' && expires_in > 0 ? expires_in : DEFAULT_VALID_SECONDS;
    return { kind: 'token', accessToken: access_token, validSeconds };
  } catch {
    return failure('not-the-api');
  }
}
