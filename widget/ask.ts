import type { FailureCode } from './answers.ts';

export interface Failure {
  readonly kind: 'failed';
  /** One that has no sentence of its own is told as `technical`. */
  readonly code: FailureCode | (string & Record<never, never>);
  readonly afterSeconds: number | undefined;
}

export type Answer<T> = { readonly kind: 'ok'; readonly value: T } | Failure;

/** Asks the storefront function; with a body it is a POST. Never throws. */
export type Ask = <T>(path: string, body?: object) => Promise<Answer<T>>;

/** Above the function's own time limit: whoever gives up earlier misses its answer. */
const PATIENCE_MS = 30_000;

/** `proxy`: where the store hands requests on to the app, such as `/apps/loyalty`. */
export function createAsk(proxy: string): Ask {
  return async <T>(path: string, body?: object): Promise<Answer<T>> => {
    let response: Response;
    try {
      response = await fetch(`${proxy}/${path}`, {
        headers: {
          accept: 'application/json',
          ...(body && { 'content-type': 'application/json' }),
        },
        signal: AbortSignal.timeout(PATIENCE_MS),
        ...(body && { method: 'POST', body: JSON.stringify(body) }),
      });
    } catch {
      return failure('network');
    }
    try {
      const value: unknown = await response.json();
      // The function and this script come in one deployment, so what it answers has the shape.
      if (response.ok) return { kind: 'ok', value: value as T };
      const { error } = value as { readonly error: { readonly code: string } };
      return failure(error.code, readSeconds(response));
    } catch {
      return failure('unreadable');
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
