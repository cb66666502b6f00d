import type { HttpAnswer, HttpClient } from '../../../http/http-client.ts';
import {
  ADMIN_HEADERS,
  type AdminFailure,
  failure,
  HTTP_FAILURES,
  readStatus,
} from './admin-answer.ts';

/** How the connector proves to one shop that it may ask. */
export type AdminCredentials =
  /** An app of the Dev Dashboard: its id and secret get a token that lives for a day. */
  | {
      readonly kind: 'client-credentials';
      readonly clientId: string;
      readonly clientSecret: string;
    }
  /** An older app, made in the shop's admin: its token lives until it is revoked. */
  | { readonly kind: 'static'; readonly accessToken: string };

/** `unreachable`: their keeper does not answer at the moment; `unusable`: there are no valid ones. */
type ReadCredentials = AdminCredentials | 'unreachable' | 'unusable';

/** The keeper of a shop's credentials. */
export interface AdminSecret {
  get(): Promise<ReadCredentials>;
  /** After the store refused them: they may have been changed since. */
  refresh(): Promise<ReadCredentials>;
}

type ClientCredentials = Extract<AdminCredentials, { kind: 'client-credentials' }>;

interface IssuedToken {
  readonly kind: 'token';
  readonly accessToken: string;
  readonly livesSeconds: number;
}

/** One shop's token, shared by everything in this process that asks the shop. */
export interface AccessTokens {
  get(): Promise<{ readonly kind: 'token'; readonly accessToken: string } | AdminFailure>;
  /** After the store refused this one: the next `get` gives a new one. */
  refuse(accessToken: string): void;
}

interface Held {
  readonly credentials: ClientCredentials;
  readonly accessToken: string;
  /** Epoch milliseconds. */
  readonly renewAt: number;
  readonly endsAt: number;
}

/** Renewed this long before its end, but never earlier than after nine tenths of its life. */
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
  let underWay: Promise<Held | AdminFailure> | undefined;
  /** Set by a refusal: the credentials themselves may have been changed. */
  let doubted = false;

  async function readSecret(): Promise<AdminCredentials | AdminFailure> {
    const read = await (doubted ? secret.refresh() : secret.get());
    if (read === 'unreachable') return failure('credentials-unreachable');
    if (read === 'unusable') return failure('no-credentials');
    doubted = false;
    return read;
  }

  async function renew(credentials: ClientCredentials): Promise<Held | AdminFailure> {
    const issued = await requestToken(credentials);
    if (issued.kind === 'failure') return issued;
    const lifeMs = issued.livesSeconds * 1000;
    const endsAt = now() + lifeMs;
    const renewAt = endsAt - Math.min(RENEW_BEFORE_MS, lifeMs / 10);
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
      // Callers at the same time share one request.
      underWay ??= renew(credentials).finally(() => {
        underWay = undefined;
      });
      const renewed = await underWay;
      if (!('kind' in renewed)) return token(renewed);
      return usable && now() < usable.endsAt ? token(usable) : renewed;
    },
    refuse(accessToken) {
      doubted = true;
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

/** For a token without a stated life: a day, as the page on the grant says. */
const USUAL_LIFE_SECONDS = 86_399;

/** Requests a token (Shopify, "Using the client credentials grant"). */
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

/** The grant answers 400 for an unknown app, a wrong secret and another owner's shop. */
function refusal({ status, headers }: HttpAnswer): AdminFailure {
  if (status === 400 || status === 401 || status === 403) return failure('bad-credentials');
  return readStatus(status, headers['retry-after']);
}

function readToken(text: string): IssuedToken | AdminFailure {
  try {
    const { access_token, expires_in } = JSON.parse(text);
    if (typeof access_token !== 'string' || access_token === '') return failure('not-the-api');
    const lives =
      typeof expires_in === 'number' && expires_in > 0 ? expires_in : USUAL_LIFE_SECONDS;
    return { kind: 'token', accessToken: access_token, livesSeconds: lives };
  } catch {
    return failure('not-the-api');
  }
}
