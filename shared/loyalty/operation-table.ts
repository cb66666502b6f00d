import type { paths } from './contract.gen.ts';
import type { OperationId } from './operation-id.ts';
import type { JsonObject } from './payload.ts';
import {
  page,
  resultList,
  resultListOrNone,
  resultObject,
  resultObjectOrNull,
  tiers,
} from './payload.ts';

interface Operation {
  readonly method: 'GET' | 'POST' | 'PUT';
  readonly path: keyof paths;
  /** The value of a successful answer, or undefined when the answer does not hold one. */
  readonly value: (body: JsonObject) => unknown;
  /** Absent: the answer must say whether it is an error. `none`: it has no member for that. */
  readonly envelope?: 'none';
  /** The id in the path is a customer's. */
  readonly namesCustomer?: true;
}

export const operationTable: Readonly<Record<OperationId, Operation>> = {
  updateProduct: { method: 'PUT', path: '/v1/pvt/Product/{id}', value: resultObjectOrNull },
  calculateProductPoints: { method: 'POST', path: '/v1/pvt/Product/points', value: resultList },
  redeemReward: {
    method: 'POST',
    path: '/v1/pvt/RewardConfigurations/{id}/redeem',
    value: page,
    envelope: 'none',
  },
  sendOrder: { method: 'POST', path: '/v1/pvt/POS/orders', value: resultObject },
  createCoupon: { method: 'POST', path: '/v1/pvt/Coupons', value: page },
  changeCashback: {
    method: 'POST',
    path: '/v1/pvt/Customer/{id}/cashback',
    value: resultObject,
    namesCustomer: true,
  },
  listTiers: { method: 'POST', path: '/v1/pvt/Tiers/available', value: tiers, envelope: 'none' },
  updateRewardMetadata: {
    method: 'POST',
    path: '/v1/pvt/Rewards/updatemetadata',
    value: resultObject,
  },
  getRewardConfiguration: {
    method: 'GET',
    path: '/v1/pvt/RewardConfigurations/{id}',
    value: resultObject,
  },
  listQuizzes: { method: 'GET', path: '/v1/pvt/Quiz/list', value: resultListOrNone },
  getCustomer: {
    method: 'GET',
    path: '/v1/pvt/Customer/{id}',
    value: resultObject,
    namesCustomer: true,
  },
  deactivateCoupon: { method: 'POST', path: '/v1/pvt/Coupons/{code}/inactive', value: page },
  cancelPosOrder: {
    method: 'POST',
    path: '/v1/pvt/POS/orders/{orderId}/cancel',
    value: resultObject,
  },
  listRewardConfigurations: { method: 'GET', path: '/v1/pvt/RewardConfigurations', value: page },
  answerQuiz: { method: 'POST', path: '/v1/pvt/Quiz/answer', value: resultObject },
  cancelOrder: { method: 'POST', path: '/v1/pvt/Order/{orderId}/cancel', value: resultObject },
};
