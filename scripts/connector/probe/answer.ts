import type { LoyaltyResult } from '../../../shared/loyalty/result.ts';

export type Verdict =
  | 'accepted'
  | 'refused'
  /** The answer reports no error, and does not say that it is done: cancellations show late. */
  | 'not-yet'
  /** Proves nothing. */
  | 'unclear';

export type Result = LoyaltyResult<unknown>;

export function verdictOf(result: Result): Verdict {
  switch (result.kind) {
    case 'success':
    case 'warning':
      return 'accepted';
    case 'business-error':
      if (result.finding === 'not-cancelled' || result.finding === 'not-completed')
        return 'not-yet';
      return result.class === 'rejected' || result.class === 'done' ? 'refused' : 'unclear';
    case 'transport-failure':
      return result.class === 'rejected' ? 'refused' : 'unclear';
  }
}

/** Without the service's own sentences: they may repeat what was sent. */
export function answerText(result: Result): string {
  switch (result.kind) {
    case 'success':
      return 'accepted';
    case 'warning':
      return `accepted, with the warning ${result.code ?? 'without a code'}`;
    case 'business-error': {
      if (result.finding !== undefined) return `no error, but ${result.finding}`;
      const number = result.code ?? 'without a number';
      return `error ${[number, result.name ?? result.codeName].filter(Boolean).join(' ')}`;
    }
    case 'transport-failure':
      return result.status === undefined
        ? `no usable answer (${result.reason})`
        : `HTTP ${result.status}`;
  }
}

export function hasCode(result: Result, code: number): boolean {
  return result.kind === 'business-error' && result.code === code;
}

/** Undefined when the call failed. */
export function readValue<Value>(result: LoyaltyResult<Value>): Value | undefined {
  return result.kind === 'success' || result.kind === 'warning' ? result.value : undefined;
}

export const UNCLEAR = 'Not known: the service gave no answer that proves anything. Try again.';
