import type { Schemas } from '../../../shared/loyalty/operations.ts';
import type { Call } from '../call.ts';
import type { CatalogReward } from '../catalog.ts';
import { couponType, pointType } from './assigned-numbers.ts';
import { isChallengePassed } from './challenge.ts';
import { type Context, daysLater, randomText, takeNumber } from './context.ts';
import { saveCoupon } from './coupons.ts';
import { findCustomer } from './customers.ts';
import type { Page } from './envelopes.ts';
import { fromHundredths, productInHundredths, toHundredths } from './hundredths.ts';
import { mayTakePart } from './order-points.ts';
import {
  type Answer,
  describeFaults,
  done,
  findUnreadable,
  type Outcome,
  refuse,
} from './outcome.ts';
import { balanceOf, drawOn, giveBack, spendPoints } from './points.ts';
import { type Fields, knownFields, readBody, readFields } from './read-fields.ts';
import { describeReward, findDisabledReason, findReward } from './rewards.ts';
import type { CouponRow, CustomerRow, PointOriginRow, PointRow, RedemptionRow } from './rows.ts';
import { tierOf } from './tiers.ts';

/**
 * 43 unknown configuration; 46 no customer, or an unknown one, or a body that names none; 47 what the
 * reward does not allow, with the reason. Costs its points at once and gives the customer a coupon.
 */
export function redeemReward(
  context: Context,
  call: Call,
): Outcome<Page<Schemas['RewardConfiguration']>> {
  const reward = findReward(context, call);
  if (!reward) return refuse(43, 'No reward configuration has this id.');
  const unreadable = findUnreadable(call);
  if (unreadable) return refuse(46, unreadable);
  const customerId = readFields(call.body, [])?.key('CustomerId') ?? null;
  if (customerId === null) return refuse(46, 'CustomerId must be given.');
  const customer = context.tables.customers.get(customerId);
  if (!customer) return refuse(46, 'No customer has this CustomerId.');
  const obstacle = findObstacle(context, reward, customer);
  if (obstacle !== '') return refuse(47, obstacle);
  if (reward.kind === 'cashback') return refuse(47, 'Cashback needs an amount.');
  const cost = toHundredths(reward.points);
  if (balanceOf(context, customerId).points < cost) {
    return refuse(47, 'The customer has too few points.');
  }
  const { coupon } = saveRedemption(context, {
    reward,
    customer,
    key: null,
    origins: drawOn(context, customerId, 'points', cost),
    value: reward.value,
    withCoupon: true,
    metadatas: [],
  });
  return done({
    items: [describeReward(context, reward, coupon && { customerId, coupon })],
    total: 1,
    size: 1,
    number: 1,
  });
}

/**
 * The first broken rule answers: 87 unknown reward; 7 a body that cannot be read; 46 no customer, or
 * an unknown one; 47 a key of another or a cancelled redemption, no PIN where the settings want one,
 * or what the reward does not allow; 89 cashback without an amount; 94 too few points.
 */
export function redeemRewardByKey(
  context: Context,
  call: Call,
): Outcome<Schemas['KeyedRedemptionResult'] | null> {
  const { tables, settings } = context;
  const reward = findReward(context, call);
  if (!reward) return refuse(87, 'No reward has this id.');
  const { faults, fields } = readBody(call);
  const key = fields?.key('OriginalKey') ?? null;
  const customerId = fields?.key('CustomerId') ?? null;
  const chosen = fields && readChosenValue(context, fields);
  const withCoupon = fields?.flag('ForceGenerateCoupon') ?? false;
  const metadatas = (fields?.list('Metadatas') ?? []).map((pair) => ({
    Name: pair.key('Name') ?? '',
    Value: pair.text('Value') ?? '',
  }));
  if (faults.length > 0) return refuse(7, describeFaults(faults));
  const customer = findCustomer(context, customerId, settings.posCustomerId);
  if (!customer) return refuse(46, 'No customer has this CustomerId.');
  const before = findRedemption(context, key ?? undefined);
  if (before) return answerRepetition(context, before, reward.id, customer.OriginalId);
  if (settings.challenge === 'enforced' && !isChallengePassed(context, customer)) {
    return refuse(47, 'The customer must be validated first.');
  }
  const obstacle = findObstacle(context, reward, customer);
  if (obstacle !== '') return refuse(47, obstacle);
  const byCashback = reward.kind === 'cashback';
  const cost = byCashback ? chosen : toHundredths(reward.points);
  if (cost === null || (byCashback && cost <= 0)) return refuse(89, 'Value must be given.');
  const view = byCashback ? 'cashback' : 'points';
  if (balanceOf(context, customer.OriginalId)[view] < cost) {
    return refuse(94, 'The customer has too few points.');
  }
  const { redemption } = saveRedemption(context, {
    reward,
    customer,
    key,
    origins: drawOn(context, customer.OriginalId, view, cost),
    value: byCashback ? cost / 100 : reward.value,
    withCoupon,
    metadatas,
  });
  // A PIN is good for one redemption.
  tables.challenges.delete(customer.OriginalId);
  return done(describeKeyedRedemption(context, redemption));
}

/** In hundredths of cashback. Documented for cashback rewards only; others ignore it. */
function readChosenValue({ settings }: Context, fields: Fields): number | null {
  const value = fields.amount('Value');
  const points = fields.amount('Points');
  if (value !== null) return toHundredths(value);
  return points === null ? null : productInHundredths(points, settings.cashbackPerPoint);
}

function answerRepetition(
  context: Context,
  before: RedemptionRow,
  configurationId: number,
  customerId: string,
): Outcome<Schemas['KeyedRedemptionResult'] | null> {
  const isSame =
    before.configurationId === configurationId &&
    before.customerId === customerId &&
    before.canceledAt === null;
  if (!isSame) return refuse(47, 'This OriginalKey belongs to another or a cancelled redemption.');
  switch (context.settings.repeatedRedeem) {
    case 'first-result':
      return done(describeKeyedRedemption(context, before));
    case 'null-result':
      return done(null);
    case 'refuse':
      return refuse(47, 'This OriginalKey was used before.');
  }
}

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
function saveRedemption(context: Context, redeemed: NewRedemption) {
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
function describeRedemption(
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
function describeKeyedRedemption(
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
export function getRedeemedReward(context: Context, { path }: Call): Answer<'RedeemedReward'> {
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
function cancel(context: Context, key: string | undefined): Answer<'RedeemedReward'> {
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

function findRedemption({ tables }: Context, key: string | undefined): RedemptionRow | undefined {
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

/**
 * 7 no OriginalKey, or a body that cannot be read; 87 an unknown one. A pair that is there already is
 * not added again, so that the call may be repeated. Points do not change, so there is no event.
 */
export function updateRewardMetadata(context: Context, call: Call): Answer<'RewardMetadataResult'> {
  const { tables } = context;
  const unreadable = findUnreadable(call);
  if (unreadable) return refuse(7, unreadable);
  const { faults, fields } = readBody(call);
  const OriginalKey = fields?.key('OriginalKey') ?? null;
  if (OriginalKey === null) return refuse(7, 'OriginalKey must be given.');
  const pairs = (fields?.list('Metadatas') ?? []).map((pair) => ({
    Name: pair.key('Name'),
    Value: pair.text('Value') ?? '',
  }));
  if (faults.length > 0) return refuse(7, describeFaults(faults));
  const redemption = findRedemption(context, OriginalKey);
  const record = redemption && tables.points.get(String(redemption.pointId));
  if (!redemption || !record) return refuse(87, 'No reward has this OriginalKey.');

  const metadatas = [...record.metadatas];
  const known = new Set(metadatas.map(({ Name, Value }) => JSON.stringify([Name, Value])));
  for (const { Name, Value } of pairs) {
    if (Name === null) return refuse(7, 'Metadatas need a Name.');
    const pair = JSON.stringify([Name, Value]);
    if (!known.has(pair)) metadatas.push({ Name, Value });
    known.add(pair);
  }
  if (metadatas.length > record.metadatas.length) {
    tables.points.put(String(record.PointId), { ...record, metadatas });
  }
  return done(describeRedemption(context, redemption));
}
