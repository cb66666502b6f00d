import { type ErrorNumber, errorNames } from '../../../shared/loyalty/error-codes.ts';
import type { OperationId } from '../../../shared/loyalty/operations.ts';
import type { Tables } from '../../sandbox-kit/tables.ts';
import type { Call, Program } from '../call.ts';
import type { Catalog } from '../catalog.ts';
import type { SandboxSettings } from '../settings.ts';
import { listAvailableRewards } from './available-rewards.ts';
import {
  cancelOrder,
  completeOrder,
  partiallyCancelOrder,
  settleDueOrders,
} from './cancel-order.ts';
import { startChallenge, validateChallenge } from './challenge.ts';
import type { Context } from './context.ts';
import { createCoupon, deactivateCoupon, getCoupon } from './coupons.ts';
import {
  changeCashback,
  changePoints,
  getCustomerPoints,
  listCustomersReport,
  listExpiringPoints,
  listPointsHistory,
} from './customer-points.ts';
import { changeCustomerStatus, getCustomer, upsertCustomer } from './customers.ts';
import {
  toBareObject,
  toListEnvelope,
  toListOrFailure,
  toMovedEnvelope,
  toProductEnvelope,
  toProductPointsEnvelope,
  toSimpleEnvelope,
} from './envelopes.ts';
import { getOrder, sendOrder } from './orders.ts';
import { type Refusal, refuse } from './outcome.ts';
import { calculateProductPoints, updateProduct } from './products.ts';
import { answerQuiz, listQuizzes } from './quizzes.ts';
import {
  cancelRedemption,
  cancelRedemptionByKey,
  getRedeemedReward,
  redeemReward,
  redeemRewardByKey,
  updateRewardMetadata,
} from './redemptions.ts';
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

type Envelope<Refused, Done> = (
  outcome: { readonly kind: 'done'; readonly result: Done } | Refused | Refusal,
  settings: SandboxSettings,
) => unknown;

/** Its rule, and the envelope that its results and its errors come in. */
function operation<Refused extends { readonly kind: 'refused' }, Done>(
  rule: (
    context: Context,
    call: Call,
  ) => { readonly kind: 'done'; readonly result: Done } | Refused,
  envelope: Envelope<Refused, Done>,
) {
  return {
    answer: (context: Context, call: Call) => envelope(rule(context, call), context.settings),
    fail: (refusal: Refusal, settings: SandboxSettings) => envelope(refusal, settings),
  };
}

const operations: Readonly<Record<OperationId, ReturnType<typeof operation>>> = {
  updateProduct: operation(updateProduct, toProductEnvelope),
  calculateProductPoints: operation(calculateProductPoints, toProductPointsEnvelope),
  redeemReward: operation(redeemReward, toListOrFailure),
  sendOrder: operation(sendOrder, toSimpleEnvelope),
  createCoupon: operation(createCoupon, toListEnvelope),
  changeCashback: operation(changeCashback, toMovedEnvelope),
  listTiers: operation(listTiers, toBareObject),
  updateRewardMetadata: operation(updateRewardMetadata, toSimpleEnvelope),
  getRewardConfiguration: operation(getRewardConfiguration, toSimpleEnvelope),
  listQuizzes: operation(listQuizzes, toSimpleEnvelope),
  getCustomer: operation(getCustomer, toSimpleEnvelope),
  deactivateCoupon: operation(deactivateCoupon, toListEnvelope),
  cancelPosOrder: operation(cancelOrder, toSimpleEnvelope),
  cancelOrder: operation(cancelOrder, toSimpleEnvelope),
  listRewardConfigurations: operation(listRewardConfigurations, toListEnvelope),
  answerQuiz: operation(answerQuiz, toSimpleEnvelope),
  getOrder: operation(getOrder, toBareObject),
  completeOrder: operation(completeOrder, toSimpleEnvelope),
  partiallyCancelOrder: operation(partiallyCancelOrder, toMovedEnvelope),
  partiallyCancelPosOrder: operation(partiallyCancelOrder, toMovedEnvelope),
  listAvailableRewards: operation(listAvailableRewards, toBareObject),
  redeemRewardByKey: operation(redeemRewardByKey, toSimpleEnvelope),
  cancelRedemption: operation(cancelRedemption, toMovedEnvelope),
  cancelRedemptionByKey: operation(cancelRedemptionByKey, toMovedEnvelope),
  startChallenge: operation(startChallenge, toBareObject),
  validateChallenge: operation(validateChallenge, toBareObject),
  getRedeemedReward: operation(getRedeemedReward, toBareObject),
  getCustomerPoints: operation(getCustomerPoints, toBareObject),
  changePoints: operation(changePoints, toMovedEnvelope),
  listPointsHistory: operation(listPointsHistory, toListEnvelope),
  upsertCustomer: operation(upsertCustomer, toMovedEnvelope),
  changeCustomerStatus: operation(changeCustomerStatus, toMovedEnvelope),
  getCoupon: operation(getCoupon, toListEnvelope),
  listCustomersReport: operation(listCustomersReport, toListEnvelope),
  listExpiringPoints: operation(listExpiringPoints, toListEnvelope),
};

/** Reports an error on demand as the operation would report one of its own. */
export function answerBusinessError(
  settings: SandboxSettings,
  operation: OperationId,
  code: ErrorNumber,
): unknown {
  const refusal = refuse(code, `A fault on demand: ${errorNames[code]}.`);
  return operations[operation].fail(refusal, settings);
}

/** All state is in the tables: a program over restored tables goes on where the other one ended. */
export function createProgram({ tables, ...parts }: ProgramParts): Program {
  const context: Context = { ...parts, tables: openTables(tables) };
  return {
    answer: (call) => {
      settleDueOrders(context);
      return operations[call.operation].answer(context, call);
    },
    settleDue: () => settleDueOrders(context),
  };
}
