import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

export interface AppCredentials {
  readonly clientId: string;
  /** Also the secret that webhooks are signed with. */
  readonly clientSecret: string;
  /** Never expires, as that of an app made in the admin of old. */
  readonly accessToken: string;
}

/** Tokens that open the Admin API: the static one, and those from the client-credentials grant. */
export class AccessTokens {
  readonly #credentials: () => AppCredentials;
  readonly #lifeSeconds: number;
  readonly #now: () => Date;
  /** By token: when it ends. */
  readonly #issued = new Map<string, number>();

  constructor(credentials: () => AppCredentials, lifeSeconds: number, now: () => Date) {
    this.#credentials = credentials;
    this.#lifeSeconds = lifeSeconds;
    this.#now = now;
  }

  issue(clientId: string, clientSecret: string): { token: string; expiresIn: number } | undefined {
    const expected = this.#credentials();
    const fits = same(clientId, expected.clientId) && same(clientSecret, expected.clientSecret);
    if (!fits) return undefined;
    const now = this.#now().getTime();
    for (const [token, endsAt] of this.#issued) if (endsAt <= now) this.#issued.delete(token);
    const token = `shpat_${randomBytes(16).toString('hex')}`;
    this.#issued.set(token, now + this.#lifeSeconds * 1000);
    return { token, expiresIn: this.#lifeSeconds };
  }

  isValid(token: string): boolean {
    if (same(token, this.#credentials().accessToken)) return true;
    return (this.#issued.get(token) ?? 0) > this.#now().getTime();
  }

  /** As when the app was reinstalled: every issued token is over. */
  revoke(): void {
    this.#issued.clear();
  }
}

/** Takes the same time for every wrong value: the digests are compared, and have one length. */
function same(one: string, other: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(one), digest(other));
}
