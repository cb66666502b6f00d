import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

export interface AppCredentials {
  readonly clientId: string;
  /** Also the secret that webhooks are signed with. */
  readonly clientSecret: string;
  /** Never expires, like the token of a custom app that was created in the admin. */
  readonly accessToken: string;
}

/** Tokens for the Admin API: the static one, and those of the client-credentials grant. */
export class AccessTokens {
  readonly #credentials: () => AppCredentials;
  readonly #lifeSeconds: number;
  readonly #now: () => Date;
  /** The expiry of each token. */
  readonly #issued = new Map<string, number>();

  constructor(credentials: () => AppCredentials, lifeSeconds: number, now: () => Date) {
    this.#credentials = credentials;
    this.#lifeSeconds = lifeSeconds;
    this.#now = now;
  }

  issue(clientId: string, clientSecret: string): { token: string; expiresIn: number } | undefined {
    const expected = this.#credentials();
    const isRight =
      isSame(clientId, expected.clientId) && isSame(clientSecret, expected.clientSecret);
    if (!isRight) return undefined;
    const now = this.#now().getTime();
    for (const [token, endsAt] of this.#issued) if (endsAt <= now) this.#issued.delete(token);
    const token = `shpat_${randomBytes(16).toString('hex')}`;
    this.#issued.set(token, now + this.#lifeSeconds * 1000);
    return { token, expiresIn: this.#lifeSeconds };
  }

  isValid(token: string): boolean {
    if (isSame(token, this.#credentials().accessToken)) return true;
    return (this.#issued.get(token) ?? 0) > this.#now().getTime();
  }

  /** As after a reinstallation of the app: every issued token expires. */
  revoke(): void {
    this.#issued.clear();
  }
}

/** Compares digests, which have equal length, so that the time does not depend on the value. */
function isSame(one: string, other: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(one), digest(other));
}
