import type { Body } from '../../loyalty/operations.ts';

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

/** The body of the call that spends the points. A repetition sends the same body, also if the customer's data changed since. */
export type RedeemBody = Body<'redeemRewardByKey'> & {
  readonly CustomerId: string;
  readonly OriginalKey: string;
};

/** The state of a redemption; `redemption-state.ts` draws the steps. */
export type RedemptionState =
  /** `tried`: the ledger may have forgotten a call with this key. */
  | { readonly at: 'intended'; readonly body: RedeemBody; readonly tried?: true }
  | {
      readonly at: 'calling';
      readonly body: RedeemBody;
      /** Calls that were begun and may have spent the points, the last one included. */
      readonly attempts: number;
      /** ISO 8601: when the last call began. */
      readonly calledAt: string;
      /**
       * The service refused after an attempt without an answer. That proves nothing, so nothing is
       * repeated: look-ups by key decide. `absentAt`: when the first one found nothing.
       */
      readonly refusal?: { readonly why: RefusedWhy; readonly absentAt?: string };
    }
  /** `late`: the answer to the click did not say so. */
  | { readonly at: 'refused'; readonly why: RefusedWhy; readonly late?: true }
  | {
      readonly at: 'redeemed';
      /** The service's id of it. */
      readonly redeemedRewardId: number;
      readonly code: RewardCode;
      readonly calledAt: string;
      /** The store refuses the code permanently; `why` is its name of the reason. */
      readonly refusal?: { readonly why: string; readonly at: string };
    }
  | { readonly at: 'cancelling'; readonly redeemedRewardId: number; readonly code: RewardCode }
  /** `code`: the one that the store must not have. Absent where a person closed it before it was known. */
  | { readonly at: 'cancelled'; readonly code?: RewardCode }
  | { readonly at: 'ready' | 'used'; readonly code: RewardCode; readonly discountId: string };

/** Why only a person can finish a redemption. */
export type StuckWhy =
  /** The service answers the look-up by key with an error that does not say "absent". */
  | 'look-up-refused'
  /** The service does not cancel a redemption that it made. */
  | 'cancel-refused';

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
  /** At a till: the user of the store who redeemed it for the customer. */
  readonly staffId?: string;
  /** Nothing happens until a person acts. */
  readonly stuck?: StuckWhy;
}
