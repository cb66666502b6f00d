import type { components } from '../../../shared/loyalty/contract.gen.ts';
import type { Call } from '../call.ts';
import type { CatalogReward } from '../catalog.ts';
import { couponType, pointType } from './assigned-numbers.ts';
import { type Context, daysLater, randomText, takeNumber } from './context.ts';
import { saveCoupon } from './coupons.ts';
import { fromHundredths } from './hundredths.ts';
import { mayTakePart } from './order-points.ts';
import { done, type Outcome, refuse } from './outcome.ts';
import { giveBack, spendPoints } from './points.ts';
import { knownFields } from './read-fields.ts';
import { findDisabledReason } from './reward-view.ts';
import type { CouponRow, CustomerRow, PointOriginRow, PointRow, RedemptionRow } from './rows.ts';
import { tierOf } from './tiers.ts';

type Schemas = components['schemas'];

/** Why this customer cannot have the reward now, points aside; empty when nothing is in the way. */
export function findObstacle(
  context: Context,
  reward: CatalogReward,
  customer: CustomerRow,
): string {
  const disabled = findDisabledReason(context, reward);
  if (disabled !== '') return disabled;
  if (!mayTakePart(customer)) return 'The customer is not enrolled.';
  if (reward.tierIds && !reward.tierIds.includes(tierOf(context, customer.OriginalId).id)) {
    return 'The reward is for customers of another tier.';
  }
  const uses = [...context.tables.redemptions.values()].filter(
    ({ configurationId, canceledAt }) => configurationId === reward.id && canceledAt === null,
  );
  const ownUses = uses.filter(({ customerId }) => customerId === customer.OriginalId);
  if (ownUses.length >= (reward.usesPerCustomer ?? Number.POSITIVE_INFINITY)) {
    return 'The customer has redeemed the reward as often as allowed.';
  }
  return uses.length >= (reward.usesInAll ?? Number.POSITIVE_INFINITY)
    ? 'The reward has been redeemed as often as allowed.'
    : '';
}

interface NewRedemption {
  readonly reward: CatalogReward;
  readonly customer: CustomerRow;
  /** Absent: one of the sandbox's own. */
  readonly key: string | null;
  /** The points that it costs. */
  readonly origins: readonly PointOriginRow[];
  /** Of the discount: chosen by the customer for cashback, else the reward's. */
  readonly value: number;
  readonly withCoupon: boolean;
  readonly metadatas: PointRow['metadatas'];
}

/** Spends the points, and makes the coupon where one is wanted. */
export function saveRedemption(context: Context, redeemed: NewRedemption) {
  const { tables } = context;
  const { reward, customer, origins, value, withCoupon, metadatas } = redeemed;
  const RewardId = takeNumber(context, 'reward');
  const OriginalKey = redeemed.key ?? `redeem-${RewardId}`;
  const source = { kind: 'reward', rewardKey: OriginalKey } as const;
  const record = spendPoints(context, customer, { type: pointType.reward, source }, origins);
  if (metadatas.length > 0) tables.points.put(String(record.PointId), { ...record, metadatas });
  const ExternalCode = makeCode(context, reward);
  const coupon = withCoupon ? makeCoupon(context, reward, value, customer, ExternalCode) : null;
  const redemption: RedemptionRow = {
    OriginalKey,
    RewardId,
    configurationId: reward.id,
    customerId: customer.OriginalId,
    pointId: record.PointId,
    couponId: coupon?.OriginalId ?? null,
    ExternalCode,
    cashValue: couponType[reward.kind] === couponType['fixed-value'] ? value : null,
    redeemedAt: context.now().toISOString(),
    canceledAt: null,
    usedByOrderId: null,
  };
  tables.redemptions.put(OriginalKey, redemption);
  tables.redemptionKeys.put(String(RewardId), OriginalKey);
  tables.externalCodes.put(ExternalCode, OriginalKey);
  return { redemption, coupon };
}

/** A merchant may have used such a code for a coupon of his own: then the next number. */
function makeCode(context: Context, reward: CatalogReward): string {
  for (;;) {
    const number = takeNumber(context, 'reward-coupon');
    const code = `${reward.codePrefix}-${randomText(context, 6)}${number}`;
    if (context.tables.couponCodes.get(code) === undefined) return code;
  }
}

function makeCoupon(
  context: Context,
  reward: CatalogReward,
  value: number,
  customer: CustomerRow,
  CouponCode: string,
): CouponRow {
  const now = context.now();
  let OriginalId: string;
  do OriginalId = `reward-coupon-${takeNumber(context, 'reward-coupon-id')}`;
  while (context.tables.coupons.get(OriginalId));
  return saveCoupon(context, {
    Id: 0,
    OriginalId,
    CouponCode,
    CreatedDate: now.toISOString(),
    CouponType: couponType[reward.kind],
    CouponValue: value,
    ValidDateStart: now.toISOString(),
    ValidDateEnd: daysLater(now, reward.couponValidDays),
    customerId: customer.OriginalId,
    IsUsed: false,
    usedByOrderId: null,
    isActive: true,
  });
}

/** The result of a metadata update. */
export function describeRedemption(
  { tables }: Context,
  redemption: RedemptionRow,
): Schemas['RewardMetadataResult'] {
  const record = tables.points.get(String(redemption.pointId));
  const coupon = tables.coupons.get(redemption.couponId ?? '');
  return {
    RewardId: redemption.RewardId,
    Point: {
      PointId: redemption.pointId,
      Quantity: fromHundredths(record?.pointsHundredths ?? 0),
      Metadatas: [...(record?.metadatas ?? [])],
    },
    ExternalCode: redemption.ExternalCode,
    OriginalKey: redemption.OriginalKey,
    ...(coupon && {
      Coupon: knownFields({
        CouponCode: coupon.CouponCode,
        CouponType: coupon.CouponType,
        CouponValue: coupon.CouponValue,
        ValidDateStart: coupon.ValidDateStart,
        ValidDateEnd: coupon.ValidDateEnd,
      }),
    }),
  };
}

/** The result of redeeming: it repeats the id of the product that the reward is for. */
export function describeKeyedRedemption(
  context: Context,
  redemption: RedemptionRow,
): Schemas['KeyedRedemptionResult'] {
  const { rewards } = context.catalog;
  const reward = rewards.find(({ id }) => id === redemption.configurationId);
  return {
    ...describeRedemption(context, redemption),
    ...(reward?.product && { ExternalProductId: reward.product.id }),
  };
}

/** 87 for an unknown one. */
export function getRedeemedReward(
  context: Context,
  { path }: Call,
): Outcome<Schemas['RedeemedReward']> {
  const redemption = findRedemption(context, context.tables.redemptionKeys.get(path.id ?? ''));
  return redemption
    ? done(describeRedeemedReward(context, redemption))
    : refuse(87, 'No reward has this id.');
}

export function cancelRedemption(context: Context, { path }: Call) {
  return cancel(context, context.tables.redemptionKeys.get(path.id ?? ''));
}

export function cancelRedemptionByKey(context: Context, { query }: Call) {
  return cancel(context, query.OriginalKey);
}

/** 73 unknown, 74 cancelled already. The points go back; it is final. */
function cancel(context: Context, key: string | undefined): Outcome<Schemas['RedeemedReward']> {
  const redemption = findRedemption(context, key);
  if (!redemption) return refuse(73, 'No redemption has this id or key.');
  if (redemption.canceledAt !== null) return refuse(74, 'The redemption is cancelled.');
  return done(describeRedeemedReward(context, takeBack(context, redemption)));
}

function takeBack(context: Context, redemption: RedemptionRow): RedemptionRow {
  const { tables } = context;
  const record = tables.points.get(String(redemption.pointId));
  const customer = tables.customers.get(redemption.customerId);
  if (record && customer) giveBack(context, customer, record);
  const coupon = tables.coupons.get(redemption.couponId ?? '');
  if (coupon) tables.coupons.put(coupon.OriginalId, { ...coupon, isActive: false });
  const cancelled = { ...redemption, canceledAt: context.now().toISOString() };
  tables.redemptions.put(redemption.OriginalKey, cancelled);
  return cancelled;
}

/** Of the order that named this code, if it is the code of a reward. */
export function giveRewardBack(context: Context, code: string | null): void {
  const redemption = findRedemption(context, context.tables.externalCodes.get(code ?? ''));
  if (redemption?.canceledAt === null) takeBack(context, redemption);
}

export function findRedemption(
  { tables }: Context,
  key: string | undefined,
): RedemptionRow | undefined {
  return tables.redemptions.get(key ?? '');
}

function describeRedeemedReward(
  { tables }: Context,
  row: RedemptionRow,
): Schemas['RedeemedReward'] {
  const customer = tables.customers.get(row.customerId);
  const record = tables.points.get(String(row.pointId));
  return {
    Id: row.RewardId,
    Customer: customer ? { OriginalId: customer.OriginalId, Email: customer.Email } : null,
    ExternalCode: row.ExternalCode,
    CashValue: row.cashValue,
    IsCanceled: row.canceledAt !== null,
    RedeemDate: row.redeemedAt,
    Points: {
      Id: row.pointId,
      Points: fromHundredths(record?.pointsHundredths ?? 0),
      Type: pointType.reward,
      EventKey: row.OriginalKey,
    },
  };
}
