import type { FailureCode, RedemptionState, RewardKind, WhyNot } from '../answers.ts';

/** `{n}` and the like are filled in. Every language has all of them, or it does not compile. */
export interface Strings {
  readonly points: { readonly one: string; readonly other: string };
  readonly cashback: string;
  readonly balance: {
    readonly heading: string;
    readonly none: string;
    readonly asOf: string;
    readonly expiring: string;
    readonly tier: string;
    readonly next: string;
    readonly progress: string;
    readonly logIn: string;
    readonly logInTo: string;
  };
  readonly earns: { readonly product: string; readonly cart: string };
  readonly rewards: {
    readonly heading: string;
    readonly none: string;
    readonly worth: Readonly<Record<Exclude<RewardKind, 'other'>, string>>;
    readonly redeem: string;
    readonly redeeming: string;
    /** Used where the number is known. */
    readonly missing: string;
    /** After a failure that leaves open whether points were spent. */
    readonly safeToRetry: string;
    readonly done: string;
  };
  readonly codes: {
    readonly heading: string;
    readonly copy: string;
    readonly copied: string;
    readonly notCopied: string;
    readonly validUntil: string;
    readonly states: Readonly<Record<RedemptionState, string>>;
  };
  readonly quizzes: {
    readonly heading: string;
    readonly earn: string;
    readonly endsAt: string;
    readonly completed: string;
    readonly chooseOne: string;
    readonly send: string;
    readonly sending: string;
    readonly accepted: string;
    readonly notAccepted: string;
    readonly closed: string;
  };
  readonly loading: string;
  readonly tryAgain: string;
  readonly tryAgainIn: string;
  /** Why something is not possible, or did not work. */
  readonly why: Readonly<Record<WhyNot | FailureCode, string>>;
}
