import type { LoyaltyClient } from '../../loyalty/client.ts';
import type { components } from '../../loyalty/contract.gen.ts';
import { multiply, sum, toJsonNumber } from '../../store/money.ts';
import { type AskingWorld, askLoyalty, type Unavailable } from '../storefront/ask-loyalty.ts';
import { ANY_PRODUCT, type CartLine } from '../storefront/cart.ts';
import type { ProgramIdOf } from './program-customer.ts';

type Schemas = components['schemas'];
export type AvailableReward = Schemas['AvailableReward'];
export type AvailableRewards = Omit<Schemas['AvailableRewards'], 'Rewards'> & {
  readonly Rewards: readonly AvailableReward[];
};

/** Why a customer cannot have a reward. */
export type CannotUse =
  | 'too-few-points'
  | 'below-minimum'
  | 'no-cashback'
  | 'not-a-member'
  | 'exceeds-purchase'
  | 'below-minimum-percent'
  | 'not-enrolled'
  | 'not-cumulative'
  | 'product-conditions'
  | 'not-available';

/** `CannotUseReason`. Of 9 to 12 only this is known: they are about the product of the reward. */
const REASONS: Readonly<Record<number, CannotUse>> = {
  1: 'too-few-points',
  2: 'below-minimum',
  3: 'no-cashback',
  4: 'not-a-member',
  5: 'exceeds-purchase',
  6: 'below-minimum-percent',
  7: 'not-enrolled',
  8: 'not-cumulative',
  9: 'product-conditions',
  10: 'product-conditions',
  11: 'product-conditions',
  12: 'product-conditions',
};

/** Undefined: the customer can have it. Only the service decides. */
export function cannotUse({ CanUse, CannotUseReason }: AvailableReward): CannotUse | undefined {
  return CanUse === true ? undefined : (REASONS[CannotUseReason ?? 0] ?? 'not-available');
}

export interface AvailableWorld extends AskingWorld {
  readonly loyalty: Pick<LoyaltyClient, 'listAvailableRewards'>;
  readonly programIdOf: ProgramIdOf;
}

/** What the service offers this customer for this cart, and under which id it knows the customer. */
export async function readAvailable(
  customerId: string,
  cart: readonly CartLine[],
  world: AvailableWorld,
): Promise<
  | { readonly kind: 'answered'; readonly programId: string; readonly value: AvailableRewards }
  | { readonly kind: 'not-a-member' }
  | Unavailable
> {
  const found = await world.programIdOf(customerId);
  if (found.kind !== 'id') return found;
  const purchase = { CustomerId: found.id, ...purchaseOf(cart) };
  const asked = await askLoyalty(
    'listAvailableRewards',
    (options) => world.loyalty.listAvailableRewards(purchase, options),
    world,
  );
  if (asked.kind === 'unavailable') return asked;
  if (asked.kind === 'refused') {
    const why = asked.name ?? 'unnamed-error';
    world.telemetry.log('warn', 'the loyalty service listed no rewards of a customer', { why });
    return { kind: 'answered', programId: found.id, value: { Rewards: [] } };
  }
  const value = { ...asked.value, Rewards: asked.value.Rewards ?? [] };
  return { kind: 'answered', programId: found.id, value };
}

/**
 * The cart is what a browser says. A false one gains nothing: the code that is made of the reward has its
 * conditions in the store.
 */
function purchaseOf(cart: readonly CartLine[]) {
  return {
    PurchaseValue: toJsonNumber(totalOf(cart)),
    DiscountValue: 0,
    Products: cart
      .filter(({ id }) => id !== ANY_PRODUCT)
      .map(({ id, price, quantity }) => ({
        OriginalId: id,
        Quantity: quantity,
        ProductPrice: toJsonNumber(price),
      })),
  };
}

export const totalOf = (cart: readonly CartLine[]) =>
  sum(cart.map(({ price, quantity }) => multiply(price, quantity)));

export interface CashbackRange {
  readonly least: number;
  readonly most: number;
}

/** What the customer may choose; undefined where there is nothing to choose from. */
export function cashbackRange(
  reward: AvailableReward,
  offered: AvailableRewards,
): CashbackRange | undefined {
  const most = Math.min(
    reward.AvailableCashback ?? offered.AvailableCashback ?? 0,
    reward.MaxCashbackForCurrentPurchase ?? offered.MaxCashbackForCurrentPurchase ?? 0,
  );
  // Down to hundredths: a code must not give more than is there.
  const whole = Math.floor(Math.round(most * 1e4) / 100) / 100;
  if (!(whole > 0)) return undefined;
  return { least: reward.CanSelectValue === false ? whole : 0.01, most: whole };
}
