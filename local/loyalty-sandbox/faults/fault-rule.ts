import type { ErrorNumber } from '../../../shared/loyalty/error-codes.ts';
import type { OperationId } from '../../../shared/loyalty/operations.ts';

/**
 * What can go wrong, and whether the call is carried out all the same:
 *
 *   latency         yes, but only after the delay, even if the client has given up by then
 *   http-429/500/503, code-103, business-error   no
 *   reset-before    no: the connection is reset
 *   reset-after     yes: the connection is reset instead of an answer
 *   truncated       yes: half of the answer, then the end of the connection
 *   empty           yes: 200 without a body
 *   not-json        no: an HTML page, as of a gateway
 *   hang            no: no answer until the client leaves or the sandbox stops
 *   outage          no: every call, even with wrong credentials, is reset until the rule is removed
 */
export type FaultKind =
  | { readonly kind: 'latency'; readonly ms: number }
  | { readonly kind: 'http-429' | 'http-503'; readonly retryAfterSeconds?: number }
  | { readonly kind: 'business-error'; readonly code: ErrorNumber }
  | { readonly kind: 'not-json'; readonly status?: 200 | 502 }
  | {
      readonly kind:
        | 'http-500'
        | 'code-103'
        | 'reset-before'
        | 'reset-after'
        | 'truncated'
        | 'empty'
        | 'hang'
        | 'outage';
    };

/** Which calls a fault meets. Without count and probability: every one, until it is removed. */
interface FaultScope {
  /** One operation, or `*` (default) for all. */
  readonly operation?: OperationId | '*';
  /** That many of the first calls left alone. */
  readonly after?: number;
  /** Only so many calls. */
  readonly count?: number;
  /** From 0 to 1, drawn anew for each call. */
  readonly probability?: number;
}

export type FaultRule = FaultKind & FaultScope;

/** A rule in force. */
export type ActiveFault = FaultRule & {
  readonly id: number;
  /** Calls of its operation that came to this rule, met or not. */
  readonly seen: number;
  readonly met: number;
};
