import type { components, operations, paths, webhooks } from './contract.gen.ts';
import {
  anyResult,
  availableRewards,
  cancelledOrder,
  cancelledRedemption,
  completedOrder,
  customerPoints,
  keyedRedemption,
  page,
  partialCancel,
  type ReadValue,
  readOrder,
  redeemedReward,
  redemption,
  resultList,
  resultListOrNone,
  resultObject,
  startedChallenge,
  tiers,
  validatedChallenge,
} from './payload.ts';

/** The calls. Webhooks are operations of the contract too, but the connector receives those. */
export type OperationId = Exclude<keyof operations, keyof webhooks>;

interface Operation {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: keyof paths;
  /** The value of an answer that reports no error. */
  readonly value: ReadValue;
  /** Absent: the answer must say whether it is an error. `none`: the object comes bare. */
  readonly envelope?: 'none';
  /** The id in the path is a customer's. */
  readonly namesCustomer?: true;
  /** `Code` of the answer is the customer's PIN: dropped before anything reads the answer. */
  readonly answersWithPin?: true;
}

export const operationTable: Readonly<Record<OperationId, Operation>> = {
  updateProduct: { method: 'PUT', path: '/v1/pvt/Product/{id}', value: resultObject },
  calculateProductPoints: { method: 'POST', path: '/v1/pvt/Product/points', value: resultList },
  redeemReward: {
    method: 'POST',
    path: '/v1/pvt/RewardConfigurations/{id}/redeem',
    value: redemption,
    envelope: 'none',
  },
  sendOrder: { method: 'POST', path: '/v1/pvt/POS/orders', value: resultObject },
  createCoupon: { method: 'POST', path: '/v1/pvt/Coupons', value: page },
  changeCashback: {
    method: 'POST',
    path: '/v1/pvt/Customer/{id}/cashback',
    value: customerPoints,
    namesCustomer: true,
  },
  listTiers: { method: 'POST', path: '/v1/pvt/Tiers/available', value: tiers, envelope: 'none' },
  updateRewardMetadata: {
    method: 'POST',
    path: '/v1/pvt/Rewards/updatemetadata',
    value: keyedRedemption,
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
    value: cancelledOrder,
  },
  listRewardConfigurations: { method: 'GET', path: '/v1/pvt/RewardConfigurations', value: page },
  answerQuiz: { method: 'POST', path: '/v1/pvt/Quiz/answer', value: resultObject },
  cancelOrder: { method: 'POST', path: '/v1/pvt/Order/{orderId}/cancel', value: cancelledOrder },
  getOrder: {
    method: 'GET',
    path: '/v1/pvt/Order/{orderId}',
    value: readOrder,
    envelope: 'none',
  },
  completeOrder: {
    method: 'POST',
    path: '/v1/pvt/Order/{orderId}/complete',
    value: completedOrder,
  },
  partiallyCancelOrder: {
    method: 'POST',
    path: '/v1/pvt/Order/{orderId}/partialcancel',
    value: partialCancel,
  },
  partiallyCancelPosOrder: {
    method: 'POST',
    path: '/v1/pvt/POS/{orderId}/partialcancel',
    value: partialCancel,
  },
  listAvailableRewards: {
    method: 'POST',
    path: '/v1/pvt/POS/rewards/available',
    value: availableRewards,
    envelope: 'none',
  },
  redeemRewardByKey: {
    method: 'POST',
    path: '/v1/pvt/POS/rewards/{id}/redeem',
    value: keyedRedemption,
  },
  cancelRedemption: {
    method: 'DELETE',
    path: '/v1/pvt/POS/rewards/{id}',
    value: cancelledRedemption,
  },
  cancelRedemptionByKey: {
    method: 'DELETE',
    path: '/v1/pvt/POS/rewards',
    value: cancelledRedemption,
  },
  startChallenge: {
    method: 'POST',
    path: '/v1/pvt/POS/customers/{id}/challenge',
    value: startedChallenge,
    envelope: 'none',
    namesCustomer: true,
    answersWithPin: true,
  },
  validateChallenge: {
    method: 'POST',
    path: '/v1/pvt/POS/customers/{id}/challengevalidate',
    value: validatedChallenge,
    envelope: 'none',
    namesCustomer: true,
    answersWithPin: true,
  },
  getRedeemedReward: {
    method: 'GET',
    path: '/v1/pvt/Rewards/{id}',
    value: redeemedReward,
    envelope: 'none',
  },
  getCustomerPoints: {
    method: 'GET',
    path: '/v1/pvt/Customer/{id}/points',
    value: customerPoints,
    envelope: 'none',
    namesCustomer: true,
  },
  changePoints: {
    method: 'POST',
    path: '/v1/pvt/Customer/{id}/points',
    value: customerPoints,
    namesCustomer: true,
  },
  listPointsHistory: {
    method: 'POST',
    path: '/v1/pvt/Customer/{id}/history',
    value: page,
    namesCustomer: true,
  },
  upsertCustomer: { method: 'POST', path: '/v1/pvt/Customer/upsert', value: resultObject },
  changeCustomerStatus: {
    method: 'POST',
    path: '/v1/pvt/Customer/{originalId}/changestatus',
    value: anyResult,
    namesCustomer: true,
  },
  getCoupon: { method: 'GET', path: '/v1/pvt/Coupons/{code}', value: page },
  listCustomersReport: {
    method: 'GET',
    path: '/v1/pvt/Reports/ListCustomersReport',
    value: page,
  },
};

/** One page of a list. The service may send null for an empty one; readers get an empty array. */
export type Page<Item> = Omit<components['schemas']['ListShape'], 'Items'> & { Items: Item[] };

type Answer<O extends OperationId> = operations[O]['responses'][200]['content']['application/json'];

type ValueIn<A> = A extends { HasError: true }
  ? never
  : A extends { Items: (infer Item)[] | null }
    ? Page<Item>
    : 'Result' extends keyof A
      ? NonNullable<A['Result' & keyof A]>
      : A;

/** A Result that is null where one is due is no success, so no value is null. */
export type Value<O extends OperationId> = ValueIn<Answer<O>>;

type JsonBody<RequestBody> = [RequestBody] extends [never]
  ? never
  : RequestBody extends { content: { 'application/json': infer B } }
    ? B
    : never;

export type Body<O extends OperationId> = JsonBody<NonNullable<operations[O]['requestBody']>>;
export type Query<O extends OperationId> = operations[O]['parameters']['query'];

/** What one call carries. A path parameter or a body that is due cannot be left out. */
export type Input<O extends OperationId> = Pick<operations[O]['parameters'], 'path' | 'query'> &
  ([Body<O>] extends [never] ? { body?: never } : { body: Body<O> });

type Parameters = Readonly<Record<string, string | number | boolean | null | undefined>>;

/**
 * The path and query of a call, ready to be sent as they are. Undefined when an id is blank: the
 * path would be that of a list, or of nothing.
 */
export function buildPath(
  template: string,
  ids: Parameters = {},
  query: Parameters = {},
): string | undefined {
  let blank = false;
  const path = template.replace(/\{(\w+)\}/g, (_, name: string) => {
    const id = ids[name];
    // Sent as "undefined", a forgotten id would address an entity of that name.
    if (id === undefined || id === null) throw new TypeError(`${template}: ${name} is missing`);
    blank ||= String(id).trim() === '';
    return encodeSegment(String(id));
  });
  if (blank) return undefined;
  const pairs = Object.entries(query)
    .filter(([, value]) => value !== undefined && value !== null)
    .map(([name, value]) => `${name}=${encode(String(value))}`);
  return pairs.length === 0 ? path : `${path}?${pairs.join('&')}`;
}

/** `.` and `..` are steps of a path, which encodeURIComponent leaves alone. */
function encodeSegment(id: string): string {
  return id === '.' || id === '..' ? id.replaceAll('.', '%2E') : encode(id);
}

/** UTF-8 cannot carry half a surrogate pair: encodeURIComponent throws on one. */
function encode(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}
