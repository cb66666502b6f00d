import { createAccessTokens } from './access-token.ts';
import { adminAddress } from './admin-address.ts';
import { type AdminAnswer, type AdminFailure, failure } from './admin-answer.ts';
import type { AdminSecret } from './admin-credentials.ts';
import type { AdminDocument } from './admin-document.ts';
import { readAnswer } from './read-answer.ts';
import { requestToken } from './request-token.ts';
import { createThrottle } from './throttle.ts';

export interface AdminClientSettings {
  /** The shop's permanent domain. */
  readonly shop: string;
  readonly secret: AdminSecret;
  /** A store sandbox on this machine instead of the shop. */
  readonly sandboxAddress?: string | undefined;
  /** For one request and its whole answer. Default: `REQUEST_TIMEOUT_MS`. */
  readonly timeoutMs?: number | undefined;
  /** The part of the store's points, from 0 to 1, that is left to others. Default: 0. */
  readonly reserve?: number | undefined;
  /** Epoch milliseconds. */
  readonly now?: (() => number) | undefined;
  /** Ends early, without an error, when the signal fires. */
  readonly sleep?: ((ms: number, signal: AbortSignal | undefined) => Promise<void>) | undefined;
  readonly random?: (() => number) | undefined;
}

/** Puts one question to the store, as often as is safe and of use. Never rejects for a failure. */
export type Ask = <Data, Variables extends object>(
  document: AdminDocument<Data, Variables>,
  variables: Variables,
) => Promise<AdminAnswer<Data>>;

export interface AdminClient {
  /** The signal ends everything: waiting, asking and repeating. */
  until(signal: AbortSignal | undefined): Ask;
}

/** Tries of one question; whatever fails as often waits on its queue instead. */
export const MOST_TRIES = 4;
const FIRST_PAUSE_MS = 200;
/** A worker that waits longer for points is paid for waiting: the queue does it for nothing. */
export const LONGEST_WAIT_MS = 10_000;
/** For one request and its whole answer. */
export const REQUEST_TIMEOUT_MS = 10_000;

export function createAdminClient(settings: AdminClientSettings): AdminClient {
  const {
    shop,
    secret,
    timeoutMs = REQUEST_TIMEOUT_MS,
    now = Date.now,
    random = Math.random,
  } = settings;
  const sleep = settings.sleep ?? sleepUntil;
  const address = adminAddress(shop, settings.sandboxAddress);
  const throttle = createThrottle(settings.reserve);
  const tokens = createAccessTokens({
    secret,
    now,
    requestToken: (credentials) => requestToken(address, credentials, timeoutMs),
  });

  async function send<Data>(
    { name, kind, text }: AdminDocument<Data, unknown>,
    variables: object,
    signal: AbortSignal | undefined,
  ): Promise<{ readonly answer: AdminAnswer<Data>; readonly accessToken?: string }> {
    const token = await tokens.get();
    if (token.kind === 'failure') return { answer: token };
    const { accessToken } = token;
    const { postGraphql } = await import('./graphql-client.ts');
    const timeout = AbortSignal.timeout(timeoutMs);
    const either = signal ? AbortSignal.any([signal, timeout]) : timeout;
    const raw = await postGraphql({ shop, address, accessToken, text, variables, signal: either });
    if (signal?.aborted) return { answer: failure('aborted') };
    if (timeout.aborted) return { answer: failure('time-out') };
    throttle.note(name, raw.cost, now());
    return { answer: readAnswer<Data>(raw, kind), accessToken };
  }

  /** Milliseconds to wait before the same question; undefined: its answer stands. */
  function pauseBeforeRetry(
    { name, kind }: AdminDocument<unknown, unknown>,
    { reason, afterSeconds }: AdminFailure,
    tries: number,
  ): number | undefined {
    const jitter = 1 + random() / 2;
    // Refused before it was carried out, so a mutation can be repeated too.
    if (reason === 'throttled') {
      const refill = afterSeconds === undefined ? throttle.refillMs(name, now()) : 0;
      return Math.max(refill, (afterSeconds ?? 0) * 1000) * jitter;
    }
    if (kind === 'mutation' || !PASSING.has(reason)) return undefined;
    return Math.max((afterSeconds ?? 0) * 1000, FIRST_PAUSE_MS * 2 ** (tries - 1) * jitter);
  }

  async function ask<Data, Variables extends object>(
    document: AdminDocument<Data, Variables>,
    variables: Variables,
    signal: AbortSignal | undefined,
  ): Promise<AdminAnswer<Data>> {
    let renewed = false;
    for (let tries = 1; ; tries += 1) {
      // Whoever wakes up later than others may find the points gone again.
      for (;;) {
        const missing = throttle.take(document.name, now());
        if (missing > LONGEST_WAIT_MS) return throttledFor(missing);
        if (missing <= 0) break;
        await sleep(missing, signal);
        if (signal?.aborted) return failure('aborted');
      }
      if (signal?.aborted) return failure('aborted');

      const { answer, accessToken } = await send(document, variables, signal);
      if (answer.kind !== 'failure') return answer;
      if (answer.reason === 'unauthorized' && accessToken !== undefined && !renewed) {
        renewed = true;
        tokens.refuse(accessToken);
        continue;
      }
      const pause = pauseBeforeRetry(document, answer, tries);
      if (pause === undefined) return answer;
      if (tries >= MOST_TRIES || pause > LONGEST_WAIT_MS) {
        return answer.reason === 'throttled' ? throttledFor(pause) : answer;
      }
      await sleep(pause, signal);
    }
  }

  return {
    until: (signal) => (document, variables) => ask(document, variables, signal),
  };
}

/** Faults that a moment later may be over. A time-out is not: it has used up its moment. */
const PASSING: ReadonlySet<string> = new Set(['connection', 'server-error', 'not-the-api']);

function throttledFor(ms: number): AdminFailure {
  return failure('throttled', { afterSeconds: Math.ceil(ms / 1000) });
}

function sleepUntil(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const wake = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', wake);
      resolve();
    };
    const timer = setTimeout(wake, ms);
    signal?.addEventListener('abort', wake);
    if (signal?.aborted) wake();
  });
}
