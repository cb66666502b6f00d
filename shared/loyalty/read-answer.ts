import type { Value } from './call-types.ts';
import type { OperationId } from './operation-id.ts';
import { operationTable } from './operation-table.ts';
import { isObject, type JsonObject } from './payload.ts';
import { readBusinessError, type Sent } from './read-business-error.ts';
import { readStatus } from './read-status.ts';
import type { LoyaltyResult, TransportFailure } from './result.ts';
import { transportFailure } from './result.ts';
import { readRetryAfter } from './retry-after.ts';
import { scrub } from './scrub.ts';
import type { TransportAnswer } from './transport.ts';

/** Makes one result of an HTTP answer. Takes any status, headers and text whatever, and never throws. */
export function readAnswer<O extends OperationId>(
  operation: O,
  answer: TransportAnswer,
  sent: Sent,
  now: Date,
): LoyaltyResult<Value<O>> {
  const body = parseObject(answer.text);
  const failure = readStatus(answer, now);
  const businessError = () => {
    const afterSeconds = readRetryAfter(answer.headers['retry-after'], now);
    const error = readBusinessError(operation, body ?? {}, sent);
    return afterSeconds === undefined ? error : { ...error, retryAfterSeconds: afterSeconds };
  };
  if (failure !== undefined) {
    // Statuses but 200 are not shown. Where one is about this request and an error of the contract
    // comes with it, the error says more. Never for 401, 403, 429 and 5xx: they are about the service.
    const isAboutRequest = failure.reason === 'refused' || failure.status === 404;
    const error = isAboutRequest && body?.HasError === true ? businessError() : undefined;
    return error?.code === undefined ? failure : error;
  }
  if (body === undefined) return notTheContract(answer, sent, describeText(answer.text));
  if (body.HasError === true || body.Severity === 2) return businessError();
  const unlike = `not the shape of ${operation}'s answer`;
  return readSuccess(operation, body, sent) ?? notTheContract(answer, sent, unlike);
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
  const found = valueIn(body);
  if (!(saysNoError || mayKeepSilent) || !severityIsKnown || found === undefined) return undefined;
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
function notTheContract(answer: TransportAnswer, sent: Sent, what: string): TransportFailure {
  const type = /^[\w.+-]{1,40}\/[\w.+-]{1,60}/.exec(answer.headers['content-type'] ?? '')?.[0];
  const size = Buffer.byteLength(answer.text);
  const described = type === undefined ? 'of no stated type' : `of ${scrub(type, sent.hidden())}`;
  return transportFailure('not-the-contract', {
    mayHaveHappened: true,
    status: answer.status,
    message: `HTTP ${answer.status} with ${size} bytes ${described}: ${what}.`,
  });
}

function describeText(text: string): string {
  return text.trim() === '' ? 'empty' : 'not a JSON object';
}

function textIn(value: unknown, { hidden }: Sent): string | undefined {
  return typeof value === 'string' ? scrub(value, hidden()) : undefined;
}

function parseObject(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
