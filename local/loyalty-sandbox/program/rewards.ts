import type { Schemas } from '../../../shared/loyalty/operations.ts';
import type { Call } from '../call.ts';
import type { CatalogReward } from '../catalog.ts';
import { couponType, rewardType, unspecified } from './assigned-numbers.ts';
import { type Context, formatMoney } from './context.ts';
import type { Page } from './envelopes.ts';
import { fromHundredths, productInHundredths } from './hundredths.ts';
import { type Answer, done, type Outcome, refuse } from './outcome.ts';
import { balanceOf } from './points.ts';
import { knownFields } from './read-fields.ts';
import type { CouponRow } from './rows.ts';
import { iconUrl } from './tiers.ts';

const largestPage = 50;
/** Documented for reports, and taken for other lists. */
const usualPage = 10;
const largestInt32 = 2_147_483_647;

/**
 * 45 for a page size above 50 and for a page that is not a number from 1 up; 43 for an IsActive that
 * is neither true nor false. Pages count from 1; a page behind the last one is empty.
 */
export function listRewardConfigurations(
  { catalog }: Context,
  { query }: Call,
): Outcome<Page<Schemas['RewardConfigurationItem']>> {
  const isActive = readFlag(query.IsActive);
  if (isActive === 'unreadable') return refuse(43, 'IsActive must be true or false.');
  // What `false` selects is not shown: only `true` is said to select anything.
  const selected = catalog.rewards.filter((reward) => isActive !== 'true' || reward.isActive);
  const { PageNumber, PageSize } = query;
  return pageOf(selected.map(summarize), PageNumber, PageSize, largestPage);
}

/** 44 for an unknown configuration. */
export function getRewardConfiguration(
  context: Context,
  call: Call,
): Answer<'RewardConfiguration'> {
  const reward = findReward(context, call);
  return reward
    ? done(describeReward(context, reward, null))
    : refuse(44, 'No reward configuration has this id.');
}

export function findReward({ catalog }: Context, { path }: Call): CatalogReward | undefined {
  const id = readCount(path.id, 0);
  return catalog.rewards.find((reward) => reward.id === id);
}

function summarize(reward: CatalogReward): Schemas['RewardConfigurationItem'] {
  return {
    Id: reward.id,
    Title: reward.title,
    Description: reward.description,
    IsActive: reward.isActive,
    Value: reward.value,
    Points: reward.points,
    RewardType: rewardType[reward.kind],
  };
}

/** A query has no null: nothing, an empty text and the word are taken for it. */
function isAbsent(text: string | undefined): text is undefined {
  return text === undefined || text === '' || text === 'null';
}

export function readFlag(text: string | undefined): 'true' | 'false' | 'absent' | 'unreadable' {
  if (isAbsent(text)) return 'absent';
  const word = text.toLowerCase();
  return word === 'true' || word === 'false' ? word : 'unreadable';
}

function readCount(text: string | undefined, absent: number): number | null {
  if (isAbsent(text)) return absent;
  const count = /^\d{1,10}$/.test(text) ? Number(text) : 0;
  return count >= 1 && count <= largestInt32 ? count : null;
}

/** Why nobody can have it at the moment; empty when it can be had. */
export function findDisabledReason({ now }: Context, { isActive, valid }: CatalogReward): string {
  if (!isActive) return 'The reward is not active.';
  if (valid && now().getTime() < Date.parse(valid.from)) return 'The reward is not valid yet.';
  if (valid && now().getTime() > Date.parse(valid.until)) return 'The reward is no longer valid.';
  return '';
}

/** As shoppers read it; empty for a reward of any purchase. */
export const minimumRule = (context: Context, { minimalValue }: CatalogReward): string =>
  minimalValue === undefined ? '' : `For purchases from ${formatMoney(context, minimalValue)}.`;

/** Without what the sandbox does not do: e-mails, icons, product collections. */
export function describeReward(
  context: Context,
  reward: CatalogReward,
  redeemed: { readonly customerId: string; readonly coupon: CouponRow } | null,
): Schemas['RewardConfiguration'] {
  const disabledReason = findDisabledReason(context, reward);
  return {
    ...describeTerms(context, reward),
    ...(redeemed && describeBalance(context, redeemed.customerId)),
    PreGeneratedCouponLists: redeemed ? [describeCoupon(reward, redeemed.coupon)] : [],
    Enabled: disabledReason === '',
    DisabledReason: disabledReason,
  };
}

function describeTerms(context: Context, reward: CatalogReward) {
  const { catalog, settings } = context;
  const tiers = catalog.tiers.filter(({ id }) => reward.tierIds?.includes(id));
  return {
    Id: reward.id,
    Points: reward.points,
    RewardType: rewardType[reward.kind],
    IsActive: reward.isActive,
    Value: reward.value,
    PreTitle: '',
    Title: reward.title,
    Description: reward.description,
    LongDescription: reward.description,
    HasValidDate: reward.valid !== undefined,
    ...knownFields({
      ValidDateStart: reward.valid?.from ?? null,
      ValidDateEnd: reward.valid?.until ?? null,
    }),
    HasSameCustomerUsageLimit: reward.usesPerCustomer !== undefined,
    SameCustomerUsageLimit: reward.usesPerCustomer ?? 0,
    HasGlobalUsageLimit: reward.usesInAll !== undefined,
    GlobalUsageLimit: reward.usesInAll ?? 0,
    CodePrefix: reward.codePrefix,
    CumulativeDiscount: reward.cumulative ?? false,
    MinimalValue: reward.minimalValue ?? 0,
    ValidDays: reward.couponValidDays,
    NoPointCost: reward.points === 0,
    CashbackPointValue: settings.cashbackPerPoint,
    CashbackAmount: fromHundredths(productInHundredths(reward.points, settings.cashbackPerPoint)),
    CashbackMaxPurchaseValue: 0,
    MinimumPercentPurchase: 0,
    IsCashbackInformativeOnly: false,
    HasProductCollection: false,
    Tiers: tiers.map((tier) => ({
      Id: tier.id,
      Name: tier.name,
      Color: tier.color,
      IconUrl: iconUrl(tier),
      IsActive: true,
      IsBase: tier === catalog.tiers[0],
      Order: catalog.tiers.indexOf(tier),
      Identifier: String(tier.id),
      Caption: tier.caption,
    })),
    TiersCountInformation: tiers.length === 0 ? 'All tiers' : `${tiers.length} tiers`,
    Rules: {
      RewardDescription: reward.description,
      NonCumulativePromotion: 'Cannot be combined with other coupons.',
      MaximumPurchaseCashback: '',
      MinimalPurchaseRequirement: minimumRule(context, reward),
      CouponValidityDays: `Valid for ${reward.couponValidDays} days.`,
      CouponEmailConfirmation: '',
    },
  };
}

function describeBalance(context: Context, customerId: string) {
  const balance = balanceOf(context, customerId);
  return {
    PointBalance: fromHundredths(balance.points),
    CashbackBalance: fromHundredths(balance.cashback),
    AvailableCashback: fromHundredths(balance.cashback),
  };
}

/** The only place of the contract where a redemption can give its code back. */
function describeCoupon(
  reward: CatalogReward,
  coupon: CouponRow,
): Schemas['PreGeneratedCouponList'] {
  return {
    Id: reward.id,
    ListName: reward.title,
    IsInternalList: true,
    CouponsType: couponType[reward.kind],
    CouponsValue: reward.value,
    CouponCount: 1,
    UsedCoupons: 0,
    ReferralObjectiveId: unspecified,
    PreGeneratedCoupons: [
      {
        ...knownFields({
          CouponType: coupon.CouponType,
          CouponValue: coupon.CouponValue,
          ValidDateStart: coupon.ValidDateStart,
          ValidDateEnd: coupon.ValidDateEnd,
        }),
        Id: coupon.Id,
        OriginalId: coupon.OriginalId,
        CouponCode: coupon.CouponCode,
        CreatedDate: coupon.CreatedDate,
        IsAssigned: true,
        CouponId: coupon.Id,
        PreGeneratedCouponListId: reward.id,
      },
    ],
  };
}

export function pageOf<Item>(
  items: readonly Item[],
  numberText: string | undefined,
  sizeText: string | undefined,
  largest: number,
): Outcome<Page<Item>> {
  const size = readCount(sizeText, usualPage);
  const number = readCount(numberText, 1);
  if (size === null || size > largest) return refuse(45, `A page has 1 to ${largest} items.`);
  if (number === null) return refuse(45, 'Pages count from 1.');
  const start = (number - 1) * size;
  return done({ items: items.slice(start, start + size), total: items.length, size, number });
}
