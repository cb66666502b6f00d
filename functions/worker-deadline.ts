import type { Context } from 'aws-lambda';

/** What is left of the function's time when work stops: enough to delay what is unfinished. */
export const RESERVE_MS = 10_000;

export function workerDeadline(context: Pick<Context, 'getRemainingTimeInMillis'>): AbortSignal {
  const leftMs = Math.floor(context.getRemainingTimeInMillis()) - RESERVE_MS;
  return AbortSignal.timeout(Math.max(leftMs, 1));
}
