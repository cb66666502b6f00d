import type { LoyaltyClient } from '../../loyalty/client.ts';
import { createTimedCache } from '../calls/ask-loyalty.ts';
import { followMerges } from '../ledger/merged-customer.ts';
import type { MemberRules } from '../mapping/wanted-state.ts';
import type { CartLine } from '../redeem/available-rewards.ts';
import type { createRedeeming } from '../redeem/redeem-reward.ts';
import type { TakenBackBy } from '../redeem/take-back.ts';
import { answerQuiz, type KnownQuizzes, listQuizzes, type QuizAnswers } from './answer-quiz.ts';
import { createRateLimit } from './cached-uses.ts';
import { type Earning, type EarningDeps, earnPoints } from './earn-points.ts';
import { type Gift, type GiftLimits, givePoints } from './give-points.ts';
import { readHistory, readOrderEarning } from './read-history.ts';
import { type Moment, readRedemptions, readView, type ViewDeps } from './read-view.ts';
import type { RewardItem } from './reward-view.ts';

export interface StorefrontDeps
  extends Omit<ViewDeps, 'moments' | 'requested' | 'active' | 'tiersOfRewards'> {
  readonly loyalty: ViewDeps['loyalty'] &
    Pick<
      LoyaltyClient,
      | 'calculateProductPoints'
      | 'listQuizzes'
      | 'answerQuiz'
      | 'listPointsHistory'
      | 'getOrder'
      | 'changePoints'
    >;
  readonly taxInPrices: EarningDeps['taxInPrices'];
  /** Of this process, for prices that it does not know. */
  readonly pointCallsPerMinute: number;
  /** Merges are known only with `from-sign-up`. */
  readonly customers: MemberRules['customers'];
  /** Absent where workflows may not give points. */
  readonly flow?: GiftLimits | undefined;
}

/** What a shopper may ask of one shop's loyalty program. The customer is always a separate argument. */
export type Storefront = ReturnType<typeof createStorefront> & ReturnType<typeof createRedeeming>;

/** The same for every customer, and asked for on every page. */
const PROGRAM_SECONDS = 60;
/** What a price earns changes only with the rules of the program. */
const EARNED_SECONDS = 300;
/** The same for every customer, and rarely changed. */
const TIERS_SECONDS = 600;
/** Of one customer, who wants to see it change. */
const CUSTOMER_SECONDS = 30;
/** Checked at every page; only what changes without an event and without points is so old. */
const MOMENT_SECONDS = 300;

/** A customer whose balance the service refuses would be asked about on every page. */
const REQUEST_SECONDS = 3_600;

const MOST_PRODUCTS = 5_000;
const MOST_CUSTOMERS = 2_000;

export function createStorefront(given: StorefrontDeps) {
  const { shop, now, ledger } = given;
  const ofProgram = { seconds: PROGRAM_SECONDS, most: MOST_PRODUCTS, now };
  const ofCustomer = { seconds: CUSTOMER_SECONDS, most: MOST_CUSTOMERS, now };
  const deps = {
    ...given,
    active: createTimedCache<readonly RewardItem[]>(ofProgram),
    tiersOfRewards: createTimedCache<readonly string[]>({ ...ofProgram, seconds: TIERS_SECONDS }),
    earned: createTimedCache<Earning>({ ...ofProgram, seconds: EARNED_SECONDS }),
    askLimit: createRateLimit(given.pointCallsPerMinute),
    moments: createTimedCache<Moment>({ ...ofCustomer, seconds: MOMENT_SECONDS }),
    requested: createTimedCache<true>({ ...ofCustomer, seconds: REQUEST_SECONDS }),
    quizzes: createTimedCache<KnownQuizzes>(ofCustomer),
  };
  const current = async (id: string) =>
    given.customers === 'from-sign-up' ? followMerges({ shop, id }, ledger) : id;
  return {
    view: (customerId: string | undefined, cart: readonly CartLine[], by: TakenBackBy) =>
      readView(customerId, cart, by, deps),
    redemptions: (customerId: string, by: TakenBackBy) => readRedemptions(customerId, by, deps),
    points: (items: readonly CartLine[], currency: string) => earnPoints(items, currency, deps),
    history: async (customerId: string, page: number) =>
      readHistory(await current(customerId), page, deps),
    order: (customerId: string, orderId: string) => readOrderEarning(customerId, orderId, deps),
    quizzes: async (customerId: string) => listQuizzes(shop, await current(customerId), deps),
    answer: async (customerId: string, answers: QuizAnswers) =>
      answerQuiz(shop, await current(customerId), answers, deps),
    give: async (customerId: string, gift: Gift) =>
      givePoints(shop, await current(customerId), gift, deps),
  };
}
