import type { LoyaltyClient } from '../../loyalty/client.ts';
import type { Telemetry } from '../batch/telemetry.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { createRedeeming } from '../redeem/redeem-reward.ts';
import type { RewardKind } from '../redeem/redemption.ts';
import type { CircuitBreaker } from '../sync/circuit-breaker.ts';
import { answerQuiz, type QuizAnswers } from './answer-quiz.ts';
import type { CartItem } from './earn-points.ts';
import { type EarnedPoints, earnPoints } from './earn-points.ts';
import { listQuizzes, type QuizView } from './list-quizzes.ts';
import { listRewards, type RewardItem } from './list-rewards.ts';
import { type KnownTier, readStanding } from './read-standing.ts';
import type { KnownReward } from './reward-details.ts';
import { createTimedCache } from './timed-cache.ts';

export interface StorefrontWorld {
  readonly shop: string;
  readonly ledger: Pick<Ledger, 'readMany' | 'write'>;
  readonly loyalty: Pick<
    LoyaltyClient,
    | 'listTiers'
    | 'calculateProductPoints'
    | 'listRewardConfigurations'
    | 'getRewardConfiguration'
    | 'listQuizzes'
    | 'answerQuiz'
  >;
  readonly breaker: CircuitBreaker;
  readonly telemetry: Telemetry;
  readonly now: () => Date;
  readonly rewardTypes: Readonly<Record<number, RewardKind>>;
  readonly retentionDays: number;
}

/** What a shopper may ask of one shop's loyalty program. The customer is always a separate argument. */
export type Storefront = ReturnType<typeof createStorefront> & ReturnType<typeof createRedeeming>;

/** The same for every customer, and asked for on every page. */
const PROGRAM_SECONDS = 60;
/** Dates and limits of a reward; redeeming reads them again. */
const DETAILS_SECONDS = 600;
/** Of one customer, who wants to see it change. */
const CUSTOMER_SECONDS = 30;

const MOST_CARTS = 1_000;
const MOST_REWARDS = 200;
const MOST_CUSTOMERS = 2_000;

export function createStorefront(given: StorefrontWorld) {
  const { shop, now } = given;
  const ofProgram = { seconds: PROGRAM_SECONDS, most: MOST_CARTS, now };
  const ofCustomer = { seconds: CUSTOMER_SECONDS, most: MOST_CUSTOMERS, now };
  const world = {
    ...given,
    rewards: createTimedCache<readonly RewardItem[]>(ofProgram),
    details: createTimedCache<KnownReward>({ seconds: DETAILS_SECONDS, most: MOST_REWARDS, now }),
    earned: createTimedCache<EarnedPoints>(ofProgram),
    tiers: createTimedCache<KnownTier>(ofCustomer),
    quizzes: createTimedCache<readonly QuizView[]>(ofCustomer),
  };
  return {
    standing: (customerId: string) => readStanding(shop, customerId, world),
    points: (items: readonly CartItem[], currency: string) => earnPoints(items, currency, world),
    rewards: (customerId: string | undefined) => listRewards(shop, customerId, world),
    quizzes: (customerId: string) => listQuizzes(customerId, world),
    answer: (customerId: string, answers: QuizAnswers) =>
      answerQuiz(shop, customerId, answers, world),
  };
}
