import { readCustomer } from '../../../shared/core/balances/point-balance.ts';
import { createCircuitBreaker } from '../../../shared/core/calls/call-loyalty.ts';
import { type KnownBalance, viewOfBalance } from '../../../shared/core/storefront/read-view.ts';
import { unavailable } from '../../../shared/shopify/admin/client/admin-answer.ts';
import { customerBalanceDocument } from '../../../shared/shopify/admin/documents.gen.ts';
import type { BalanceField } from '../../../shared/shopify/admin/storefront/balance-definitions.ts';
import type { ShopServices } from '../deployment/services.ts';
import type { OpenRedemptions } from './redemptions.ts';

/** What one side says of a customer's balance. */
export type BalanceSide =
  | ({ readonly kind: 'known' } & Balance)
  /** It has none for this customer. */
  | { readonly kind: 'absent' }
  | { readonly kind: 'unknown'; readonly why: string };

type Balance = Pick<KnownBalance, 'points' | 'cashback' | 'tier' | 'expiring'>;

export interface BalanceSides {
  readonly store: BalanceSide;
  readonly ledger: BalanceSide;
  readonly service: BalanceSide;
}

export interface BalanceRow {
  readonly field: 'points' | 'cashback' | 'tier' | 'expiring';
  /** Null: none, or not known; the side says which. */
  readonly store: string | number | null;
  readonly ledger: string | number | null;
  readonly service: string | number | null;
  /** Two sides that are known say different things. */
  readonly differs: boolean;
}

/** The balance of one customer as the three sides have it. Changes nothing. */
export async function readBalances(
  customerId: string,
  known: KnownBalance,
  { deployment, shop, now }: OpenRedemptions,
  services: ShopServices,
): Promise<BalanceSides> {
  const { storefront } = deployment.connector;
  const [store, service] = await Promise.all([
    storefront
      ? askStore(customerId, storefront.metafieldNamespace, services.ask(shop))
      : ({ kind: 'absent' } as const),
    askService(customerId, shop.domain, services.loyalty(shop), now),
  ]);
  return { store, service, ledger: known.asOf === null ? { kind: 'absent' } : side(known) };
}

const side = ({ points, cashback, tier, expiring }: Balance): BalanceSide => ({
  ...{ kind: 'known', points, cashback, tier, expiring },
});

async function askService(
  id: string,
  shop: string,
  loyalty: ReturnType<ShopServices['loyalty']>,
  now: () => Date,
): Promise<BalanceSide> {
  const source = { loyalty, breaker: createCircuitBreaker() };
  const deadline = new AbortController().signal;
  const read = await readCustomer(
    { shop, id },
    { shops: new Map([[shop, source]]), now, deadline },
  );
  if (read.kind === 'retry') return { kind: 'unknown', why: read.retry.why };
  if (!read.balance) return { kind: 'absent' };
  return side({ ...viewOfBalance(read.balance), tier: read.tier ?? null });
}

async function askStore(
  customerId: string,
  namespace: string,
  ask: ReturnType<ShopServices['ask']>,
): Promise<BalanceSide> {
  const id = `gid://shopify/Customer/${customerId}`;
  const answer = await ask(customerBalanceDocument, { id, namespace });
  if (answer.kind !== 'data') return { kind: 'unknown', why: unavailable(answer).why };
  const values = new Map(
    answer.data.customer?.metafields.nodes.map(({ key, value }) => [key, value]),
  );
  const of = (field: BalanceField) => values.get(field);
  const [points, expiring, at] = [of('points'), of('expiring_points'), of('expires_at')];
  if (points === undefined) return { kind: 'absent' };
  return side({
    points: Number(points),
    cashback: Number(of('cashback') ?? 0),
    tier: of('tier') ?? null,
    expiring: expiring && at ? { points: Number(expiring), at } : null,
  });
}

/** The sides beside each other, with the differences marked. */
export function rowsOf(sides: BalanceSides): readonly BalanceRow[] {
  return (['points', 'cashback', 'tier', 'expiring'] as const).map((field) => {
    const of = (one: BalanceSide) => (one.kind === 'known' ? textIn(one, field) : null);
    const { store, ledger, service } = sides;
    const known = [store, ledger, service].filter(({ kind }) => kind === 'known');
    const differs = new Set(known.map(of)).size > 1;
    return { field, store: of(store), ledger: of(ledger), service: of(service), differs };
  });
}

function textIn(balance: Balance, field: BalanceRow['field']): string | number | null {
  if (field !== 'expiring') return balance[field];
  const { expiring } = balance;
  return expiring && `${expiring.points} on ${expiring.at.slice(0, 10)}`;
}
