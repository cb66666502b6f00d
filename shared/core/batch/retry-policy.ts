/** Seconds. The first retry comes soon, because most faults are short. */
const FIRST_DELAY = 5;
/**
 * Half an hour. Half of it is the least a late retry waits, and ten days (the longest retry window) of
 * such retries stay below the 1000 receives after which SQS would move the message by itself.
 */
const LONGEST_DELAY = 1800;
/** What a service may ask for at most; a larger wish is answered by asking again after an hour. */
const LONGEST_WISH = 3600;
/**
 * After a call whose outcome is unknown the service may still be executing it: a second call for the
 * same entity could overtake the first.
 */
export const AFTER_UNKNOWN_OUTCOME = 30;

export interface RetryRequest {
  /** How often the message was handed out, this time included. */
  readonly attempts: number;
  /** The least time the failure asks for: Retry-After, or the time a circuit stays open. */
  readonly afterSeconds?: number | undefined;
  readonly misconfigured?: boolean | undefined;
}

/**
 * Exponential with jitter: half of the delay is fixed, half is random, so that entities which failed
 * together do not come back together. A wish of the service is a lower bound, never shortened.
 */
export function retryDelaySeconds(request: RetryRequest, random: () => number): number {
  const grown = request.misconfigured
    ? LONGEST_DELAY
    : Math.min(FIRST_DELAY * 2 ** Math.min(request.attempts - 1, 20), LONGEST_DELAY);
  const wish = Math.min(Math.max(request.afterSeconds || 0, 0), LONGEST_WISH);
  const spread = grown / 2;
  return Math.ceil(Math.max(spread, wish) + random() * spread);
}

/** The event's age ends retrying: an outage of a day must cost no dead letter, an eternity must. */
export function isRetryWindowOver(
  event: { readonly receivedAt: string; readonly replays?: readonly { readonly at: string }[] },
  windowDays: number,
  now: Date,
): boolean {
  const start = event.replays?.at(-1)?.at ?? event.receivedAt;
  return now.getTime() - Date.parse(start) > windowDays * 86_400_000;
}
