import type { PointTopic } from '../../../shared/loyalty/point-topics.ts';

/*
 * Numbers of the service whose values the contract does not show. The sandbox needs some, so these
 * are its own: nothing may rely on them.
 */

export const orderState = { placed: 0, completed: 1, cancelled: 2 } as const;

/** All orders of the sandbox come in through the point-of-sale operation. */
export const orderOrigin = { pointOfSale: 1 } as const;

export const customerOrigin = { order: 1, coupon: 2 } as const;

export const pointType = { order: 1, cashbackChange: 2, reward: 3, quiz: 4 } as const;
export type PointType = (typeof pointType)[keyof typeof pointType];

/** One for each topic. */
export const pointAction = {
  Point_Add: 1,
  Point_Update: 2,
  Point_Removed: 3,
} as const satisfies Record<PointTopic, number>;

/** CouponType is shown. RewardType is not, and takes the same numbers here. */
export const couponType = { 'fixed-value': 0, percent: 1, 'free-shipping': 2 } as const;

export const questionType = { open: 0, choice: 1 } as const;

export const unspecified = 0;

/** Business codes of envelope A: only their form, two digits, is shown. */
export const productCode = {
  created: { Code: '01', CodeName: 'ProductCreated' },
  updated: { Code: '02', CodeName: 'ProductUpdated' },
  withoutPrice: { Code: '03', CodeName: 'ProductSavedWithoutPrice' },
  notSaved: { Code: '90', CodeName: 'ProductNotSaved' },
} as const;
