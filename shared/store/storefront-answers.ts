/**
 * What the storefront function answers (docs/storefront.md): written once, for the core that answers and for the pages
 * that read it. Types alone, because the pages load every byte that they import.
 */

/** `GET view?items=`: all that a page shows of a customer, of one moment. */
export interface View extends Rewards {
  readonly loggedIn: boolean;
  /** ISO 8601: the moment of points, cashback, tier and rewards. Null while no balance is known. */
  readonly asOf: string | null;
  readonly points: number | null;
  readonly cashback: number | null;
  /** The points that expire next; null when none are about to. */
  readonly expiring: { readonly points: number; readonly at: string } | null;
  readonly tier: TierView | null;
  /** A till can redeem only with the customer's answer to a challenge. */
  readonly needsChallenge: boolean;
  /** The newest first, 20 at most. */
  readonly redemptions: readonly RedemptionView[];
  readonly referral: Referral | null;
}

/** The customer's own link for friends. Personal: never for a log. Null while the program has no referrals. */
export interface Referral {
  readonly url: string;
  /** Opens WhatsApp with the program's words and the link. */
  readonly whatsappUrl: string | null;
}

export interface Rewards {
  /** Null while the service cannot be reached. The balance is then the last that is known, of `asOf`. */
  readonly rewards: readonly RewardView[] | null;
  /** With `rewards: null`: when to ask again. */
  readonly retryAfterSeconds: number | null;
}

export interface TierView {
  readonly name: string;
  readonly color: string | null;
  readonly next: { readonly name: string; readonly goals: readonly GoalView[] } | null;
}

export interface GoalView {
  readonly name: string;
  readonly value: number;
  readonly goal: number;
  readonly percent: number;
}

/** `GET points?items=`: what products would earn. */
export interface EarnedPoints {
  readonly points: number;
  readonly cashback: number;
  readonly items: readonly {
    readonly id: string;
    readonly points: number;
    readonly cashback: number;
  }[];
}

/** What a reward gives, as far as a store can give it: a code, or an amount on the customer's store credit account. */
export type RewardKind = 'fixed' | 'percent' | 'free-shipping' | 'store-credit';

/** Why a customer cannot have a reward. */
export type CannotUse =
  | 'too-few-points'
  | 'below-minimum'
  | 'no-cashback'
  | 'not-a-member'
  | 'exceeds-purchase'
  | 'below-minimum-percent'
  | 'not-enrolled'
  | 'not-cumulative'
  | 'product-conditions'
  | 'not-available';

export type WhyNot =
  | CannotUse
  | 'not-logged-in'
  | 'pending'
  | 'other-tier'
  /** It cannot become a discount of the store. */
  | 'not-online';

export interface CashbackRange {
  readonly least: number;
  readonly most: number;
}

export interface RewardView {
  readonly id: number;
  readonly title: string;
  readonly description: string;
  readonly points: number;
  /** `cashback` becomes a code; as `store-credit` it has a range to choose from, too. */
  readonly kind: RewardKind | 'cashback' | 'other';
  readonly value: number;
  /** The name of the only product that it is for. */
  readonly product: string | null;
  /** What may be chosen; null where nothing is to be chosen. */
  readonly cashback: CashbackRange | null;
  readonly redeemable: boolean;
  /** Why not; null where it can be redeemed. */
  readonly why: WhyNot | null;
  readonly missingPoints: number | null;
  /** With `other-tier`: the names of the tiers that it is for. */
  readonly tiers: readonly string[];
  /** What the service says of its conditions, in the program's language. */
  readonly requirements: string | null;
}

/** A redemption as its customer sees it. */
export interface RedemptionView {
  readonly id: string;
  readonly rewardId: number;
  readonly title: string;
  readonly points: number;
  /**
   * `pending`: it is not known yet whether the points were spent. `making`: they are spent, and the code
   * is being made in the store. `refused`: they were not spent, which the answer to the click could not
   * say. `returning`: it is being taken back; the code no longer works, the points are not back yet. `cancelled`: the
   * code could not be made or was taken back, and the points are back. `expired`: it was not used in time.
   * `credited`: the amount is on the customer's store credit account until `validUntil`; there is no code.
   */
  readonly state:
    | 'pending'
    | 'making'
    | 'ready'
    | 'used'
    | 'expired'
    | 'refused'
    | 'returning'
    | 'cancelled'
    | 'credited';
  readonly code: string | null;
  readonly kind: RewardKind;
  readonly value: number;
  /** ISO 8601. */
  readonly validUntil: string | null;
  /** ISO 8601: until when the one who asks may take it back; null where they may not now. */
  readonly takeBackUntil: string | null;
  /** It was to be taken back, and the loyalty service refused: its code was made again, and is not taken back later. */
  readonly takeBackRefused: boolean;
  /** ISO 8601. */
  readonly at: string;
}

/** `POST take-back` with `{ redemptionId }`: why a redemption cannot be taken back; 409. */
export type TakeBackRefusal =
  /** By the settings, or by staff only. */
  | 'take-back-not-allowed'
  /** The loyalty service has refused it before. */
  | 'take-back-refused'
  | 'take-back-too-late'
  | 'already-used'
  /** Its code is not made yet. */
  | 'not-ready';

/** `GET history?page=` */
export interface HistoryPage {
  /** From 1. */
  readonly page: number;
  readonly hasMore: boolean;
  /** In the service's order. */
  readonly entries: readonly HistoryEntry[];
}

export interface HistoryEntry {
  /** `tier`: the customer came into another tier; no points moved. */
  readonly kind: 'points' | 'tier';
  /** ISO 8601. */
  readonly at: string | null;
  /** As the service writes it, in the program's language. */
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

export interface OrderEarning {
  /**
   * `waiting`: the service does not have it yet, as far as this customer may know. `expected`: it has, and
   * the points follow. `earned`: points of just their number were given since it was complete; whether for this order,
   * the service does not say. `none`: it earns nothing.
   */
  readonly state: 'waiting' | 'expected' | 'earned' | 'none';
  /** Null where they are not known. */
  readonly points: number | null;
  readonly cashback: number | null;
  /** With `none`. */
  readonly why: 'cancelled' | 'no-points' | null;
  /** ISO 8601: when those points were given. The service says it of no point to come: then null. */
  readonly usableFrom: string | null;
}

/**
 * `GET order?id=`: what one order earns, with how the amount came about that the points are given for, in the currency
 * of the shop. The same for an unknown order and for another customer's.
 */
export interface ExplainedEarning extends OrderEarning {
  /** As it was sent last; empty where it is just what was paid for the goods, or is not known. */
  readonly steps: readonly { readonly kind: AmountStepKind; readonly amount: number }[];
  /** What the order counted since then, the oldest first; empty where the ledger may have lost the first of them. */
  readonly counted: readonly { readonly at: string; readonly amount: number }[];
}

export type AmountStepKind =
  /** What was paid for the goods that are kept, without taxes on top. */
  | 'goods'
  /** Below zero where prices include taxes that do not count, above where taxes on top count. */
  | 'tax'
  | 'gift-cards-sold'
  | 'tips-and-duties'
  | 'refunded-without-lines'
  /** The payment was voided or has expired. */
  | 'never-paid'
  | 'dispute-lost'
  | 'paid-with-gift-cards'
  /** Credit that was given, not money that came back. */
  | 'paid-with-store-credit'
  /** Store credit of which the account does not tell whether it was given. */
  | 'store-credit-not-known';

export interface QuizView {
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

/** How a customer gets a PIN: with `contact-needed`, what a till asks them for. */
export type Contact = 'phone' | 'email';

/** Up to 50 lines of a cart as `<product id>:<price>:<quantity>,…`; product `0` is any. */
type CartItems = string;

/**
 * What a customer's page, account or own storefront may ask, by method and route. docs/storefront-api.json is made from
 * it (`npm run generate`).
 */
export interface StorefrontApi {
  /** All that a page shows of a customer, of one moment. */
  readonly 'GET view': { readonly query: { readonly items?: CartItems }; readonly answer: View };
  /** Points, cashback and tier alone. */
  readonly 'GET me': {
    readonly answer: Pick<View, 'points' | 'cashback' | 'asOf' | 'expiring' | 'tier'>;
  };
  /** The rewards alone, with the reasons why not. */
  readonly 'GET rewards': {
    readonly query: { readonly items?: CartItems };
    readonly answer: Pick<View, 'points' | 'rewards'>;
  };
  /** The codes alone. */
  readonly 'GET redemptions': { readonly answer: Pick<View, 'redemptions'> };
  /** What products or a cart would earn. */
  readonly 'GET points': {
    readonly query: { readonly items: CartItems; readonly currency: string };
    readonly answer: EarnedPoints;
  };
  /** Points earned and spent, in pages of the service. */
  readonly 'GET history': {
    readonly query: { readonly page?: string };
    readonly answer: HistoryPage;
  };
  /** What one order of this customer earns. */
  readonly 'GET order': {
    readonly query: { readonly id: string };
    readonly answer: ExplainedEarning;
  };
  /**
   * Redeems a reward. The same `clientKey` is the same click: repeat it after a lost answer, and it spends once. Another
   * click joins it while it is under way; with another `value` that is 409 `pending`.
   */
  readonly 'POST redeem': {
    readonly body: {
      readonly rewardId: number;
      /** Made once per click: 8 to 64 letters, digits, hyphens or underscores. */
      readonly clientKey: string;
      readonly items?: CartItems;
      /** The chosen cashback. */
      readonly value?: number;
    };
    readonly answer: { readonly redemption: RedemptionView };
  };
  /**
   * Takes back a reward whose code is unused: the code no longer works, and the points are back some minutes later. May be
   * repeated. 409 `take-back-not-allowed`, `take-back-refused`,
   * `take-back-too-late`, `already-used` or `not-ready`.
   */
  readonly 'POST take-back': {
    readonly body: { readonly redemptionId: string };
    readonly answer: { readonly redemption: RedemptionView };
  };
  /** The open quizzes. */
  readonly 'GET quizzes': { readonly answer: { readonly quizzes: readonly QuizView[] } };
  /** Answers a quiz, each question once. */
  readonly 'POST answer': {
    readonly body: { readonly quizId: number; readonly answers: readonly QuestionAnswer[] };
    readonly answer: QuizResult;
  };
}
