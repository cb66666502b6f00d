import type { LoyaltyErrorName } from '../../loyalty/error-codes.ts';
import type { FindingName, OperationId } from '../../loyalty/operations.ts';
import type { TransportFailureReason } from '../../loyalty/result.ts';

/** Why nothing is sent although the event was read and mapped. */
export type SkipReason =
  | MappingSkip
  /** The store did not change it since it was sent: only the rules did. */
  | 'rules-changed'
  | 'automatic-discount'
  /** The same bytes are a dead letter already. */
  | 'parked-before'
  /** The store has not merged the two customers, or not yet. */
  | 'merge-not-completed'
  /** The store does not show it, and announced no deletion. */
  | 'not-in-store'
  /** A dispute of a payment that belongs to no order. */
  | 'no-order'
  /** Of a balance: its customer was merged into another, who has a balance of their own. */
  | 'customer-merged'
  | 'unknown-customer'
  /** The loyalty service names no balance of the customer. */
  | 'no-balance'
  /** The shop is only observed: what would have been sent is recorded as a plan. */
  | 'observing'
  /** Another integration sent the order, with an amount of its own, and the store has not changed it since. */
  | 'held-elsewhere';

/** Why work is tried again: a name to count and filter by, and a value of the metrics' `why`. */
type RetryWhy =
  | 'ledger-unavailable'
  | 'dead-letter-queue-unavailable'
  /** A newer release wrote the message, or what the ledger holds. */
  | 'newer-release'
  | 'out-of-time'
  /** Broken infrastructure, or a bug. */
  | 'broke-off'
  /** Another worker wrote the same entry. */
  | 'overtaken'
  /** The circuit breaker is open. */
  | 'loyalty-unavailable'
  | 'shop-paused'
  /** The shop holds its share of the workers. */
  | 'shop-busy'
  /** An earlier call for it may still be executed. */
  | 'call-under-way'
  | LoyaltyErrorName
  | FindingName
  | 'unnamed-error'
  | TransportFailureReason
  /** Of a point event: by e-mail or document. */
  | 'customer-not-found'
  | 'redemption-in-progress'
  /** The service did not know its key; it is looked up once more. */
  | 'redemption-absent'
  /** The store refuses its code; it is cancelled when no call can be under way any more. */
  | 'redemption-to-cancel'
  /** A redaction waits for it. */
  | 'redemption-open'
  | `store-${string}`;

export interface RetryReason {
  readonly why: RetryWhy;
  /** The store did not answer: nothing was tried. */
  readonly unanswered?: boolean;
  /** The least time to wait; the retry policy may wait longer. */
  readonly afterSeconds?: number;
  /** Only a person can fix it: wait long, and raise the alarm. */
  readonly misconfigured?: boolean;
  /** The loyalty service asked for fewer calls. */
  readonly throttled?: boolean;
  /** Nothing was tried: the shop's calls are paused. */
  readonly pausedBy?: 'service' | 'operator';
  /** A call without an answer may still be executed: no person can end this part of the wait. */
  readonly mayHaveHappened?: boolean;
}

export interface Rejection {
  readonly reason: ParkingReason['reason'];
  /** One plain sentence without personal data. */
  readonly why: string;
  /** The service's error name, or what a person must put right by hand. */
  readonly code?: string;
}

/**
 * Why a state was sent that the ledger had as applied: what became of a later call was not known, a person or the deep
 * scan asked for it, or the loyalty service was read and lacks it. `same`: for no reason, which is a mistake.
 */
export type AppliedAgain = 'uncertain' | 'forced' | 'read' | 'same';

/**
 * How the work on one event ended.
 * See docs/decisions/0007-wrong-content-is-parked-circumstances-are-retried.md.
 */
export type Outcome =
  | {
      readonly kind: 'applied';
      readonly calls: readonly OperationId[];
      /** Of an order, for its log line: the beginning of the idempotency key that was applied. */
      readonly state?: string;
      /** The ledger had that state as applied before. */
      readonly again?: AppliedAgain;
    }
  | { readonly kind: 'unchanged' }
  | { readonly kind: 'superseded' }
  | { readonly kind: 'skipped'; readonly why: SkipReason }
  /** A task or a step of a redemption is done: fanned out, redacted, noted, code made. */
  | { readonly kind: 'handled'; readonly how: string }
  | ({ readonly kind: 'retry' } & RetryReason)
  | ({ readonly kind: 'rejected' } & Rejection);

export const unreadable = (why: string): Extract<Outcome, { kind: 'rejected' }> => ({
  ...{ kind: 'rejected', reason: 'unreadable', why },
});

/**
 * After a call whose outcome is unknown the service may still be executing it: a second call for the
 * same entity could overtake the first.
 */
export const AFTER_UNKNOWN_OUTCOME_SECONDS = 30;

/** Another worker wrote while this one worked; a call of either may still be under way. */
export const overtaken: Extract<Outcome, { kind: 'retry' }> = {
  kind: 'retry',
  why: 'overtaken',
  afterSeconds: AFTER_UNKNOWN_OUTCOME_SECONDS,
  mayHaveHappened: true,
};

export type MappingSkip =
  | 'guest'
  /** Nor with a document: the service could not tell who it is. */
  | 'customer-without-email'
  | 'test-order'
  /** The store lists orders of several currencies, and the program counts another. */
  | 'other-currency'
  /** It is not completed yet, and earns nothing. */
  | 'pending'
  /** Placed before the program went live, and not in the ledger: only a backfill sends it. */
  | 'before-go-live'
  /** Nothing of it is kept, and its money was not refunded: what replaces it is not there yet. */
  | 'exchange'
  /** Its customer was redacted, and a live order needs one. */
  | 'redacted'
  /** It is gone, and the service never knew it. */
  | 'never-sent'
  /** The connector made the code itself, for a redeemed reward. */
  | 'reward-coupon'
  /** The settings send customers as part of their orders only. */
  | 'customers-with-orders'
  | 'coupon-kind-not-mirrored'
  | 'coupon-for-everyone'
  /** The store gives it to a share of all buyers, and does not say to whom. */
  | 'coupon-for-some-buyers';

/**
 * Why a message is a dead letter. `newer-release`: it, or what the ledger holds, was written by a newer
 * release, which was not deployed within the retry window. `made-room`: its shop was paused or misconfigured, and so
 * many messages waited that other shops would have got none. `would-expire`: it waited for its turn or for the end of a
 * pause until SQS would have deleted it. `crashed`: SQS moved it, because every worker
 * died on it. `unknown`: a newer release wrote a reason that this one does not know.
 */
export const DEAD_LETTER_REASONS = [
  'unreadable',
  'unmappable',
  'rejected',
  'retry-window-over',
  'newer-release',
  'made-room',
  'would-expire',
  'crashed',
  'unknown',
] as const;
export type DeadLetterReason = (typeof DEAD_LETTER_REASONS)[number];

/** Why a worker gave a message up, in fields that a person can filter by. */
export interface ParkingReason {
  readonly reason: Exclude<DeadLetterReason, 'crashed' | 'unknown'>;
  /** One plain sentence without personal data. */
  readonly why: string;
  readonly code?: string;
  readonly attempts: number;
  /** ISO 8601. */
  readonly at: string;
}

/** The first retry comes soon, because most faults are short. */
const FIRST_DELAY_SECONDS = 5;
/**
 * Half an hour. A late retry waits at least half of it. Ten days of such retries, the longest retry
 * window, stay below the 1000 receives after which SQS moves the message to the dead letters.
 */
const LONGEST_DELAY_SECONDS = 1800;
/**
 * While the service answers, and only takes fewer calls than wait: a message that waits for its turn must not wait
 * as if it had failed.
 */
const LONGEST_TURN_SECONDS = 120;
/** After so many it waits as long as other messages, so that SQS does not count to its limit. */
const RECEIVES_BY_TURN = 30;
/** A service that asks for a longer delay is tried again after an hour. */
const LONGEST_REQUESTED_SECONDS = 3600;
/** Where an operator's pause has no end: its messages notice the end within this time. */
const LONGEST_PAUSED_SECONDS = 3600;

const HELD_BACK: ReadonlySet<RetryReason['why']> = new Set([
  ...(['loyalty-unavailable', 'shop-paused', 'call-under-way'] as const),
  ...(['out-of-tokens', 'tokens-unreachable', 'shop-busy'] as const),
]);

/** Steps of a redemption that have their time: nothing failed, and nothing can be earlier. */
const PLANNED: ReadonlySet<RetryReason['why']> = new Set([
  'redemption-in-progress',
  'redemption-absent',
  'redemption-to-cancel',
]);

export const isPlanned = ({ why }: RetryReason): boolean => PLANNED.has(why);

/** Nothing was tried: the connector itself makes the message wait, so it counts as no failed try. */
export const isHeldBack = ({ why }: RetryReason): boolean => HELD_BACK.has(why) || PLANNED.has(why);

/** All is well, and there is more to do than the rate limit or the shop's share of the workers allows. */
export const waitsForTurn = ({ why }: RetryReason): boolean =>
  why === 'out-of-tokens' || why === 'shop-busy';

export interface RetryRequest extends RetryReason {
  /** How often the message was received, this time included. */
  readonly receives: number;
  /** How often it failed. What the connector held back itself does not count. */
  readonly tries: number;
}

/**
 * Exponential with jitter: half of the delay is fixed, half is random, so that entities which failed
 * together do not come back together. A delay that the service asks for is a lower bound. What was held
 * back returns spread over half of the time that it was held back for. A planned step comes at its time.
 */
export function retryDelaySeconds(request: RetryRequest, random: () => number): number {
  const grown = grownDelay(request);
  const requested = Math.min(Math.max(request.afterSeconds || 0, 0), LONGEST_REQUESTED_SECONDS);
  if (isPlanned(request)) return Math.ceil(Math.max(requested, 1));
  const least = Math.max(grown / 2, requested);
  const spread = isHeldBack(request) ? Math.max(grown, requested) : grown;
  return Math.ceil(least + (random() * spread) / 2);
}

function grownDelay(request: RetryRequest): number {
  const { why, receives, tries, misconfigured, throttled, pausedBy, afterSeconds } = request;
  const longest = receives <= RECEIVES_BY_TURN ? LONGEST_TURN_SECONDS : LONGEST_DELAY_SECONDS;
  if (misconfigured) return LONGEST_DELAY_SECONDS;
  if (pausedBy === 'operator' && !afterSeconds) return doubled(receives, LONGEST_PAUSED_SECONDS);
  switch (why) {
    case 'call-under-way':
      return FIRST_DELAY_SECONDS;
    case 'loyalty-unavailable':
      // The circuit breaker doubles its own time.
      return receives <= RECEIVES_BY_TURN ? FIRST_DELAY_SECONDS : LONGEST_DELAY_SECONDS;
    case 'shop-busy':
      // Each look at a long backlog takes workers from the others, too.
      return Math.min(FIRST_DELAY_SECONDS * 4 ** Math.min(receives - 1, 10), longest);
    case 'shop-paused':
    case 'out-of-tokens':
    case 'tokens-unreachable':
      return doubled(receives, longest);
    case 'store-says-gone':
      // It is given up after minutes, at the first answer that comes then.
      return doubled(tries, longest);
    default:
      return doubled(tries, throttled ? longest : LONGEST_DELAY_SECONDS);
  }
}

const doubled = (times: number, longest: number): number =>
  Math.min(FIRST_DELAY_SECONDS * 2 ** Math.min(times - 1, 20), longest);

export interface RetryWindows {
  /** From when that of a message counts which was put on its queue then: from now, while that is not known. */
  windowFrom(shop: string, queuedAt: number, now: Date): number;
}

/** When its message was put on the queue, or put there again: epoch milliseconds. */
export function queuedAt(event: {
  readonly receivedAt: string;
  readonly replays?: readonly { readonly at: string }[];
}): number {
  return Date.parse(event.replays?.at(-1)?.at ?? event.receivedAt);
}

/**
 * The age of the event ends its retries: an outage of a day must cost no dead letter. After a pause by an operator it
 * counts anew.
 */
export function isRetryWindowOver(
  event: Parameters<typeof queuedAt>[0] & { readonly shop?: string },
  windowDays: number,
  now: Date,
  pauses: RetryWindows,
): boolean {
  const start = queuedAt(event);
  const from = event.shop === undefined ? start : pauses.windowFrom(event.shop, start, now);
  return now.getTime() - from > windowDays * 86_400_000;
}
