import type { LoyaltyErrorName } from '../../loyalty/error-codes.ts';
import type { OperationId } from '../../loyalty/operations.ts';
import type { MappingSkip } from '../mapping/wanted-state.ts';

/** Why nothing was sent although everything was understood. */
export type SkipReason = MappingSkip | 'automatic-discount' | 'unknown-customer';

export interface RetryReason {
  /** A name to count and filter by, not a sentence. */
  readonly why: string;
  /** The least time to wait; the retry policy may wait longer. */
  readonly afterSeconds?: number;
  /** Nothing will pass until a person acts: wait long, and let the alarm speak. */
  readonly misconfigured?: boolean;
  /** The loyalty service asked for fewer calls. */
  readonly throttled?: boolean;
}

export interface Rejection {
  readonly reason: 'unreadable' | 'unmappable' | 'rejected' | 'retry-window-over';
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
  /** Done without any call to the loyalty service: fanned out, redacted, noted. */
  | { readonly kind: 'handled'; readonly how: string }
  | ({ readonly kind: 'retry' } & RetryReason)
  | ({ readonly kind: 'rejected' } & Rejection);

/** What becomes of the message. */
export type Verdict =
  | { readonly kind: 'acknowledge' }
  | { readonly kind: 'delay'; readonly retry: RetryReason }
  | { readonly kind: 'park'; readonly rejection: Rejection };

/** The one place that decides between keeping and letting go. */
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
