/** The answers of the storefront function (docs/storefront.md), as far as the widget uses them. */

export interface Me {
  /** Null: nothing is known yet. */
  readonly points: number | null;
  readonly cashback: number | null;
  readonly asOf: string | null;
  /** The points that expire next. */
  readonly expiring: { readonly points: number; readonly at: string } | null;
  readonly tier: Tier | null;
}

interface Tier {
  readonly name: string;
  readonly color: string | null;
  readonly next: { readonly name: string; readonly goals: readonly TierGoal[] } | null;
}

export interface TierGoal {
  readonly name: string;
  readonly value: number;
  readonly goal: number;
  readonly percent: number;
}

export interface Earned {
  readonly points: number;
  readonly cashback: number;
}

export interface Rewards {
  readonly points: number | null;
  readonly rewards: readonly Reward[];
}

type RewardKind = 'fixed' | 'percent' | 'free-shipping' | 'cashback' | 'other';

/** Why the loyalty program does not give a reward. */
type Refusal =
  | 'too-few-points'
  | 'below-minimum'
  | 'below-minimum-percent'
  | 'exceeds-purchase'
  | 'no-cashback'
  | 'not-a-member'
  | 'not-enrolled'
  | 'not-cumulative'
  | 'product-conditions'
  | 'not-available'
  /** It cannot become a discount code. */
  | 'not-online';

export type WhyNot = Refusal | 'not-logged-in' | 'pending';

export interface Reward {
  readonly id: number;
  readonly title: string;
  readonly description: string;
  readonly points: number;
  readonly kind: RewardKind;
  readonly value: number;
  /** The name of the only product that it is for. */
  readonly product: string | null;
  /** The amounts that can be chosen. */
  readonly cashback: { readonly least: number; readonly most: number } | null;
  readonly redeemable: boolean;
  readonly why: WhyNot | null;
  readonly missingPoints: number | null;
}

/**
 * `making`: the points are spent and the code is being created in the store. `pending`: it is unknown whether
 * the points were spent. `refused`: they were not. `cancelled`: no code could be created, and they are back.
 */
export type RedemptionState = 'ready' | 'making' | 'pending' | 'used' | 'refused' | 'cancelled';

export interface Redemption {
  readonly id: string;
  readonly rewardId: number;
  readonly title: string;
  readonly points: number;
  readonly state: RedemptionState;
  readonly code: string | null;
  readonly validUntil: string | null;
}

export interface Redemptions {
  readonly redemptions: readonly Redemption[];
}

export interface Quizzes {
  readonly quizzes: readonly Quiz[];
}

export interface Quiz {
  readonly id: number;
  readonly name: string;
  readonly points: number;
  readonly completed: boolean;
  readonly endsAt: string | null;
  readonly questions: readonly QuizQuestion[];
}

export interface QuizQuestion {
  readonly id: number;
  readonly text: string;
  /** None: the question is open, and its answer a text. */
  readonly options: readonly { readonly id: number; readonly text: string }[];
}

export interface QuestionAnswer {
  readonly questionId: number;
  readonly optionIds: readonly number[] | null;
  readonly text: string | null;
}

export interface QuizResult {
  readonly accepted: boolean;
  readonly points: number;
  readonly message: string;
}

/** Why a request failed: codes of the function that have their own sentence, and two for a lost answer. */
export type FailureCode =
  | 'bad-signature'
  | 'bad-token'
  | 'not-logged-in'
  | 'too-many-requests'
  | 'unavailable'
  | Refusal
  | 'value-not-allowed'
  | 'limit-reached'
  | 'refused'
  /** No answer came. */
  | 'network'
  /** The answer is not from the function, such as the store's page for an app that does not respond. */
  | 'unreadable'
  /** `bad-request`, `unknown-field`, `not-found`, `wrong-method`: a fault of the widget or the app.. */
  | 'technical';
