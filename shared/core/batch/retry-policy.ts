/** Seconds. The first retry comes soon, because most faults are short. */
const FIRST_DELAY = 5;
/**
 * Half an hour. A late retry waits at least half of it. Ten days of such retries, the longest retry
 * window, stay below the 1000 receives after which SQS moves the message to the dead letters.
 */
const LONGEST_DELAY = 1800;
/**
 * Seconds: the longest pause that a service which answers asks for by itself. Its account takes fewer calls than
 * wait, and a message that only waits for its turn must not wait as if it had failed.
 */
const LONGEST_IN_LINE = 120;
/** After these it waits as long as any other, so that SQS does not count to its limit. */
const RECEIVES_IN_LINE = 30;
/** Seconds. A service that asks for a longer delay is tried again after an hour. */
const LONGEST_REQUESTED = 3600;
/**
 * After a call whose outcome is unknown the service may still be executing it: a second call for the
 * same entity could overtake the first.
 */
export const AFTER_UNKNOWN_OUTCOME = 30;

/** Seconds. An operator's pause has no end that is known: so much later its messages notice the end. */
const LONGEST_PAUSED = 3600;

export interface RetryRequest {
  /** How often the message was received, this time included. */
  readonly attempts: number;
  /** The least time the failure asks for: Retry-After, or the time a circuit stays open. */
  readonly afterSeconds?: number | undefined;
  readonly misconfigured?: boolean | undefined;
  readonly throttled?: boolean | undefined;
  readonly inLine?: boolean | undefined;
  readonly pausedBy?: 'service' | 'operator' | undefined;
  /** Seconds since an operator resumed the shop: the receives before that were no attempts. */
  readonly sinceResumed?: number | undefined;
}

/**
 * Exponential with jitter: half of the delay is fixed, half is random, so that entities which failed
 * together do not come back together. A delay that the service asks for is a lower bound. What waited
 * for the end of a pause returns spread over half of its length.
 */
export function retryDelaySeconds(request: RetryRequest, random: () => number): number {
  const { attempts, pausedBy, sinceResumed = Number.POSITIVE_INFINITY } = request;
  const inLine = (request.throttled || request.inLine) && attempts <= RECEIVES_IN_LINE;
  const unanswered = pausedBy === 'operator' ? LONGEST_PAUSED : LONGEST_DELAY;
  const longest = inLine ? LONGEST_IN_LINE : unanswered;
  const grown = request.misconfigured
    ? LONGEST_DELAY
    : Math.min(
        FIRST_DELAY * 2 ** Math.min(attempts - 1, 20),
        longest,
        // The first failures after a pause are retried soon, however often it was received before.
        pausedBy ? longest : FIRST_DELAY + sinceResumed,
      );
  const requested = Math.min(Math.max(request.afterSeconds || 0, 0), LONGEST_REQUESTED);
  const least = Math.max(grown / 2, requested);
  return Math.ceil(least + random() * (pausedBy ? Math.max(grown, requested) / 2 : grown / 2));
}

export interface PausedTime {
  /** For how long operators paused the shop since then; infinite while that is not known. */
  pausedMs(shop: string, from: number, now: Date): number;
}

/** When its message was put on the queue, or put there again: epoch milliseconds. */
export function queuedAt(event: {
  readonly receivedAt: string;
  readonly replays?: readonly { readonly at: string }[];
}): number {
  return Date.parse(event.replays?.at(-1)?.at ?? event.receivedAt);
}

/**
 * The age of the event ends its retries: an outage of a day must cost no dead letter. The time in which
 * an operator paused its shop does not count.
 */
export function isRetryWindowOver(
  event: Parameters<typeof queuedAt>[0] & { readonly shop?: string },
  windowDays: number,
  now: Date,
  pauses: PausedTime,
): boolean {
  const start = queuedAt(event);
  const paused = event.shop === undefined ? 0 : pauses.pausedMs(event.shop, start, now);
  return now.getTime() - start - paused > windowDays * 86_400_000;
}
