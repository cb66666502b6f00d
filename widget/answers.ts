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

export type RewardKind = 'fixed' | 'percent' | 'free-shipping' | 'other';

export type WhyNot = 'not-logged-in' | 'too-few-points' | 'pending' | 'not-available';

export interface Reward {
  readonly id: number;
  readonly title: string;
  readonly description: string;
  readonly points: number;
  readonly kind: RewardKind;
  readonly value: number;
  readonly redeemable: boolean;
  readonly why: WhyNot | null;
  readonly missingPoints: number | null;
}

/**
 * `making`: the points are spent and the code is being created in the store. `pending`: it is unknown whether
 * the points were spent.
 */
export type RedemptionState = 'ready' | 'making' | 'pending' | 'used';

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
  | 'not-logged-in'
  | 'too-many-requests'
  | 'unavailable'
  | 'too-few-points'
  | 'not-available'
  | 'limit-reached'
  | 'refused'
  /** No answer came. */
  | 'network'
  /** The answer is not from the function, such as the store's page for an app that does not respond. */
  | 'unreadable'
  /** `bad-request`, `unknown-field`, `not-found`, `wrong-method`: a fault of the widget or the app.. */
  | 'technical';
