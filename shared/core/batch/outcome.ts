import type { LoyaltyErrorName } from '../../loyalty/error-codes.ts';
import type { FindingName, OperationId } from '../../loyalty/operations.ts';
import type { TransportFailureReason } from '../../loyalty/result.ts';
import type { DeadLetterReason } from '../events/dead-letter.ts';
import type { MappingSkip } from '../mapping/wanted-state.ts';

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
  /** A dispute of a payment that belongs to no order. */
  | 'no-order'
  /** Of a balance: its customer was merged into another, who has a balance of their own. */
  | 'customer-merged'
  /** The store does not know the customer. */
  | 'unknown-customer'
  /** The loyalty service names no balance of the customer. */
  | 'no-balance';

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
  readonly reason: DeadLetterReason['reason'];
  /** One plain sentence without personal data. */
  readonly why: string;
  readonly code?: LoyaltyErrorName;
}

/**
 * How the work on one event ended.
 * See docs/decisions/0007-what-a-rejection-does.md.
 */
export type Outcome =
  | { readonly kind: 'applied'; readonly calls: readonly OperationId[] }
  | { readonly kind: 'unchanged' }
  | { readonly kind: 'superseded' }
  | { readonly kind: 'skipped'; readonly why: SkipReason }
  /** A task or a step of a redemption is done: fanned out, redacted, noted, code made. */
  | { readonly kind: 'handled'; readonly how: string }
  | ({ readonly kind: 'retry' } & RetryReason)
  | ({ readonly kind: 'rejected' } & Rejection);

/**
 * Seconds. After a call whose outcome is unknown the service may still be executing it: a second call for the
 * same entity could overtake the first.
 */
export const AFTER_UNKNOWN_OUTCOME = 30;

/** Another worker wrote while this one worked; a call of either may still be under way. */
export const overtaken: Extract<Outcome, { kind: 'retry' }> = {
  kind: 'retry',
  why: 'overtaken',
  afterSeconds: AFTER_UNKNOWN_OUTCOME,
  mayHaveHappened: true,
};

/** What becomes of the message. */
export type Verdict =
  | { readonly kind: 'acknowledge' }
  | { readonly kind: 'delay'; readonly retry: RetryReason }
  | { readonly kind: 'park'; readonly rejection: Rejection };

/** The only place that decides what an outcome means for the message. */
export function verdictOn(outcome: Outcome): Verdict {
  switch (outcome.kind) {
    case 'applied':
    case 'unchanged':
    case 'superseded':
    case 'skipped':
    case 'handled':
      return { kind: 'acknowledge' };
    case 'retry':
      return { kind: 'delay', retry: outcome };
    case 'rejected':
      return { kind: 'park', rejection: outcome };
  }
}
