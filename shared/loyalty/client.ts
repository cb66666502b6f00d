import { createHttpClient } from '../http/http-client.ts';
import {
  buildPath,
  Finding,
  type Given,
  type Input,
  isObject,
  isReading,
  type JsonObject,
  type OperationId,
  operationTable,
  type Value,
} from './operations.ts';
import {
  describeFinding,
  personalTexts,
  readBusinessError,
  type Sent,
  scrub,
} from './read-error.ts';
import {
  type CallAnswer,
  type CallSender,
  describeHttpFailure,
  type LoyaltyResult,
  type TransportFailure,
  type TransportFailureReason,
  transportFailure,
} from './result.ts';

export const CALL_TIMEOUT_MS = 10_000;

export type LoyaltyClientSettings = {
  /**
   * A function is asked before every call, so that a rotated key is taken up; it does the caching. It is asked again
   * when the service refused what it gave: other credentials are then tried at once.
   */
  readonly credentials:
    | Credentials
    | ((given: 'for-a-call' | 'were-refused') => Promise<Credentials | UnreadCredentials>);
  /** For a whole call, from its beginning to the end of the answer. Default: `CALL_TIMEOUT_MS`. */
  readonly timeoutMs?: number;
  /** Resolves when a call may begin; the time until then is not part of the call's time-out. */
  readonly takeTurn?: (signal: AbortSignal | undefined) => Promise<Turn>;
  /** A call that would change anything is a programming error. */
  readonly readOnly?: boolean;
  /** After every call that was sent. */
  readonly onEnd?: (tookMs: number) => void;
} & (
  | {
      /** https, or http to this machine. */
      readonly baseUrl: string;
    }
  | { readonly http: CallSender }
);

/** Why there are no credentials: their source does not answer at the moment, or has no usable ones. */
export type UnreadCredentials = 'unreachable' | 'unusable';

export type Turn =
  | { readonly kind: 'go' }
  | {
      readonly kind: 'wait';
      readonly why: 'out-of-tokens' | 'tokens-unreachable';
      readonly afterSeconds: number;
    }
  | { readonly kind: 'aborted' };

const HTTP_LIMITS = { connectMs: 5_000, maxAnswerBytes: 8 * 1024 * 1024 };

export interface CallOptions {
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

/** One function per operation of the contract, by its operationId. */
export type LoyaltyClient = {
  readonly [O in OperationId]: (
    ...given: [...Given<O>, options?: CallOptions]
  ) => Promise<LoyaltyResult<Value<O>>>;
};

/**
 * Each call makes one attempt and answers with a result. What throws is a programming error: settings that can never
 * work, a missing id, a body that is not JSON. The credentials live in closures only, where no logger can find them.
 * See docs/decisions/0009-the-queue-retries-the-http-clients-do-not.md.
 */
export function createLoyaltyClient(settings: LoyaltyClientSettings): LoyaltyClient {
  const { credentials, timeoutMs = CALL_TIMEOUT_MS } = settings;
  const http =
    'http' in settings
      ? settings.http
      : createHttpClient(checkBaseAddress(settings.baseUrl), HTTP_LIMITS);
  checkTimeout(timeoutMs);
  const known = typeof credentials === 'function' ? undefined : authorizationOf(credentials);

  async function readAuthorization(
    given: 'for-a-call' | 'were-refused',
  ): Promise<Authorization | UnreadCredentials> {
    try {
      const read = typeof credentials === 'function' ? await credentials(given) : credentials;
      return typeof read === 'string' ? read : authorizationOf(read);
    } catch {
      return 'unusable';
    }
  }

  async function call<O extends OperationId>(
    operation: O,
    input: Input<O>,
    options: CallOptions = {},
  ): Promise<LoyaltyResult<Value<O>>> {
    const { method, path: template, namesCustomer } = operationTable[operation];
    if (settings.readOnly && !isReading(operationTable[operation])) {
      throw new Error(`${operation} changes the program of a shop that is only observed`);
    }
    const path = buildPath(template, input.path, input.query);
    if (path === undefined) {
      const message = `${operation} was not sent: the id in its path is blank.`;
      return transportFailure('blank-id', { mayHaveHappened: false, message });
    }
    const callTimeoutMs = checkTimeout(options.timeoutMs ?? timeoutMs);
    const secrets: string[] = [];
    // Looked for only when a text of the service's must be scrubbed: most calls have none.
    const hidden = () => [
      ...secrets,
      ...personalTexts([input.query, input.body, namesCustomer && { Customer: input.path }]),
    ];
    const turn = await settings.takeTurn?.(options.signal);
    if (turn?.kind === 'wait') {
      const message = 'Not sent, to keep to loyalty.callsPerSecond.';
      const { why, afterSeconds: retryAfterSeconds } = turn;
      return transportFailure(why, { mayHaveHappened: false, message, retryAfterSeconds });
    }
    const startedAt = performance.now();
    const authorization =
      known ??
      (await withinTime(() => readAuthorization('for-a-call'), callTimeoutMs, options.signal));
    if (typeof authorization === 'string') return notSent(authorization, callTimeoutMs);
    const body = input.body === undefined ? undefined : JSON.stringify(input.body);
    const send = async ({ header, secrets: sent }: Authorization) => {
      secrets.push(...sent);
      const sentAt = performance.now();
      const answer = await http.send({
        method,
        path,
        headers: {
          accept: 'application/json',
          'accept-encoding': 'identity',
          authorization: header,
          'user-agent': 'loyalty-connector',
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        body,
        timeoutMs: Math.max(callTimeoutMs - (known ? 0 : sentAt - startedAt), 1),
        signal: options.signal,
        // The queue repeats the others, after the time in which the first may still be executed.
        repeatable: method === 'GET',
      });
      settings.onEnd?.(performance.now() - sentAt);
      return answer.kind === 'failure'
        ? describeHttpFailure(answer, callTimeoutMs)
        : readAnswer(operation, answer, { input, hidden }, new Date());
    };
    const result = await send(authorization);
    if (known || !isRefusal(result)) return result;
    const renewed = await readAuthorization('were-refused');
    const isSame = typeof renewed === 'string' || renewed.header === authorization.header;
    return isSame ? result : send(renewed);
  }

  const functions = Object.keys(operationTable).map((name) => {
    const operation = name as OperationId;
    const { id, takes } = operationTable[operation];
    return [
      operation,
      (...given: unknown[]) => {
        const path = id === undefined ? {} : { path: { [id]: given.shift() } };
        const parts = takes.map((part) => [part, given.shift()]);
        const input = { ...path, ...Object.fromEntries(parts) } as Input<OperationId>;
        return call(operation, input, given[0] as CallOptions | undefined);
      },
    ];
  });
  return Object.fromEntries(functions);
}

/** Beyond 2^31 - 1, setTimeout fires at once. */
function checkTimeout(timeoutMs: number): number {
  if (timeoutMs > 0 && timeoutMs <= 2 ** 31 - 1) return timeoutMs;
  throw new RangeError('Loyalty time-out must be a positive number of milliseconds.');
}

interface Authorization {
  readonly header: string;
  /** What no text may repeat. */
  readonly secrets: readonly string[];
}

function authorizationOf({ token, key }: Credentials): Authorization {
  const header = basicAuthorization({ token, key });
  return { header, secrets: [token, key, header.replace('Basic ', '')] };
}

/** A call ends in time also while it waits for its credentials. */
async function withinTime<T>(
  start: () => Promise<T>,
  timeoutMs: number,
  signal: AbortSignal | undefined,
): Promise<T | 'time-out' | 'aborted'> {
  if (signal?.aborted) return 'aborted';
  const { promise: ended, resolve: end } = Promise.withResolvers<'time-out' | 'aborted'>();
  const timer = setTimeout(end, timeoutMs, 'time-out');
  const abort = () => end('aborted');
  signal?.addEventListener('abort', abort);
  try {
    return await Promise.race([start(), ended]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', abort);
  }
}

/** Such a call was not executed: repeating it with other credentials is harmless. */
function isRefusal(result: LoyaltyResult<unknown>): boolean {
  return (
    (result.kind === 'business-error' || result.kind === 'transport-failure') &&
    result.class === 'misconfigured'
  );
}

function notSent(
  why: UnreadCredentials | 'time-out' | 'aborted',
  timeoutMs: number,
): TransportFailure {
  switch (why) {
    case 'unusable':
      return transportFailure('no-credentials', {
        mayHaveHappened: false,
        message: 'The credentials could not be read, or are not usable.',
      });
    case 'unreachable':
      return transportFailure('credentials-unreachable', {
        mayHaveHappened: false,
        message: 'The credentials cannot be read at the moment.',
      });
    default:
      return describeHttpFailure({ reason: why, mayHaveHappened: false }, timeoutMs);
  }
}

export interface Credentials {
  readonly token: string;
  readonly key: string;
}

/** Error messages never contain the value. */
export function basicAuthorization({ token, key }: Credentials): string {
  if (typeof token !== 'string' || token === '') throw new Error('Loyalty API token is missing.');
  if (typeof key !== 'string' || key === '') throw new Error('Loyalty API key is missing.');
  if (token.includes(':')) {
    throw new Error(
      'Loyalty API token must not contain ":": what follows would be read as the key.',
    );
  }
  return `Basic ${Buffer.from(`${token}:${key}`, 'utf8').toString('base64')}`;
}

/**
 * Throws for an address that can never work. Error messages do not quote the address, because it may
 * contain a password.
 */
export function checkBaseAddress(baseUrl: string): string {
  const url = URL.parse(baseUrl);
  if (url === null) throw new Error('Loyalty base address is not a URL.');
  if (url.username !== '' || url.password !== '') {
    throw new Error('Loyalty base address must not hold credentials: they have their own setting.');
  }
  if (url.search !== '' || url.hash !== '') {
    throw new Error('Loyalty base address must end with its path: no "?" or "#".');
  }
  // Without TLS, anyone on the network path can read Basic credentials.
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLoopback(url.hostname))) {
    throw new Error(
      'Loyalty base address must begin with https:// (http:// only for localhost, 127.x.x.x and [::1]).',
    );
  }
  return baseUrl;
}

function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d+){3}$/.test(hostname);
}

/** Makes one result of any HTTP answer, and never throws. */
export function readAnswer<O extends OperationId>(
  operation: O,
  answer: CallAnswer,
  sent: Sent,
  now: Date,
): LoyaltyResult<Value<O>> {
  const body = parseObject(answer.text, operation);
  const failure = readStatus(answer, now);
  const businessError = () => {
    const afterSeconds = readRetryAfter(answer.headers['retry-after'], now);
    const error = readBusinessError(operation, body ?? {}, sent);
    return afterSeconds === undefined ? error : { ...error, retryAfterSeconds: afterSeconds };
  };
  if (failure !== undefined) {
    // Some operations answer 400 with envelope A. Where a status is about this request and an error
    // comes with it, the error says more. Never for 401, 403, 429 and 5xx: they are about the service.
    const isRefused = failure.reason === 'refused';
    const isAboutRequest = isRefused || failure.status === 404;
    const error = isAboutRequest && body && reportsError(body) ? businessError() : undefined;
    if (error?.code !== undefined) return error;
    // A 404 may be a wrong address. Any other of these says that the request is not acceptable.
    return error && isRefused ? { ...error, class: 'rejected' } : failure;
  }
  if (isNothing(operation, answer)) {
    const { status } = answer;
    const message = `HTTP ${status} without an object.`;
    return transportFailure('not-found', { mayHaveHappened: false, status, message });
  }
  if (body === undefined) {
    const what = answer.text.trim() === '' ? 'empty' : 'not a JSON object';
    return notTheContract(answer, sent, what);
  }
  if (reportsError(body) || saysOnlyErrors(operation, body)) return businessError();
  const unlike = `not the shape of ${operation}'s answer`;
  return readSuccess(operation, body, sent) ?? notTheContract(answer, sent, unlike);
}

function reportsError({ HasError, Severity }: JsonObject): boolean {
  return HasError === true || Severity === 2;
}

/** Where the object comes bare, none is nothing at all: an empty text alone may be a broken answer. */
function isNothing(operation: OperationId, { status, text }: CallAnswer): boolean {
  const { method, envelope } = operationTable[operation];
  return method === 'GET' && envelope === 'none' && (status === 204 || text.trim() === 'null');
}

/**
 * Where the object comes bare, a failure may have error members and nothing that announces them. A challenge
 * that failed announces them by its `Success`.
 */
function saysOnlyErrors(operation: OperationId, body: JsonObject): boolean {
  const { envelope } = operationTable[operation];
  if (envelope !== 'none' || body.Success === false) return false;
  const { ErrorCode, ErrorMessage, ErrorMessages } = body;
  return (
    typeof ErrorCode === 'number' ||
    (typeof ErrorMessage === 'string' && ErrorMessage !== '') ||
    (Array.isArray(ErrorMessages) && ErrorMessages.length > 0)
  );
}

function readSuccess<O extends OperationId>(
  operation: O,
  body: JsonObject,
  sent: Sent,
): LoyaltyResult<Value<O>> | undefined {
  const { value: valueIn, envelope } = operationTable[operation];
  const saysNoError = body.HasError === false;
  const mayKeepSilent = envelope === 'none' && body.HasError === undefined;
  // Severity is missing in three envelopes and in the older shape of the fourth.
  const severityIsKnown = [undefined, 0, 1].some((severity) => severity === body.Severity);
  const found = valueIn(body, sent.input);
  if (!(saysNoError || mayKeepSilent) || !severityIsKnown || found === undefined) return undefined;
  if (found instanceof Finding) return describeFinding(found, sent);
  const value = found as Value<O>;
  return body.Severity === 1 || body.HasWarning === true
    ? {
        kind: 'warning',
        value,
        code: textIn(body.Code, sent),
        codeName: textIn(body.CodeName, sent),
      }
    : { kind: 'success', value };
}

/** Describes the body and does not quote it: an unknown text may hold anything. */
function notTheContract(answer: CallAnswer, sent: Sent, what: string): TransportFailure {
  const type = /^[\w.+-]{1,40}\/[\w.+-]{1,60}/.exec(answer.headers['content-type'] ?? '')?.[0];
  const size = Buffer.byteLength(answer.text);
  const described = type === undefined ? 'of no stated type' : `of ${scrub(type, sent.hidden())}`;
  return transportFailure('not-the-contract', {
    mayHaveHappened: true,
    status: answer.status,
    message: `HTTP ${answer.status} with ${size} bytes ${described}: ${what}.`,
  });
}

function textIn(value: unknown, { hidden }: Sent): string | undefined {
  return typeof value === 'string' ? scrub(value, hidden()) : undefined;
}

function parseObject(text: string, operation: OperationId): JsonObject | undefined {
  const { answersWithPin } = operationTable[operation];
  const withoutPin = (name: string, value: unknown) => (name === 'Code' ? undefined : value);
  try {
    const value: unknown = JSON.parse(text, answersWithPin && withoutPin);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The failure that a status alone means; undefined for 2xx, where the body decides. */
function readStatus({ status, headers }: CallAnswer, now: Date): TransportFailure | undefined {
  if (status >= 200 && status <= 299) return undefined;
  const reason = reasonOf(status);
  const afterSeconds = readRetryAfter(headers['retry-after'], now);
  return transportFailure(reason, {
    // 4xx says that the request was not carried out; 408 and a redirect (303) leave it open.
    mayHaveHappened: !(status >= 400 && status <= 499) || status === 408,
    status,
    message: `HTTP ${status}${status >= 300 && status <= 399 ? ', a redirect, not followed' : ''}.`,
    ...(afterSeconds !== undefined && { retryAfterSeconds: afterSeconds }),
  });
}

function reasonOf(status: number): TransportFailureReason {
  if (status === 429) return 'throttled';
  if (status === 408 || (status >= 500 && status <= 599)) return 'unavailable';
  if (status === 404) return 'not-found';
  if (status === 403) return 'forbidden';
  if (status === 401 || status === 407) return 'misconfigured';
  if (status >= 300 && status <= 399) return 'misconfigured';
  return status >= 400 && status <= 499 ? 'refused' : 'not-the-contract';
}

/** A service that asks for more has sent nonsense, or a date by a wrong clock. */
const LONGEST_RETRY_AFTER_SECONDS = 24 * 60 * 60;

/** Retry-After as seconds from now: it may be a number of seconds or an HTTP date. */
function readRetryAfter(header: string | undefined, now: Date): number | undefined {
  const text = header?.trim() ?? '';
  const seconds = /^\d+$/.test(text)
    ? Number(text)
    : / GMT$/.test(text)
      ? Math.ceil((Date.parse(text) - now.getTime()) / 1000)
      : Number.NaN;
  return Number.isNaN(seconds)
    ? undefined
    : Math.min(Math.max(seconds, 0), LONGEST_RETRY_AFTER_SECONDS);
}
