/**
 * What the merchant would set up in the admin panel of the service: rewards, tiers and quizzes. The
 * API only reads them, so the sandbox gets them as data, and a test can bring its own.
 */
export interface Catalog {
  readonly rewards: readonly CatalogReward[];
  /** In ascending order; the first is the base tier and has no goals. At least one. */
  readonly tiers: readonly [CatalogTier, ...CatalogTier[]];
  readonly quizzes: readonly CatalogQuiz[];
}

export interface CatalogReward {
  readonly id: number;
  readonly title: string;
  readonly description: string;
  readonly kind: 'percent' | 'fixed-value' | 'cashback' | 'custom' | 'product';
  /** Amount or percentage; 0 for the other kinds. */
  readonly value: number;
  /** For `cashback`: the largest part of a purchase that cashback may pay. Absent: all of it. */
  readonly mostPercentOfPurchase?: number;
  /** For `product`, and only there. */
  readonly product?: CatalogRewardProduct;
  /** May be used together with other discounts. */
  readonly cumulative?: boolean;
  readonly points: number;
  readonly isActive: boolean;
  /** Date-times. Absent: valid at any time. */
  readonly valid?: { readonly from: string; readonly until: string };
  readonly usesPerCustomer?: number;
  readonly usesInAll?: number;
  /** Smallest purchase that the coupon may be used on. */
  readonly minimalValue?: number;
  /** Absent: customers of any tier. */
  readonly tierIds?: readonly number[];
  readonly codePrefix: string;
  readonly couponValidDays: number;
}

interface CatalogRewardProduct {
  /** In the store. */
  readonly id: string;
  readonly name: string;
  readonly mode: 'percent' | 'final-price' | 'free-gift' | 'amount-off';
  readonly value: number;
  readonly mostUnits: number;
  readonly available: number;
}

export interface CatalogTier {
  readonly id: number;
  readonly name: string;
  readonly color: string;
  readonly caption: string;
  readonly benefits: readonly string[];
  /** All of them must be reached. */
  readonly goals: readonly {
    readonly measure: 'points-earned' | 'completed-orders';
    readonly value: number;
  }[];
}

export interface CatalogQuiz {
  readonly id: number;
  readonly name: string;
  readonly start: string;
  readonly end: string;
  readonly points: number;
  readonly questions: readonly CatalogQuestion[];
}

export type CatalogQuestion =
  | { readonly id: number; readonly kind: 'open'; readonly text: string }
  | {
      readonly id: number;
      readonly kind: 'choice';
      readonly text: string;
      readonly options: readonly { readonly id: number; readonly text: string }[];
      readonly atMost: number;
    };
