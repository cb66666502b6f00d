import type { RetryReason } from './outcome.ts';
import { AFTER_UNKNOWN_OUTCOME } from './retry-policy.ts';

/** The abandoned work may still be calling: what it leaves behind waits as after any time-out. */
export function outOfTime(deadline: AbortSignal): Promise<RetryReason> {
  const retry: RetryReason = { why: 'out-of-time', afterSeconds: AFTER_UNKNOWN_OUTCOME };
  return new Promise((resolve) => {
    if (deadline.aborted) resolve(retry);
    else deadline.addEventListener('abort', () => resolve(retry), { once: true });
  });
}
