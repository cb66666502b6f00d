import { createHttpClient } from '../../../http/http-client.ts';
import { API_VERSION } from '../../entity-id.ts';
import { createAccessTokens, requestToken } from './access-token.ts';
import {
  ADMIN_HEADERS,
  type AdminAnswer,
  type AdminFailure,
  failure,
  HTTP_FAILURES,
  readAnswer,
  readBody,
} from './admin-answer.ts';
import type { AdminSecret } from './admin-secret.ts';

/** A GraphQL document that the build has checked against Shopify's schema. */
export interface AdminDocument<Data, Variables> {
  readonly name: string;
  /** A mutation is repeated only where the store says that it was not executed. */
  readonly kind: 'query' | 'mutation';
  readonly text: string;
  /** Never set: it carries the types. */
  readonly types?: { readonly data: Data; readonly variables: Variables };
}

export type DataOf<Document> =
  Document extends AdminDocument<infer Data, infer _Variables> ? Data : never;

export interface AdminClientSettings {
  /** The shop's permanent domain. */
  readonly shop: string;
  readonly secret: AdminSecret;
  /** A store sandbox on this machine instead of the shop. */
  readonly sandboxAddress?: string | undefined;
  /** For one request and its whole answer. Default: `REQUEST_TIMEOUT_MS`. */
  readonly timeoutMs?: number | undefined;
  /** The part of the query cost points, from 0 to 1, that is left to other processes. Default: 0. */
  readonly reserve?: number | undefined;
  /** Epoch milliseconds. */
  readonly now?: (() => number) | undefined;
  /** Ends early, without an error, when the signal fires. */
  readonly sleep?: ((ms: number, signal: AbortSignal | undefined) => Promise<void>) | undefined;
  readonly random?: (() => number) | undefined;
}

/** Sends a query or mutation, and repeats it where that is safe. A failure is a value, not a rejection. */
export type Ask = <Data, Variables extends object>(
  document: AdminDocument<Data, Variables>,
  variables: Variables,
) => Promise<AdminAnswer<Data>>;

export interface AdminClient {
  /** The signal ends requests and waits. */
  until(signal: AbortSignal | undefined): Ask;
}

/** After these tries the message waits on its queue. */
export const MAX_TRIES = 4;
const FIRST_PAUSE_MS = 200;
/** A worker is paid for waiting; a longer wait is left to the queue, which costs nothing. */
export const MAX_WAIT_MS = 10_000;
/** For one request and its whole answer. */
export const REQUEST_TIMEOUT_MS = 10_000;
/** No answer to a document of the connector comes near 16 MiB. */
const HTTP_LIMITS = { connectMs: 5_000, maxAnswerBytes: 16 * 1024 * 1024 };

/** See docs/decisions/0009-the-queue-retries-the-http-clients-do-not.md. */
export function createAdminClient(settings: AdminClientSettings): AdminClient {
  const {
    shop,
    secret,
    timeoutMs = REQUEST_TIMEOUT_MS,
    now = Date.now,
    random = Math.random,
  } = settings;
  const sleep = settings.sleep ?? sleepUntil;
  const http = createHttpClient(adminAddress(shop, settings.sandboxAddress), HTTP_LIMITS);
  const throttle = createThrottle(settings.reserve);
  const tokens = createAccessTokens({
    secret,
    now,
    requestToken: (credentials) => requestToken(http, credentials, timeoutMs),
  });

  async function send<Data>(
    { name, kind, text }: AdminDocument<Data, unknown>,
    variables: object,
    signal: AbortSignal | undefined,
  ): Promise<{ readonly answer: AdminAnswer<Data>; readonly accessToken?: string }> {
    const token = await tokens.get();
    if (token.kind === 'failure') return { answer: token };
    const { accessToken } = token;
    const result = await http.send({
      method: 'POST',
      path: `/admin/api/${API_VERSION}/graphql.json`,
      headers: { ...ADMIN_HEADERS, 'x-shopify-access-token': accessToken },
      body: JSON.stringify({ query: text, variables }),
      timeoutMs,
      signal,
      repeatable: kind === 'query',
    });
    if (result.kind === 'failure') return { answer: failure(HTTP_FAILURES[result.reason]) };
    const body = readBody(result.text) ?? {};
    throttle.note(name, body.extensions?.cost, now());
    const { status, headers } = result;
    const retryAfter = headers['retry-after'];
    return { answer: readAnswer<Data>({ status, retryAfter }, body, kind), accessToken };
  }

  /** In milliseconds; undefined means no further try. */
  function pauseBeforeRetry(
    { name, kind }: AdminDocument<unknown, unknown>,
    { reason, afterSeconds }: AdminFailure,
    tries: number,
  ): number | undefined {
    const jitter = 1 + random() / 2;
    // Refused before it was executed, so a mutation can be repeated too.
    if (reason === 'throttled') {
      const refill = afterSeconds === undefined ? throttle.refillMs(name, now()) : 0;
      return Math.max(refill, (afterSeconds ?? 0) * 1000) * jitter;
    }
    if (kind === 'mutation' || !TRANSIENT.has(reason)) return undefined;
    return Math.max((afterSeconds ?? 0) * 1000, FIRST_PAUSE_MS * 2 ** (tries - 1) * jitter);
  }

  async function ask<Data, Variables extends object>(
    document: AdminDocument<Data, Variables>,
    variables: Variables,
    signal: AbortSignal | undefined,
  ): Promise<AdminAnswer<Data>> {
    let renewed = false;
    for (let tries = 1; ; tries += 1) {
      // Other callers may have used the points during the wait.
      for (;;) {
        const missing = throttle.take(document.name, now());
        if (missing > MAX_WAIT_MS) return throttledFor(missing);
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
      if (tries >= MAX_TRIES || pause > MAX_WAIT_MS) {
        return answer.reason === 'throttled' ? throttledFor(pause) : answer;
      }
      await sleep(pause, signal);
    }
  }

  return {
    until: (signal) => (document, variables) => ask(document, variables, signal),
  };
}

/** Without `time-out`: that one has already used up the time. */
const TRANSIENT: ReadonlySet<string> = new Set(['connection', 'server-error', 'not-the-api']);

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

const SHOP = /^[a-z0-9][a-z0-9-]*\.myshopify\.com$/;
const OWN_MACHINE = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/;

/**
 * Any other address than the shop's own must be on this machine, because every request carries the
 * shop's token. A wrong address is thrown: no request could succeed with it.
 */
export function adminAddress(shop: string, sandbox?: string): string {
  if (!SHOP.test(shop)) throw new Error(`not a .myshopify.com domain: ${shop}`);
  if (sandbox === undefined) return `https://${shop}`;
  const url = URL.parse(sandbox);
  if (url?.protocol !== 'http:' || !OWN_MACHINE.test(url.hostname) || url.username !== '') {
    throw new Error('a store sandbox must be at http://localhost, 127.x.x.x or [::1]');
  }
  return `${url.origin}${url.pathname.replace(/(?<!\/)\/+$/, '')}`;
}

/**
 * The store's bucket of query cost points, as its answers describe it (Shopify, "GraphQL Admin API rate
 * limits"). Every query takes its cost out, the bucket fills at a steady rate, and the store refuses a
 * query that costs more than the bucket holds.
 *
 * Other workers use the same bucket, so this is an estimate that each answer corrects. Where it is
 * wrong, the store refuses with THROTTLED.
 */
interface Throttle {
  /** Milliseconds to wait for enough points; zero: the points are taken. */
  take(document: string, now: number): number;
  note(document: string, cost: unknown, now: number): void;
  /** Milliseconds until a refused document can be sent again. */
  refillMs(document: string, now: number): number;
}

interface Bucket {
  readonly available: number;
  readonly maximum: number;
  /** Points per second. */
  readonly rate: number;
  readonly at: number;
}

/** For a refusal that does not state the points. */
const UNKNOWN_REFILL_MS = 1000;

/** `reserve` is the part of the bucket, from 0 to 1, that is left to other processes, such as the workers. */
export function createThrottle(reserve = 0): Throttle {
  let bucket: Bucket | undefined;
  /** The requested cost of each document, as the store stated it. */
  const costs = new Map<string, number>();

  function availableAt({ available, maximum, rate, at }: Bucket, now: number): number {
    return Math.min(maximum, available + (rate * Math.max(0, now - at)) / 1000);
  }

  function missingMs(document: string, now: number): number {
    if (!bucket || bucket.rate <= 0) return 0;
    // No wait helps for more than the bucket can hold: the store then refuses the query.
    const { maximum } = bucket;
    const cost = Math.min((costs.get(document) ?? 0) + reserve * maximum, maximum);
    return Math.ceil((Math.max(0, cost - availableAt(bucket, now)) / bucket.rate) * 1000);
  }

  return {
    take(document, now) {
      const wait = missingMs(document, now);
      if (wait > 0 || !bucket) return wait;
      const left = availableAt(bucket, now) - (costs.get(document) ?? 0);
      bucket = { ...bucket, available: Math.max(0, left), at: now };
      return 0;
    },
    note(document, cost, now) {
      const { requestedQueryCost, throttleStatus } = numbersOf(cost);
      if (requestedQueryCost !== undefined) costs.set(document, requestedQueryCost);
      if (throttleStatus) bucket = { ...throttleStatus, at: now };
    },
    refillMs: (document, now) => missingMs(document, now) || UNKNOWN_REFILL_MS,
  };
}

/** Of `extensions.cost`, the numbers that have the documented form. */
function numbersOf(cost: unknown): {
  readonly requestedQueryCost: number | undefined;
  readonly throttleStatus: Omit<Bucket, 'at'> | undefined;
} {
  const fields = fieldsOf(cost);
  const requested = fields.get('requestedQueryCost');
  const status = fieldsOf(fields.get('throttleStatus'));
  const [maximum, available, rate] = [
    status.get('maximumAvailable'),
    status.get('currentlyAvailable'),
    status.get('restoreRate'),
  ];
  return {
    requestedQueryCost: isNumber(requested) ? requested : undefined,
    throttleStatus:
      isNumber(maximum) && isNumber(available) && isNumber(rate)
        ? { maximum, available: Math.max(0, available), rate }
        : undefined,
  };
}

function fieldsOf(value: unknown): ReadonlyMap<string, unknown> {
  return new Map(typeof value === 'object' && value !== null ? Object.entries(value) : []);
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}
