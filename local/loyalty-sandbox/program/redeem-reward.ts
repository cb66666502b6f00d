import type { components } from '../../../shared/loyalty/contract.gen.ts';
import type { Call } from '../call.ts';
import type { CatalogReward } from '../catalog.ts';
import { couponType, pointType } from './assigned-numbers.ts';
import { balanceOf, drawOn } from './balances.ts';
import { type Context, daysLater, randomText, takeNumber } from './context.ts';
import { saveCoupon } from './coupons.ts';
import type { Page } from './envelopes.ts';
import { toHundredths } from './hundredths.ts';
import { done, findUnreadable, type Outcome, refuse } from './outcome.ts';
import { spendPoints } from './points.ts';
import { readFields } from './read-fields.ts';
import { describeReward, findDisabledReason } from './reward-view.ts';
import { findReward } from './rewards.ts';
import type { CouponRow, CustomerRow } from './rows.ts';
import { tierOf } from './tiers.ts';

/**
 * 43 unknown configuration; 46 no customer, or an unknown one, or a body that names none; 47 what the
 * reward does not allow, with the reason. Costs its points at once and gives the customer a coupon.
 */
export function redeemReward(
  context: Context,
  call: Call,
): Outcome<Page<components['schemas']['RewardConfiguration']>> {
  const { tables } = context;
  const reward = findReward(context, call);
  if (!reward) return refuse(43, 'No reward configuration has this id.');
  const unreadable = findUnreadable(call);
  if (unreadable) return refuse(46, unreadable);
  const customerId = readFields(call.body, [])?.key('CustomerId') ?? null;
  if (customerId === null) return refuse(46, 'CustomerId must be given.');
  const customer = tables.customers.get(customerId);
  if (!customer) return refuse(46, 'No customer has this CustomerId.');
  const obstacle = findObstacle(context, reward, customer);
  if (obstacle !== '') return refuse(47, obstacle);

  const RewardId = takeNumber(context, 'reward');
  const OriginalKey = `redeem-${RewardId}`;
  const record = spendPoints(
    context,
    customer,
    { type: pointType.reward, source: { kind: 'reward', rewardKey: OriginalKey } },
    drawOn(context, customerId, 'points', toHundredths(reward.points)),
  );
  const coupon = makeCoupon(context, reward, customerId);
  tables.redemptions.put(OriginalKey, {
    OriginalKey,
    RewardId,
    configurationId: reward.id,
    customerId,
    pointId: record.PointId,
    couponId: coupon.OriginalId,
    redeemedAt: context.now().toISOString(),
  });
  return done({
    items: [describeReward(context, reward, { customerId, coupon })],
    total: 1,
    size: 1,
    number: 1,
  });
}

/** Why this customer cannot have the reward now; empty when nothing is in the way. */
function findObstacle(context: Context, reward: CatalogReward, customer: CustomerRow): string {
  const disabled = findDisabledReason(context, reward);
  if (disabled !== '') return disabled;
  if (!customer.IsEnrolled) return 'The customer is not enrolled.';
  if (reward.tierIds && !reward.tierIds.includes(tierOf(context, customer.OriginalId).id)) {
    return 'The reward is for customers of another tier.';
  }
  const uses = [...context.tables.redemptions.values()].filter(
    ({ configurationId }) => configurationId === reward.id,
  );
  const ownUses = uses.filter(({ customerId }) => customerId === customer.OriginalId);
  if (ownUses.length >= (reward.usesPerCustomer ?? Number.POSITIVE_INFINITY)) {
    return 'The customer has redeemed the reward as often as allowed.';
  }
  if (uses.length >= (reward.usesInAll ?? Number.POSITIVE_INFINITY)) {
    return 'The reward has been redeemed as often as allowed.';
  }
  const { points } = balanceOf(context, customer.OriginalId);
  return points < toHundredths(reward.points) ? 'The customer has too few points.' : '';
}

function makeCoupon(context: Context, reward: CatalogReward, customerId: string): CouponRow {
  const { tables } = context;
  const now = context.now();
  // A merchant may have used such an id or code for a coupon of his own: then the next number.
  let OriginalId: string;
  let CouponCode: string;
  do {
    const number = takeNumber(context, 'reward-coupon');
    OriginalId = `reward-coupon-${number}`;
    CouponCode = `${reward.codePrefix}-${randomText(context, 6)}${number}`;
  } while (tables.coupons.get(OriginalId) || tables.couponCodes.get(CouponCode) !== undefined);
  return saveCoupon(context, {
    Id: 0,
    OriginalId,
    CouponCode,
    CreatedDate: now.toISOString(),
    CouponType: couponType[reward.kind],
    CouponValue: reward.value,
    ValidDateStart: now.toISOString(),
    ValidDateEnd: daysLater(now, reward.couponValidDays),
    customerId,
    IsUsed: false,
    usedByOrderId: null,
    isActive: true,
  });
}
