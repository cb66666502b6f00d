import type { LoyaltyClient } from '../../loyalty/client.ts';
import { balanceIn } from '../balances/read-customer.ts';
import type { AvailableRewards } from '../redeem/available-rewards.ts';
import { type AskingWorld, askLoyalty, type Unavailable } from './ask-loyalty.ts';
import { type KnownBalance, type KnownCustomer, viewOfBalance } from './known-customer.ts';
import type { KnownTier } from './tier-view.ts';

/**
 * What is kept of a customer between two pages. It holds only while the ledger has the same revisions and the
 * service, which is asked for the rewards of every page, counts the same points.
 * See docs/decisions/0064-one-moment-one-truth.md.
 */
export interface Moment {
  readonly revisions: string;
  readonly counted: string;
  readonly balance: KnownBalance;
  readonly tier: KnownTier;
}

export interface BalanceWorld extends AskingWorld {
  readonly loyalty: Pick<LoyaltyClient, 'getCustomerPoints'>;
}

/**
 * The balance of now. `unchanged`: what was kept, if the ledger and the service's count are still the same;
 * `offered`: what the service said since `began`, undefined for a customer whom it does not know.
 */
export async function currentBalance(
  known: KnownCustomer,
  unchanged: Moment | undefined,
  offered: AvailableRewards | undefined,
  began: Date,
  world: BalanceWorld,
): Promise<KnownBalance | Unavailable> {
  return unchanged && isConfirmed(unchanged, offered)
    ? confirmed(unchanged.balance, offered, began)
    : findBalance(known, offered, began, world);
}

/** Without counted points only that nothing is known needs no second question. */
function isConfirmed({ balance }: Moment, offered: AvailableRewards | undefined): boolean {
  return offered?.AvailablePoints !== undefined || balance.asOf === null;
}

/** The service has just counted the same points. */
function confirmed(
  balance: KnownBalance,
  offered: AvailableRewards | undefined,
  began: Date,
): KnownBalance {
  return offered && balance.asOf !== null ? { ...balance, asOf: began.toISOString() } : balance;
}

/**
 * The ledger's balance where the service counts the same points. Else an event is still on its way, or was
 * lost, and the service is asked for the balance.
 */
async function findBalance(
  { id, balance }: KnownCustomer,
  offered: AvailableRewards | undefined,
  began: Date,
  world: BalanceWorld,
): Promise<KnownBalance | Unavailable> {
  const isCurrent = !offered || balance.points === offered.AvailablePoints;
  if (balance.asOf !== null && isCurrent) return confirmed(balance, offered, began);
  const asked = await askLoyalty(
    'getCustomerPoints',
    (options) => world.loyalty.getCustomerPoints(id, options),
    world,
  );
  if (asked.kind === 'unavailable') return asked;
  const read = asked.kind === 'answered' ? balanceIn(asked.value, began.getTime()) : undefined;
  return read ? { ...balance, ...viewOfBalance(read), asOf: began.toISOString() } : balance;
}
