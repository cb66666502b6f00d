import type { OperationId } from '../../../shared/loyalty/operations.ts';
import type { Tables } from '../../sandbox-kit/tables.ts';
import type { Call, Program } from '../call.ts';
import type { Catalog } from '../catalog.ts';
import type { SandboxSettings } from '../settings.ts';
import { answerQuiz } from './answer-quiz.ts';
import { cancelOrder } from './cancel-order.ts';
import { changeCashback } from './cashback.ts';
import type { Context } from './context.ts';
import { createCoupon, deactivateCoupon } from './coupons.ts';
import { getCustomer } from './customers.ts';
import {
  toFailure,
  toListEnvelope,
  toListShape,
  toProductEnvelope,
  toProductPointsEnvelope,
  toSimpleEnvelope,
} from './envelopes.ts';
import { sendOrder } from './orders.ts';
import { calculateProductPoints } from './product-points.ts';
import { updateProduct } from './products.ts';
import { listQuizzes } from './quizzes.ts';
import { redeemReward } from './redeem-reward.ts';
import { updateRewardMetadata } from './reward-metadata.ts';
import { getRewardConfiguration, listRewardConfigurations } from './rewards.ts';
import { openTables } from './rows.ts';
import { listTiers } from './tiers.ts';

export interface ProgramParts {
  readonly tables: Tables;
  readonly settings: SandboxSettings;
  readonly catalog: Catalog;
  now(): Date;
  /** From 0 up to, not including, 1; seeded, so that a run can be repeated. */
  random(): number;
}

type Answers = Readonly<Record<OperationId, (context: Context, call: Call) => unknown>>;

/** Each operation with its rule and its envelope. */
const answers: Answers = {
  updateProduct: (c, call) => toProductEnvelope(updateProduct(c, call), c.settings),
  calculateProductPoints: (c, call) => toProductPointsEnvelope(calculateProductPoints(c, call)),
  redeemReward: (c, call) => {
    const outcome = redeemReward(c, call);
    return outcome.kind === 'done' ? toListShape(outcome.result) : toFailure(outcome);
  },
  sendOrder: (c, call) => toSimpleEnvelope(sendOrder(c, call)),
  createCoupon: (c, call) => toListEnvelope(createCoupon(c, call), c.settings),
  changeCashback: (c, call) => toSimpleEnvelope(changeCashback(c, call)),
  listTiers: (c, call) => {
    const outcome = listTiers(c, call);
    return outcome.kind === 'done' ? outcome.result : toFailure(outcome);
  },
  updateRewardMetadata: (c, call) => toSimpleEnvelope(updateRewardMetadata(c, call)),
  getRewardConfiguration: (c, call) => toSimpleEnvelope(getRewardConfiguration(c, call)),
  listQuizzes: (c, call) => toSimpleEnvelope(listQuizzes(c, call)),
  getCustomer: (c, call) => toSimpleEnvelope(getCustomer(c, call)),
  deactivateCoupon: (c, call) => toListEnvelope(deactivateCoupon(c, call), c.settings),
  cancelPosOrder: (c, call) => toSimpleEnvelope(cancelOrder(c, call)),
  cancelOrder: (c, call) => toSimpleEnvelope(cancelOrder(c, call)),
  listRewardConfigurations: (c, call) =>
    toListEnvelope(listRewardConfigurations(c, call), c.settings),
  answerQuiz: (c, call) => toSimpleEnvelope(answerQuiz(c, call)),
};

/** All state is in the tables: a program over restored tables goes on where the other one ended. */
export function createProgram({ tables, ...parts }: ProgramParts): Program {
  const context: Context = { ...parts, tables: openTables(tables) };
  return { answer: (call) => answers[call.operation](context, call) };
}
