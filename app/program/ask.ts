import type { Contact, FailureCode } from './answers.ts';

export interface Failure {
  readonly kind: 'failed';
  /** A code without its own sentence is shown as `technical`. */
  readonly code: FailureCode | (string & Record<never, never>);
  readonly afterSeconds: number | undefined;
  /** In the program's own words. */
  readonly programMessage?: string | undefined;
  /** With `contact-needed`. */
  readonly asks?: readonly Contact[] | undefined;
}

export type Answer<T> = { readonly kind: 'ok'; readonly value: T } | Failure;

/** Sends a request to the storefront function: a POST if it has a body. Never throws. */
export type Ask = <T>(path: string, body?: object) => Promise<Answer<T>>;

/** Not below the function's own time-out, or its answer would be missed. */
const TIMEOUT_MS = 30_000;

/**
 * `address`: the path of the app proxy, such as `/apps/loyalty`; for extensions that of the function for
 * their surface, with `token`: the session token that Shopify gives for each request.
 */
export function createAsk(address: string, token?: () => Promise<string>): Ask {
  return async <T>(path: string, body?: object): Promise<Answer<T>> => {
    let response: Response;
    try {
      response = await fetch(`${address}/${path}`, {
        headers: {
          accept: 'application/json',
          ...(body && { 'content-type': 'application/json' }),
          ...(token && { authorization: `Bearer ${await token()}` }),
        },
        signal: AbortSignal.timeout(TIMEOUT_MS),
        ...(body && { method: 'POST', body: JSON.stringify(body) }),
      });
    } catch {
      return failure('network');
    }
    try {
      const value: unknown = await response.json();
      // The function and this script are deployed together, so the answer has this shape.
      if (response.ok) return { kind: 'ok', value: value as T };
      const { error } = value as { readonly error: Omit<Failure, 'kind' | 'afterSeconds'> };
      return { ...error, ...failure(error.code, readSeconds(response)) };
    } catch {
      return failure('unavailable');
    }
  };
}

function failure(code: string, afterSeconds?: number): Failure {
  return { kind: 'failed', code, afterSeconds };
}

function readSeconds({ headers }: Response): number | undefined {
  const seconds = Number(headers.get('retry-after'));
  return seconds > 0 ? Math.ceil(seconds) : undefined;
}

/**
 * One idempotency key per reward: created at the first press, kept while the result is uncertain, and
 * dropped after the first certain answer. By it the function recognises a repeated request.
 */
export interface ClientKeys {
  of(rewardId: number): string;
  forget(rewardId: number): void;
}

const keys = new Map<number, string>();

/** All widgets of a page share them. */
export const pageKeys: ClientKeys = {
  of(rewardId) {
    const key = keys.get(rewardId) ?? randomKey();
    keys.set(rewardId, key);
    return key;
  },
  forget: (rewardId) => void keys.delete(rewardId),
};

export function randomKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
