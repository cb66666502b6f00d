/** The answers of the storefront function (docs/storefront.md), as far as pages use them. */

/** `GET view?items=`: all that a page shows of a customer, of one moment. */
export interface View {
  readonly loggedIn: boolean;
  /** ISO 8601: the moment of points, cashback, tier and rewards. Null: no balance is known yet. */
  readonly asOf: string | null;
  readonly points: number | null;
  readonly cashback: number | null;
  /** The points that expire next. */
  readonly expiring: { readonly points: number; readonly at: string } | null;
  readonly tier: Tier | null;
  /** Null: the program cannot be reached. The balance is then the last that is known, of `asOf`. */
  readonly rewards: readonly Reward[] | null;
  /** With `rewards: null`: when to ask again. */
  readonly retryAfterSeconds: number | null;
  /** A till can redeem only with the customer's answer to a challenge. */
  readonly needsChallenge: boolean;
  /** The newest first, 20 at most. */
  readonly redemptions: readonly Redemption[];
}

export interface Tier {
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

export type WhyNot = Refusal | 'not-logged-in' | 'pending' | 'other-tier';

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
  /** With `other-tier`: the names of the tiers that it is for. */
  readonly tiers: readonly string[];
  /** Its conditions in the program's own words. */
  readonly requirements: string | null;
}

/**
 * `making`: the points are spent and the code is being created in the store. `pending`: it is unknown whether
 * the points were spent. `refused`: they were not. `cancelled`: no code could be created, and they are back.
 * `expired`: the code was not used in time.
 */
export type RedemptionState =
  | 'ready'
  | 'making'
  | 'pending'
  | 'used'
  | 'expired'
  | 'refused'
  | 'cancelled';

export interface Redemption {
  readonly id: string;
  readonly rewardId: number;
  readonly title: string;
  readonly points: number;
  readonly state: RedemptionState;
  readonly code: string | null;
  readonly validUntil: string | null;
}

/** `GET history?page=`, from 1. */
export interface History {
  readonly page: number;
  readonly hasMore: boolean;
  readonly entries: readonly HistoryEntry[];
}

export interface HistoryEntry {
  /** `tier`: the customer came into another tier; no points moved. */
  readonly kind: 'points' | 'tier';
  readonly at: string | null;
  /** In the program's own words. */
  readonly title: string;
  /** Below 0 for what was spent. */
  readonly points: number;
  readonly cashback: number;
  /** It no longer counts. */
  readonly cancelled: boolean;
  /** The code that the points were spent for. */
  readonly code: string | null;
  /** With `tier`: the name of the tier. */
  readonly tier: string | null;
}

/** `GET order?id=`: what one order earns or has earned. The same for an unknown order and another customer's. */
export interface OrderEarning {
  /**
   * `waiting`: the program does not have it yet. `expected`: it has, and the points follow. `earned`: they were
   * given. `none`: it earns nothing.
   */
  readonly state: 'waiting' | 'expected' | 'earned' | 'none';
  /** Null: not known. */
  readonly points: number | null;
  readonly cashback: number | null;
  /** With `none`. */
  readonly why: 'cancelled' | 'no-points' | null;
  /**
   * How the amount came about that the points are given for, in the currency of the shop; they add up to it. Empty
   * where it is just what was paid for the items.
   */
  readonly steps: readonly { readonly kind: AmountStepKind; readonly amount: number }[];
  /** What the order counted since then, the oldest first. */
  readonly counted: readonly { readonly at: string; readonly amount: number }[];
}

type AmountStepKind =
  | 'goods'
  | 'tax'
  | 'gift-cards-sold'
  | 'tips-and-duties'
  | 'refunded-without-lines'
  | 'never-paid'
  | 'dispute-lost'
  | 'paid-with-gift-cards';

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

/** With `contact-needed`: what a till asks the customer for, so that the program can send them a code. */
export type Contact = 'phone' | 'email';

/** Why a request failed: codes of the function that have their own sentence, and two for a lost answer. */
export type FailureCode =
  | 'bad-signature'
  | 'bad-token'
  | 'not-logged-in'
  | 'too-many-requests'
  | 'unavailable'
  /** The shop is only observed. */
  | 'not-live'
  | Refusal
  | 'value-not-allowed'
  | 'limit-reached'
  | 'refused'
  /** No answer came. */
  | 'network'
  /** The answer is not from the function, such as the store's page for an app that does not respond. */
  | 'unreadable'
  /** `bad-request`, `unknown-field`, `not-found`, `wrong-method`: a fault of the page or the app. */
  | 'technical';
