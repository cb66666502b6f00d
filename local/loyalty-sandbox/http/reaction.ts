import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { ErrorNumber } from '../../../shared/loyalty/error-codes.ts';
import {
  jsonAnswer,
  resetConnection,
  respond,
  respondTruncated,
} from '../../sandbox-kit/http/server.ts';
import type { FaultKind } from '../fault-rule.ts';
import type { JournalEntry } from '../journal.ts';

/** What is done about a call, once it is decided. */
export type Reaction =
  | {
      readonly kind: 'answer' | 'truncated';
      readonly status: number;
      readonly answer: unknown;
      readonly headers?: OutgoingHttpHeaders;
      readonly fault?: string;
    }
  | { readonly kind: 'empty'; readonly answer: unknown; readonly fault: string }
  | { readonly kind: 'page'; readonly status: number; readonly fault: string }
  /** `answer` is there when the call was executed before. */
  | { readonly kind: 'reset'; readonly answer?: unknown; readonly fault: string }
  | { readonly kind: 'silence'; readonly fault: string };

/** The shape of envelope B, for want of a known one: the contract shows no answer but HTTP 200. */
export function refusal(
  status: number,
  message: string,
  headers: OutgoingHttpHeaders = {},
): Reaction {
  return { kind: 'answer', status, answer: { ErrorMessage: message, HasError: true }, headers };
}

export function journalPart(reaction: Reaction): Pick<JournalEntry, 'status' | 'answer' | 'fault'> {
  return {
    ...('status' in reaction && { status: reaction.status }),
    ...(reaction.kind === 'empty' && { status: 200 }),
    ...('answer' in reaction && { answer: reaction.answer }),
    ...(reaction.fault !== undefined && { fault: reaction.fault }),
  };
}

const gatewayPage =
  '<!doctype html><html><head><title>Bad gateway</title></head><body><h1>Bad gateway</h1></body></html>\n';

export function perform(reaction: Reaction, response: ServerResponse): void {
  switch (reaction.kind) {
    case 'answer':
      respond(response, jsonAnswer(reaction.status, reaction.answer, reaction.headers));
      break;
    case 'truncated':
      respondTruncated(response, jsonAnswer(reaction.status, reaction.answer));
      break;
    case 'empty':
      respond(response, { status: 200, body: '' });
      break;
    case 'page':
      respond(response, {
        status: reaction.status,
        headers: { 'content-type': 'text/html; charset=utf-8' },
        body: gatewayPage,
      });
      break;
    case 'reset':
      resetConnection(response);
      break;
    case 'silence':
      break;
  }
}

/** The two ways to answer a call; each is used at most once. */
export interface Choices {
  /** Executes the call and returns the program's answer. */
  execute(): unknown;
  /** Returns the operation's own report of an error, without executing the call. */
  fail(code: ErrorNumber): unknown;
}

const tooManyRequests = 103;

/** The reaction to a call with a fault. FaultKind lists which kinds execute the call. */
export function applyFault(
  fault: Exclude<FaultKind, { kind: 'latency' }>,
  { execute, fail }: Choices,
): Reaction {
  const name = fault.kind;
  switch (fault.kind) {
    case 'http-429':
      return { ...refusal(429, 'Too many requests.', retryAfter(fault)), fault: name };
    case 'http-500':
      return { ...refusal(500, 'Internal error.'), fault: name };
    case 'http-503':
      return { ...refusal(503, 'Not available.', retryAfter(fault)), fault: name };
    case 'code-103':
      return { kind: 'answer', status: 200, answer: fail(tooManyRequests), fault: name };
    case 'business-error':
      return { kind: 'answer', status: 200, answer: fail(fault.code), fault: name };
    case 'not-json':
      return { kind: 'page', status: fault.status ?? 502, fault: name };
    case 'truncated':
      return { kind: 'truncated', status: 200, answer: execute(), fault: name };
    case 'empty':
      return { kind: 'empty', answer: execute(), fault: name };
    case 'reset-after':
      return { kind: 'reset', answer: execute(), fault: name };
    case 'reset-before':
    case 'outage':
      return { kind: 'reset', fault: name };
    case 'hang':
      return { kind: 'silence', fault: name };
  }
}

function retryAfter({
  retryAfterSeconds,
}: {
  readonly retryAfterSeconds?: number;
}): OutgoingHttpHeaders {
  return retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) };
}
