import type { Schemas } from '../../../shared/loyalty/operations.ts';
import type { Call } from '../call.ts';
import type { CatalogReward } from '../catalog.ts';
import { cannotUse, productMode, rewardType } from './assigned-numbers.ts';
import { isChallengePassed } from './challenge.ts';
import type { Context } from './context.ts';
import { findCustomer } from './customers.ts';
import { fromHundredths, scaleUp, toHundredths } from './hundredths.ts';
import { mayTakePart } from './order-points.ts';
import { type Answer, describeFaults, done, refuse } from './outcome.ts';
import { type Amounts, balanceOf } from './points.ts';
import { readBody } from './read-fields.ts';
import { findObstacle } from './redemptions.ts';
import { findDisabledReason, minimumRule } from './rewards.ts';
import type { CustomerRow } from './rows.ts';
import { iconUrl, tierOf } from './tiers.ts';

/** In hundredths. */
interface Purchase {
  readonly value: number;
  readonly discount: number;
  readonly productIds: ReadonlySet<string | null>;
}

/**
 * 7 for a body that cannot be read. A customer whom nobody knows is no error: nothing can be used then
 * (reason 4). Rewards that no reason stands for (of another tier, used up, out of season) are not
 * listed.
 */
export function listAvailableRewards(context: Context, call: Call): Answer<'AvailableRewards'> {
  const { catalog, settings } = context;
  const { faults, fields } = readBody(call);
  const customerId = fields?.key('CustomerId') ?? null;
  const purchase: Purchase = {
    value: toHundredths(fields?.amount('PurchaseValue') ?? 0),
    discount: toHundredths(fields?.amount('DiscountValue') ?? 0),
    productIds: new Set((fields?.list('Products') ?? []).map((line) => line.key('OriginalId'))),
  };
  if (faults.length > 0) return refuse(7, describeFaults(faults));
  const customer = findCustomer(context, customerId, settings.posCustomerId);
  const balance = customer ? balanceOf(context, customer.OriginalId) : { points: 0, cashback: 0 };
  const rewards = catalog.rewards
    .filter((reward) => isListed(context, reward, customer))
    .map((reward) => describe(context, reward, customer, balance, purchase));
  const cashbackReward = findCashbackReward(context);
  const most = cashbackReward ? mostCashback(context, balance, purchase) : 0;
  const mustValidate = settings.challenge !== 'off';
  const tier = customer && tierOf(context, customer.OriginalId);
  return done({
    Customer:
      customer && tier
        ? {
            Id: customer.Id,
            Phone: customer.Phone,
            Document: customer.Document,
            IsEnrolled: customer.IsEnrolled,
            CurrentTier: { Name: tier.name, Color: tier.color, IconUrl: iconUrl(tier) },
          }
        : null,
    Rewards: rewards,
    HasRewards: rewards.some(({ CanUse }) => CanUse),
    ShouldValidateCustomer:
      mustValidate && customer !== undefined && !isChallengePassed(context, customer),
    ShouldValidateCustomerSignup: mustValidate && customerId !== null && !customer,
    AvailablePoints: fromHundredths(balance.points),
    CashbackEnabled: cashbackReward !== undefined,
    AvailableCashback: cashbackReward ? fromHundredths(balance.cashback) : 0,
    MaxCashbackForCurrentPurchase: fromHundredths(most),
    HasRestrictedItems: false,
    RestrictedValue: 0,
    EligibleValue: fromHundredths(purchase.value - purchase.discount),
  });
}

/** Undefined when cashback is off. */
export function findCashbackReward({ catalog }: Context): CatalogReward | undefined {
  return catalog.rewards.find(({ kind, isActive }) => kind === 'cashback' && isActive);
}

function isListed(
  context: Context,
  reward: CatalogReward,
  customer: CustomerRow | undefined,
): boolean {
  if (findDisabledReason(context, reward) !== '') return false;
  return !customer || !mayTakePart(customer) || findObstacle(context, reward, customer) === '';
}

function mostCashback(
  { settings }: Context,
  { cashback }: Amounts,
  { value, discount }: Purchase,
): number {
  const payable = scaleUp(Math.max(0, value - discount), settings.cashbackPercentOfPurchase / 100);
  return Math.max(0, Math.min(cashback, payable));
}

function describe(
  context: Context,
  reward: CatalogReward,
  customer: CustomerRow | undefined,
  balance: Amounts,
  purchase: Purchase,
): Schemas['AvailableReward'] {
  const reason = findReason(reward, customer, balance, purchase);
  const { product } = reward;
  const isCashback = reward.kind === 'cashback';
  return {
    Id: reward.id,
    Title: reward.title,
    RewardType: rewardType[reward.kind],
    Value: reward.value,
    CanSelectValue: isCashback,
    IsCashback: isCashback,
    Requirements: minimumRule(context, reward) || null,
    AvailableCashback: isCashback ? fromHundredths(balance.cashback) : null,
    MaxCashbackForCurrentPurchase: isCashback
      ? fromHundredths(mostCashback(context, balance, purchase))
      : null,
    CanUse: reason === cannotUse.usable,
    Points: reward.points,
    RewardCanBeCumulative: reward.cumulative ?? false,
    CannotUseReason: reason,
    ...(product && {
      ExternalProductId: product.id,
      ProductDisplayName: product.name,
      ProductDiscountMode: productMode[product.mode],
      ProductDiscountValue: product.value,
      ProductMaxUnitsPerRedeem: product.mostUnits,
      ProductAvailableQuantity: product.available,
    }),
  };
}

function findReason(
  reward: CatalogReward,
  customer: CustomerRow | undefined,
  balance: Amounts,
  purchase: Purchase,
): number {
  const isCashback = reward.kind === 'cashback';
  const payable = purchase.value - purchase.discount;
  if (!customer) return cannotUse.noCustomer;
  if (!mayTakePart(customer)) return cannotUse.notEnrolled;
  if (isCashback && balance.cashback <= 0) return cannotUse.noCashback;
  if (balance.points < toHundredths(reward.points)) return cannotUse.tooFewPoints;
  if (payable < toHundredths(reward.minimalValue ?? 0)) return cannotUse.belowMinimum;
  if (purchase.discount > 0 && !reward.cumulative) return cannotUse.notCumulative;
  if (reward.kind === 'fixed-value' && toHundredths(reward.value) > payable) {
    return cannotUse.exceedsPurchase;
  }
  const { product } = reward;
  // Documented for every product reward but a free gift.
  if (product && product.mode !== 'free-gift' && !purchase.productIds.has(product.id)) {
    return cannotUse.productMissing;
  }
  return cannotUse.usable;
}
