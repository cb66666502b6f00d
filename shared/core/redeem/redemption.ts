/** What a reward gives, as far as a store can give it. */
export type RewardKind = 'fixed' | 'percent' | 'free-shipping';

/** What the shopper was offered when the intent was recorded. All of it can become a store discount. */
export interface RewardTerms {
  readonly title: string;
  /** What it costs. */
  readonly points: number;
  readonly kind: RewardKind;
  /** An amount of the shop's currency or a percentage; 0 for free shipping. */
  readonly value: number;
  /** The smallest subtotal of an order that may use it. */
  readonly minimum?: number;
  /** May be used together with other discounts. */
  readonly combines: boolean;
  /** How long a code of it may be used; undefined: without an end. */
  readonly validDays?: number;
  /** Of codes of our own. */
  readonly codePrefix: string;
  /** The service limits how often it may be redeemed. */
  readonly limited: boolean;
  /** The customer pays with cashback: `value` is the amount they chose. */
  readonly cashback?: true;
  /** The discount is for one unit of this product of the store. */
  readonly product?: { readonly id: string; readonly name: string };
}

/** The discount code that stands for a redeemed reward. */
export interface RewardCode {
  readonly code: string;
  readonly kind: RewardKind;
  readonly value: number;
  /** ISO 8601. */
  readonly startsAt: string;
  readonly endsAt?: string;
}

export type RefusedWhy = 'too-few-points' | 'not-available' | 'limit-reached' | 'refused';

/** The state of a redemption; `redemption-state.ts` draws the steps. */
export type RedemptionState =
  | { readonly at: 'intended' }
  | { readonly at: 'calling' }
  | { readonly at: 'unknown'; readonly why: string }
  | { readonly at: 'refused'; readonly why: RefusedWhy | 'did-not-happen' }
  | { readonly at: 'redeemed'; readonly code: RewardCode }
  /** The store refuses the code: a person must look. */
  | { readonly at: 'lost'; readonly code: RewardCode; readonly why: string }
  | { readonly at: 'compensating'; readonly code: RewardCode }
  | { readonly at: 'compensated'; readonly code: RewardCode }
  | { readonly at: 'ready' | 'used'; readonly code: RewardCode; readonly discountId: string };

export interface Redemption {
  readonly id: string;
  readonly rewardId: number;
  /** The clicks that joined it. */
  readonly clientKeys: readonly string[];
  readonly terms: RewardTerms;
  /** ISO 8601: when the intent was recorded. */
  readonly intendedAt: string;
  /** ISO 8601: since when it is in this state. */
  readonly since: string;
  readonly state: RedemptionState;
  /** The delivery of the point event that reported its points. */
  readonly spentBy?: string;
}
