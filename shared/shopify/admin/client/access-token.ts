import { type AdminFailure, failure } from './admin-answer.ts';
import type { AdminCredentials, AdminSecret } from './admin-credentials.ts';
import type { IssuedToken } from './request-token.ts';

/** One shop's token, shared by everything in this process that asks the shop. */
export interface AccessTokens {
  get(): Promise<{ readonly kind: 'token'; readonly accessToken: string } | AdminFailure>;
  /** The store refused this one: the next is a new one. */
  refuse(accessToken: string): void;
}

type ClientCredentials = Extract<AdminCredentials, { kind: 'client-credentials' }>;

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
    try {
      if (!doubted) return await secret.get();
      const { value } = await secret.refresh();
      doubted = false;
      return value;
    } catch (error) {
      // Its reader has told why; the error itself may be about anything.
      const passes = error instanceof Error && error.name === 'Unreachable';
      return failure(passes ? 'credentials-unreachable' : 'no-credentials');
    }
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
