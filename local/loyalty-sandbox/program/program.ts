import type { OperationId } from '../../../shared/loyalty/operations.ts';
import type { Tables } from '../../sandbox-kit/tables.ts';
import type { Call, Program } from '../call.ts';
import type { Catalog } from '../catalog.ts';
import type { SandboxSettings } from '../settings.ts';
import { answerQuiz } from './answer-quiz.ts';
import { listAvailableRewards } from './available-rewards.ts';
import { cancelOrder, completeOrder, settleDueOrders } from './cancel-order.ts';
import { changeCashback } from './cashback.ts';
import { startChallenge, validateChallenge } from './challenge.ts';
import type { Context } from './context.ts';
import { createCoupon, deactivateCoupon, getCoupon } from './coupons.ts';
import { getCustomerPoints, listCustomersReport, listPointsHistory } from './customer-points.ts';
import { changeCustomerStatus, getCustomer, upsertCustomer } from './customers.ts';
import {
  toBareObject,
  toFailure,
  toListEnvelope,
  toListShape,
  toMovedEnvelope,
  toProductEnvelope,
  toProductPointsEnvelope,
  toSimpleEnvelope,
} from './envelopes.ts';
import { getOrder, sendOrder } from './orders.ts';
import { partiallyCancelOrder } from './partial-cancel.ts';
import { calculateProductPoints } from './product-points.ts';
import { updateProduct } from './products.ts';
import { listQuizzes } from './quizzes.ts';
import { redeemReward, redeemRewardByKey } from './redeem-reward.ts';
import { cancelRedemption, cancelRedemptionByKey, getRedeemedReward } from './redemptions.ts';
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
  changeCashback: (c, call) => toMovedEnvelope(changeCashback(c, call), c.settings),
  listTiers: (c, call) => toBareObject(listTiers(c, call)),
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
  getOrder: (c, call) => toBareObject(getOrder(c, call)),
  completeOrder: (c, call) => toSimpleEnvelope(completeOrder(c, call)),
  partiallyCancelOrder: (c, call) => toMovedEnvelope(partiallyCancelOrder(c, call), c.settings),
  partiallyCancelPosOrder: (c, call) => toMovedEnvelope(partiallyCancelOrder(c, call), c.settings),
  listAvailableRewards: (c, call) => toBareObject(listAvailableRewards(c, call)),
  redeemRewardByKey: (c, call) => toSimpleEnvelope(redeemRewardByKey(c, call)),
  cancelRedemption: (c, call) => toMovedEnvelope(cancelRedemption(c, call), c.settings),
  cancelRedemptionByKey: (c, call) => toMovedEnvelope(cancelRedemptionByKey(c, call), c.settings),
  startChallenge: (c, call) => toBareObject(startChallenge(c, call)),
  validateChallenge: (c, call) => toBareObject(validateChallenge(c, call)),
  getRedeemedReward: (c, call) => toBareObject(getRedeemedReward(c, call)),
  getCustomerPoints: (c, call) => toBareObject(getCustomerPoints(c, call)),
  listPointsHistory: (c, call) => toListEnvelope(listPointsHistory(c, call), c.settings),
  upsertCustomer: (c, call) => toMovedEnvelope(upsertCustomer(c, call), c.settings),
  changeCustomerStatus: (c, call) => toMovedEnvelope(changeCustomerStatus(c, call), c.settings),
  getCoupon: (c, call) => toListEnvelope(getCoupon(c, call), c.settings),
  listCustomersReport: (c, call) => toListEnvelope(listCustomersReport(c, call), c.settings),
};

/** All state is in the tables: a program over restored tables goes on where the other one ended. */
export function createProgram({ tables, ...parts }: ProgramParts): Program {
  const context: Context = { ...parts, tables: openTables(tables) };
  return {
    answer: (call) => {
      settleDueOrders(context);
      return answers[call.operation](context, call);
    },
    settleDue: () => settleDueOrders(context),
  };
}
