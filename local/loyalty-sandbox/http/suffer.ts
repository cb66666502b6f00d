import type { OutgoingHttpHeaders } from 'node:http';
import type { ErrorNumber } from '../../../shared/loyalty/error-codes.ts';
import type { FaultKind } from '../faults/fault-rule.ts';
import { type Reaction, refusal } from './reaction.ts';

/** The two things that can be done with a call; each is done at most once. */
export interface Choices {
  /** Carries the call out and gives the program's answer. */
  carryOut(): unknown;
  /** Gives the operation's own report of an error, without carrying the call out. */
  fail(code: ErrorNumber): unknown;
}

const tooManyRequests = 103;

/** What becomes of a call that meets a fault. Which kinds carry it out is told at FaultKind. */
export function suffer(
  fault: Exclude<FaultKind, { kind: 'latency' }>,
  { carryOut, fail }: Choices,
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
      return { kind: 'truncated', status: 200, answer: carryOut(), fault: name };
    case 'empty':
      return { kind: 'empty', answer: carryOut(), fault: name };
    case 'reset-after':
      return { kind: 'reset', answer: carryOut(), fault: name };
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
