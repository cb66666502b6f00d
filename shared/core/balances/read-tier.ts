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

export interface TierWorld {
  /** By domain. */
  readonly shops: ReadonlyMap<string, TierSource>;
  readonly now: () => Date;
  readonly deadline: AbortSignal;
}

/** The name of the customer's tier: no event carries it. */
export async function readTier(
  { shop, id }: { readonly shop: string; readonly id: string },
  { shops, now, deadline }: TierWorld,
): Promise<ReadTier> {
  const source = shops.get(shop);
  if (!source) throw new Error('a balance of an unknown shop was not parked');
  const { loyalty, breaker } = source;
  const called = await callLoyalty(
    'getCustomer',
    () => loyalty.getCustomer(id, { signal: deadline }),
    { breaker, now },
  );
  if (called.kind === 'stay-away') {
    const { afterSeconds } = called;
    return { kind: 'retry', retry: { why: 'loyalty-unavailable', afterSeconds } };
  }
  const { outcome, result } = called;
  if (outcome.kind === 'retry') return { kind: 'retry', retry: outcome };
  // The service may send events of a customer whom it does not let us read: the balance is still
  // written.
  if (result.kind !== 'success' && result.kind !== 'warning') {
    return { kind: 'read', tier: undefined };
  }
  const { CurrentTier } = result.value;
  return { kind: 'read', tier: CurrentTier === undefined ? undefined : nameOf(CurrentTier) };
}

/** The store refuses a blank text; its limit is longer than any name. */
function nameOf(tier: { readonly Name?: unknown } | null): string | null | undefined {
  const name = tier?.Name ?? '';
  // The client checks the containers of an answer, not every field in them.
  return typeof name === 'string' ? name.replace(/\s+/g, ' ').trim() || null : undefined;
}
