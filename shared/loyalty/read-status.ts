import type { TransportFailure, TransportFailureReason } from './result.ts';
import { transportFailure } from './result.ts';
import { readRetryAfter } from './retry-after.ts';
import type { TransportAnswer } from './transport.ts';

/** The failure that a status alone means; undefined for 2xx, where the body has the word. */
export function readStatus(
  { status, headers }: TransportAnswer,
  now: Date,
): TransportFailure | undefined {
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
  if ([401, 403, 407].includes(status)) return 'misconfigured';
  if (status >= 300 && status <= 399) return 'misconfigured';
  return status >= 400 && status <= 499 ? 'refused' : 'not-the-contract';
}
