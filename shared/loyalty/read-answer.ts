import {
  Finding,
  isObject,
  type JsonObject,
  type OperationId,
  operationTable,
  type Value,
} from './operations.ts';
import { describeFinding, readBusinessError, type Sent, scrub } from './read-error.ts';
import {
  type CallAnswer,
  type LoyaltyResult,
  type TransportFailure,
  type TransportFailureReason,
  transportFailure,
} from './result.ts';

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
