import type { RetryReason } from './outcome.ts';

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
/** Seconds. An operator's pause has no end that is known: so much later its messages notice the end. */
const LONGEST_PAUSED = 3600;

const HELD_BACK: ReadonlySet<RetryReason['why']> = new Set([
  ...(['loyalty-unavailable', 'shop-paused', 'call-under-way'] as const),
  ...(['out-of-tokens', 'tokens-unreachable'] as const),
]);

/** Nothing was tried: the connector itself makes the message wait, so it counts as no failed try. */
export const isHeldBack = ({ why }: RetryReason): boolean => HELD_BACK.has(why);

export interface RetryRequest extends RetryReason {
  /** How often the message was received, this time included. */
  readonly receives: number;
  /** How often it failed. What the connector held back itself is no try. */
  readonly tries: number;
}

/**
 * Exponential with jitter: half of the delay is fixed, half is random, so that entities which failed
 * together do not come back together. A delay that the service asks for is a lower bound. What was held
 * back returns spread over half of the time that it was held back for.
 */
export function retryDelaySeconds(request: RetryRequest, random: () => number): number {
  const grown = grownDelay(request);
  const requested = Math.min(Math.max(request.afterSeconds || 0, 0), LONGEST_REQUESTED);
  const least = Math.max(grown / 2, requested);
  const spread = isHeldBack(request) ? Math.max(grown, requested) : grown;
  return Math.ceil(least + (random() * spread) / 2);
}

function grownDelay(request: RetryRequest): number {
  const { why, receives, tries, misconfigured, throttled, pausedBy } = request;
  const longest = receives <= RECEIVES_IN_LINE ? LONGEST_IN_LINE : LONGEST_DELAY;
  if (misconfigured) return LONGEST_DELAY;
  if (pausedBy === 'operator') return doubled(receives, LONGEST_PAUSED);
  switch (why) {
    case 'call-under-way':
      return FIRST_DELAY;
    case 'loyalty-unavailable':
      // The circuit breaker doubles its own time.
      return receives <= RECEIVES_IN_LINE ? FIRST_DELAY : LONGEST_DELAY;
    case 'shop-paused':
    case 'out-of-tokens':
    case 'tokens-unreachable':
      return doubled(receives, longest);
    default:
      return doubled(tries, throttled ? longest : LONGEST_DELAY);
  }
}

const doubled = (times: number, longest: number): number =>
  Math.min(FIRST_DELAY * 2 ** Math.min(times - 1, 20), longest);

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
