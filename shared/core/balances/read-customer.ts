import type { LoyaltyClient } from '../../loyalty/client.ts';
import type { Value } from '../../loyalty/operations.ts';
import { type AskLater, ask, type CircuitBreaker } from '../calls/call-loyalty.ts';
import { type Balance, decimalText, expiringNext } from './point-balance.ts';

type SaidPoints = Partial<Value<'getCustomerPoints'>>;
type ReadBalance = Required<Omit<Balance, 'tier'>>;

export interface ReadCustomer {
  readonly kind: 'read';
  /** Epoch milliseconds by our clock, before the request: the answer includes all changes until then. */
  readonly began: number;
  /** Undefined where the service names none for this customer. */
  readonly balance: ReadBalance | undefined;
  /** Null where the customer has none; undefined where the service does not say. */
  readonly tier: string | null | undefined;
}

export interface CustomerSource {
  readonly loyalty: Pick<LoyaltyClient, 'getCustomer' | 'getCustomerPoints'>;
  readonly breaker: CircuitBreaker;
}

export interface ReadCustomerDeps {
  /** By domain. */
  readonly shops: ReadonlyMap<string, CustomerSource>;
  readonly now: () => Date;
  readonly deadline: AbortSignal;
}

/** What no event carries: the tier and the points that expire; and the balance, where no event named it. */
export async function readCustomer(
  { shop, id }: { readonly shop: string; readonly id: string },
  { shops, now, deadline }: ReadCustomerDeps,
): Promise<ReadCustomer | AskLater> {
  const source = shops.get(shop);
  if (!source) throw new Error(`a balance of an unknown shop was not parked: ${shop}`);
  const { loyalty } = source;
  const began = now().getTime();
  const deps = { ...source, now };
  const options = { signal: deadline };
  const [customer, points] = await Promise.all([
    ask('getCustomer', () => loyalty.getCustomer(id, options), deps),
    ask('getCustomerPoints', () => loyalty.getCustomerPoints(id, options), deps),
  ]);
  if (customer.kind === 'retry') return customer;
  if (points.kind === 'retry') return points;
  const tier = customer.value?.CurrentTier;
  return {
    kind: 'read',
    began,
    balance: points.value && balanceIn(points.value, began),
    tier: tier === undefined ? undefined : nameOf(tier),
  };
}

/** Undefined for numbers that the store could not hold. */
export function balanceIn(
  said: Pick<SaidPoints, 'PointsBalance' | 'CashbackBalance' | 'PointsToExpire'>,
  now: number,
): ReadBalance | undefined {
  const points = decimalText(said.PointsBalance ?? Number.NaN);
  const cashback = decimalText(said.CashbackBalance ?? 0);
  if (points === undefined || cashback === undefined) return undefined;
  return { points, cashback, expiring: expiringNext(said.PointsToExpire, now) };
}

/** The store refuses a blank text; its limit is longer than any name. */
function nameOf(tier: { readonly Name?: unknown } | null): string | null | undefined {
  const name = tier?.Name ?? '';
  // The client checks the containers of an answer, not every field in them.
  return typeof name === 'string' ? name.replace(/\s+/g, ' ').trim() || null : undefined;
}
