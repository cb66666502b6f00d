import type { LoyaltyClient } from '../../loyalty/client.ts';
import type { Telemetry } from '../batch/telemetry.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { followMerges } from '../ledger/merged-customer.ts';
import type { MemberRules } from '../mapping/mapping-rules.ts';
import type { ProgramIdOf } from '../redeem/program-customer.ts';
import type { createRedeeming } from '../redeem/redeem-reward.ts';
import type { RewardTypes } from '../redeem/reward-terms.ts';
import type { CircuitBreaker } from '../sync/circuit-breaker.ts';
import { answerQuiz, type QuizAnswers } from './answer-quiz.ts';
import type { CartLine } from './cart.ts';
import { type EarnedPoints, earnPoints } from './earn-points.ts';
import { listQuizzes, type QuizView } from './list-quizzes.ts';
import { listRewards, type RewardItem } from './list-rewards.ts';
import type { MeetingWorld, MetBalance } from './meet-customer.ts';
import { type KnownTier, readStanding } from './read-standing.ts';
import { createTimedCache } from './timed-cache.ts';

export interface StorefrontWorld {
  readonly shop: string;
  readonly ledger: Pick<Ledger, 'readMany' | 'write'>;
  readonly loyalty: Pick<
    LoyaltyClient,
    | 'listTiers'
    | 'getCustomerPoints'
    | 'calculateProductPoints'
    | 'listRewardConfigurations'
    | 'listAvailableRewards'
    | 'listQuizzes'
    | 'answerQuiz'
  >;
  readonly programIdOf: ProgramIdOf;
  readonly queue: MeetingWorld['queue'];
  readonly breaker: CircuitBreaker;
  readonly telemetry: Telemetry;
  readonly now: () => Date;
  readonly rewardTypes: RewardTypes;
  readonly retentionDays: number;
  /** Merges are known only with `from-sign-up`. */
  readonly customers: MemberRules['customers'];
}

/** What a shopper may ask of one shop's loyalty program. The customer is always a separate argument. */
export type Storefront = ReturnType<typeof createStorefront> & ReturnType<typeof createRedeeming>;

/** The same for every customer, and asked for on every page. */
const PROGRAM_SECONDS = 60;
/** Of one customer, who wants to see it change. */
const CUSTOMER_SECONDS = 30;

/** A customer whose balance the service refuses would be asked about on every page. */
const REQUEST_SECONDS = 3_600;

const MOST_CARTS = 1_000;
const MOST_CUSTOMERS = 2_000;

export function createStorefront(given: StorefrontWorld) {
  const { shop, now, ledger } = given;
  const ofProgram = { seconds: PROGRAM_SECONDS, most: MOST_CARTS, now };
  const ofCustomer = { seconds: CUSTOMER_SECONDS, most: MOST_CUSTOMERS, now };
  const world = {
    ...given,
    rewards: createTimedCache<readonly RewardItem[]>(ofProgram),
    earned: createTimedCache<EarnedPoints>(ofProgram),
    tiers: createTimedCache<KnownTier>(ofCustomer),
    met: createTimedCache<MetBalance | null>(ofCustomer),
    requested: createTimedCache<true>({ ...ofCustomer, seconds: REQUEST_SECONDS }),
    quizzes: createTimedCache<readonly QuizView[]>(ofCustomer),
  };
  const current = async (id: string) =>
    given.customers === 'from-sign-up' ? followMerges({ shop, id }, ledger) : id;
  return {
    standing: async (customerId: string) => readStanding(shop, await current(customerId), world),
    points: (items: readonly CartLine[], currency: string) => earnPoints(items, currency, world),
    rewards: async (customerId: string | undefined, cart: readonly CartLine[]) =>
      listRewards(shop, customerId && (await current(customerId)), cart, world),
    quizzes: async (customerId: string) => listQuizzes(await current(customerId), world),
    answer: async (customerId: string, answers: QuizAnswers) =>
      answerQuiz(shop, await current(customerId), answers, world),
  };
}
