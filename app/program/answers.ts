/** The answers of the storefront function (docs/storefront.md), under the names that pages use. */
import type {
  CannotUse,
  RedemptionView,
  TakeBackRefusal,
} from '../../shared/store/storefront-answers.gen.ts';

export type {
  Contact,
  EarnedPoints as Earned,
  ExplainedEarning as OrderEarning,
  GoalView as TierGoal,
  HistoryEntry,
  HistoryPage as History,
  RedemptionView as Redemption,
  Referral,
  RewardView as Reward,
  TierView as Tier,
  View,
  WhyNot,
} from '../../shared/store/storefront-answers.gen.ts';

export type RedemptionState = RedemptionView['state'];

/** Why a request failed: codes of the function that have their own sentence, and two for a lost answer. */
export type FailureCode =
  | 'bad-signature'
  | 'bad-token'
  | 'not-logged-in'
  | 'too-many-requests'
  | 'unavailable'
  /** The shop is only observed. */
  | 'not-live'
  | CannotUse
  | 'not-online'
  | 'value-not-allowed'
  | 'limit-reached'
  | TakeBackRefusal
  | 'refused'
  /** No answer came. */
  | 'network'
  /** `bad-request`, `unknown-field`, `not-found`, `wrong-method`: a fault of the page or the app. */
  | 'technical';
