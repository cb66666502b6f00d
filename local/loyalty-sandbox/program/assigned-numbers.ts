import type { PointTopic } from '../../../shared/loyalty/operations.ts';

/*
 * Numbers of the service. Where no source is named, none is known: the sandbox needs some, so these are
 * its own, and nothing may rely on them.
 */

/** Documented. An order that is neither completed nor cancelled is pending. */
export const orderState = { pending: 1, completed: 2, cancelled: 3 } as const;

export const customerOrigin = { order: 1, coupon: 2, upsert: 3, challenge: 4 } as const;

export const pointType = {
  order: 1,
  cashbackChange: 2,
  reward: 3,
  quiz: 4,
  pointsChange: 5,
} as const;
export type PointType = (typeof pointType)[keyof typeof pointType];

/** One for each topic. */
export const pointAction = {
  Point_Add: 1,
  Point_Update: 2,
  Point_Removed: 3,
} as const satisfies Record<PointTopic, number>;

/** From the service's sample client. Not the order of CouponType, and there is no 2. */
export const rewardType = {
  percent: 0,
  'fixed-value': 1,
  cashback: 3,
  custom: 4,
  product: 5,
} as const;

/** What the coupon of a reward becomes; cashback of a chosen amount is a fixed value. */
export const couponType = {
  'fixed-value': 0,
  percent: 1,
  cashback: 0,
  custom: 4,
  product: 4,
} as const;

/** From the sample client. */
export const productMode = {
  percent: 0,
  'final-price': 1,
  'free-gift': 2,
  'amount-off': 3,
} as const;

/** CannotUseReason, from the sample client; of 9 to 12 only that they are about product rewards. */
export const cannotUse = {
  usable: 0,
  tooFewPoints: 1,
  belowMinimum: 2,
  noCashback: 3,
  noCustomer: 4,
  exceedsPurchase: 5,
  notEnrolled: 7,
  notCumulative: 8,
  productMissing: 9,
} as const;

export const questionType = { open: 0, choice: 1 } as const;

export const unspecified = 0;

/** Business codes of envelope A: only their form, two digits, is shown. */
export const productCode = {
  created: { Code: '01', CodeName: 'ProductCreated' },
  updated: { Code: '02', CodeName: 'ProductUpdated' },
  withoutPrice: { Code: '03', CodeName: 'ProductSavedWithoutPrice' },
  notSaved: { Code: '90', CodeName: 'ProductNotSaved' },
} as const;
