import type { FailureCode, RedemptionState, WhyNot } from '../answers.ts';

export type Language = 'en' | 'es' | 'pt-BR';

/** To a shopper these are the same. */
export const SAME_SENTENCE = {
  'below-minimum-percent': 'below-minimum',
  'not-enrolled': 'not-a-member',
  'bad-token': 'bad-signature',
} as const;

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
    readonly worth: { readonly off: string; readonly shipping: string };
    readonly redeem: string;
    readonly redeemCashback: string;
    readonly amount: string;
    readonly redeeming: string;
    /** Used where the number is known. */
    readonly missing: string;
    /** Used where the tiers are known. */
    readonly forTiers: string;
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
    /** One that was refused has a sentence of `why`. */
    readonly states: Readonly<Record<Exclude<RedemptionState, 'refused'>, string>>;
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
  readonly why: Readonly<Record<Exclude<WhyNot | FailureCode, keyof typeof SAME_SENTENCE>, string>>;
}
