import { type ErrorNumber, errorNames } from '../../../shared/loyalty/error-codes.ts';
import type { OperationId } from '../../../shared/loyalty/operations.ts';
import type { Tables } from '../../sandbox-kit/tables.ts';
import type { Call, Program } from '../call.ts';
import type { Catalog } from '../catalog.ts';
import type { SandboxSettings } from '../settings.ts';
import { listAvailableRewards } from './available-rewards.ts';
import * as ends from './cancel-order.ts';
import * as challenges from './challenge.ts';
import type { Context } from './context.ts';
import * as coupons from './coupons.ts';
import * as points from './customer-points.ts';
import * as customers from './customers.ts';
import * as envelopes from './envelopes.ts';
import * as orders from './orders.ts';
import { type Refusal, refuse } from './outcome.ts';
import * as products from './products.ts';
import * as quizzes from './quizzes.ts';
import * as redemptions from './redemptions.ts';
import * as rewards from './rewards.ts';
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
  updateProduct: operation(products.updateProduct, envelopes.toProductEnvelope),
  calculateProductPoints: operation(
    products.calculateProductPoints,
    envelopes.toProductPointsEnvelope,
  ),
  redeemReward: operation(redemptions.redeemReward, envelopes.toListOrFailure),
  sendOrder: operation(orders.sendOrder, envelopes.toSimpleEnvelope),
  createCoupon: operation(coupons.createCoupon, envelopes.toListEnvelope),
  changeCashback: operation(points.changeCashback, envelopes.toMovedEnvelope),
  listTiers: operation(listTiers, envelopes.toBareObject),
  updateRewardMetadata: operation(redemptions.updateRewardMetadata, envelopes.toSimpleEnvelope),
  getRewardConfiguration: operation(rewards.getRewardConfiguration, envelopes.toSimpleEnvelope),
  listQuizzes: operation(quizzes.listQuizzes, envelopes.toSimpleEnvelope),
  getCustomer: operation(customers.getCustomer, envelopes.toSimpleEnvelope),
  deactivateCoupon: operation(coupons.deactivateCoupon, envelopes.toListEnvelope),
  cancelPosOrder: operation(ends.cancelOrder, envelopes.toSimpleEnvelope),
  cancelOrder: operation(ends.cancelOrder, envelopes.toSimpleEnvelope),
  listRewardConfigurations: operation(rewards.listRewardConfigurations, envelopes.toListEnvelope),
  answerQuiz: operation(quizzes.answerQuiz, envelopes.toSimpleEnvelope),
  getOrder: operation(orders.getOrder, envelopes.toBareObject),
  completeOrder: operation(ends.completeOrder, envelopes.toSimpleEnvelope),
  partiallyCancelOrder: operation(ends.partiallyCancelOrder, envelopes.toMovedEnvelope),
  partiallyCancelPosOrder: operation(ends.partiallyCancelOrder, envelopes.toMovedEnvelope),
  listAvailableRewards: operation(listAvailableRewards, envelopes.toBareObject),
  redeemRewardByKey: operation(redemptions.redeemRewardByKey, envelopes.toSimpleEnvelope),
  cancelRedemption: operation(redemptions.cancelRedemption, envelopes.toMovedEnvelope),
  cancelRedemptionByKey: operation(redemptions.cancelRedemptionByKey, envelopes.toMovedEnvelope),
  startChallenge: operation(challenges.startChallenge, envelopes.toBareObject),
  validateChallenge: operation(challenges.validateChallenge, envelopes.toBareObject),
  getRedeemedReward: operation(redemptions.getRedeemedReward, envelopes.toBareObject),
  getCustomerPoints: operation(points.getCustomerPoints, envelopes.toBareObject),
  changePoints: operation(points.changePoints, envelopes.toMovedEnvelope),
  listPointsHistory: operation(points.listPointsHistory, envelopes.toListEnvelope),
  upsertCustomer: operation(customers.upsertCustomer, envelopes.toMovedEnvelope),
  changeCustomerStatus: operation(customers.changeCustomerStatus, envelopes.toMovedEnvelope),
  getCoupon: operation(coupons.getCoupon, envelopes.toListEnvelope),
  listCustomersReport: operation(points.listCustomersReport, envelopes.toListEnvelope),
  listExpiringPoints: operation(points.listExpiringPoints, envelopes.toListEnvelope),
};

/** Reports an error on demand as the operation would report one of its own. */
export function answerBusinessError(
  settings: SandboxSettings,
  operation: OperationId,
  code: ErrorNumber,
): unknown {
  const refusal = refuse(code, `${errorNames[code]} (on demand)`);
  return operations[operation].fail(refusal, settings);
}

/** All state is in the tables: a program over restored tables goes on where the other one ended. */
export function createProgram({ tables, ...parts }: ProgramParts): Program {
  const context: Context = { ...parts, tables: openTables(tables) };
  return {
    answer: (call) => {
      ends.settleDueOrders(context);
      return operations[call.operation].answer(context, call);
    },
    settleDue: () => ends.settleDueOrders(context),
  };
}
