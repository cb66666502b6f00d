/** Seconds. The first retry comes soon, because most faults are short. */
const FIRST_DELAY = 5;
/**
 * Half an hour. A late retry waits at least half of it. Ten days of such retries, the longest retry
 * window, stay below the 1000 receives after which SQS moves the message to the dead letters.
 */
const LONGEST_DELAY = 1800;
/** Seconds. A service that asks for a longer delay is tried again after an hour. */
const LONGEST_REQUESTED = 3600;
/**
 * After a call whose outcome is unknown the service may still be executing it: a second call for the
 * same entity could overtake the first.
 */
export const AFTER_UNKNOWN_OUTCOME = 30;

export interface RetryRequest {
  /** How often the message was received, this time included. */
  readonly attempts: number;
  /** The least time the failure asks for: Retry-After, or the time a circuit stays open. */
  readonly afterSeconds?: number | undefined;
  readonly misconfigured?: boolean | undefined;
}

/**
 * Exponential with jitter: half of the delay is fixed, half is random, so that entities which failed
 * together do not come back together. A delay that the service asks for is a lower bound.
 */
export function retryDelaySeconds(request: RetryRequest, random: () => number): number {
  const grown = request.misconfigured
    ? LONGEST_DELAY
    : Math.min(FIRST_DELAY * 2 ** Math.min(request.attempts - 1, 20), LONGEST_DELAY);
  const requested = Math.min(Math.max(request.afterSeconds || 0, 0), LONGEST_REQUESTED);
  const spread = grown / 2;
  return Math.ceil(Math.max(spread, requested) + random() * spread);
}

/** The age of the event ends its retries: an outage of a day must cost no dead letter. */
export function isRetryWindowOver(
  event: { readonly receivedAt: string; readonly replays?: readonly { readonly at: string }[] },
  windowDays: number,
  now: Date,
): boolean {
  const start = event.replays?.at(-1)?.at ?? event.receivedAt;
  return now.getTime() - Date.parse(start) > windowDays * 86_400_000;
}
