import type { LoyaltyClient } from '../../loyalty/client.ts';
import type { RetryReason } from '../batch/outcome.ts';
import { callLoyalty } from '../sync/call-loyalty.ts';
import type { CircuitBreaker } from '../sync/circuit-breaker.ts';

export type ReadTier =
  /** Null: the customer has none. Undefined: the service does not say for this customer. */
  | { readonly kind: 'read'; readonly tier: string | null | undefined }
  | { readonly kind: 'retry'; readonly retry: RetryReason };

export interface TierSource {
  readonly loyalty: Pick<LoyaltyClient, 'getCustomer'>;
  readonly breaker: CircuitBreaker;
}

/** The name of the customer's tier: no event carries it. */
export async function readTier(
  customerId: string,
  { loyalty, breaker }: TierSource,
  { now, deadline }: { readonly now: () => Date; readonly deadline: AbortSignal },
): Promise<ReadTier> {
  const called = await callLoyalty(
    'getCustomer',
    () => loyalty.getCustomer(customerId, { signal: deadline }),
    { breaker, now },
  );
  if (called.kind === 'stay-away') {
    const { afterSeconds } = called;
    return { kind: 'retry', retry: { why: 'loyalty-unavailable', afterSeconds } };
  }
  const { outcome, result } = called;
  if (outcome.kind === 'retry') return { kind: 'retry', retry: outcome };
  // A customer whom the service sends events of but does not let us read still has a balance.
  if (result.kind !== 'success' && result.kind !== 'warning') {
    return { kind: 'read', tier: undefined };
  }
  const { CurrentTier } = result.value;
  return { kind: 'read', tier: CurrentTier === undefined ? undefined : nameOf(CurrentTier) };
}

/** The store refuses a blank text, and cuts none: single_line_text_field holds more than any name. */
function nameOf(tier: { readonly Name?: unknown } | null): string | null | undefined {
  const name = tier?.Name ?? '';
  // The client checks the containers of an answer, not every field in them.
  return typeof name === 'string' ? name.replace(/\s+/g, ' ').trim() || null : undefined;
}
