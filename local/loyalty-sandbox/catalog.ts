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
  readonly kind: 'fixed-value' | 'percent' | 'free-shipping';
  /** Amount or percentage; 0 for free shipping. */
  readonly value: number;
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
