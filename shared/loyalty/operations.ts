import type { components, operations, paths, webhooks } from './contract.gen.ts';

export type Schemas = components['schemas'];

/** The calls. Webhooks are operations of the contract too, but the connector receives those. */
export type OperationId = Exclude<keyof operations, keyof webhooks>;

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

interface Options {
  /** It changes nothing, although it is not a GET. */
  readonly reads?: true;
  /** Absent: the answer must say whether it is an error. `none`: the object comes bare. */
  readonly envelope?: 'none';
  /** `Code` of the answer is the customer's PIN: dropped before anything reads the answer. */
  readonly answersWithPin?: true;
}

/** What a call carries behind the id in its path. */
type Parts = readonly ('query' | 'body')[];

interface Operation<Taken extends Parts = Parts> extends Options {
  readonly method: Method;
  readonly path: keyof paths;
  /** The name of the id in the path; undefined for a path without one. */
  readonly id: string | undefined;
  readonly takes: Taken;
  /** The value of an answer that reports no error. */
  readonly value: ReadValue;
  readonly namesCustomer: boolean;
}

/** It changes nothing: a shop that is only observed may make it. */
export const isReading = ({ method, reads }: Operation): boolean =>
  method === 'GET' || reads === true;

// The annotation lets esbuild leave the table out of a function that makes no call.
/* @__NO_SIDE_EFFECTS__ */
function operation<
  Call extends `${Method} ${keyof paths}`,
  const Taken extends Parts = Call extends `P${string}` ? ['body'] : [],
>(
  call: Call,
  value: ReadValue,
  { takes, ...options }: Options & { readonly takes?: Taken } = {},
): Operation<NoInfer<Taken>> {
  const [method, path] = call.split(' ') as [Method, keyof paths];
  const [, id] = /\{(\w+)\}/.exec(path) ?? [];
  const byMethod: Parts = method === 'POST' || method === 'PUT' ? ['body'] : [];
  return {
    ...{ method, path, id, value, takes: takes ?? (byMethod as Taken) },
    ...{ namesCustomer: /\/customers?\/\{/i.test(path), ...options },
  };
}

export const operationTable: { readonly [O in OperationId]: Operation<Takes<O>> } = {
  updateProduct: operation('PUT /v1/pvt/Product/{id}', resultObject),
  calculateProductPoints: operation('POST /v1/pvt/Product/points', resultList, { reads: true }),
  redeemReward: operation('POST /v1/pvt/RewardConfigurations/{id}/redeem', redemption, {
    envelope: 'none',
  }),
  sendOrder: operation('POST /v1/pvt/POS/orders', resultObject),
  createCoupon: operation('POST /v1/pvt/Coupons', page),
  changeCashback: operation('POST /v1/pvt/Customer/{id}/cashback', customerPoints),
  listTiers: operation('POST /v1/pvt/Tiers/available', tiers, { envelope: 'none', reads: true }),
  updateRewardMetadata: operation('POST /v1/pvt/Rewards/updatemetadata', keyedRedemption),
  getRewardConfiguration: operation('GET /v1/pvt/RewardConfigurations/{id}', resultObject),
  listQuizzes: operation('GET /v1/pvt/Quiz/list', resultListOrNone, { takes: ['query'] }),
  getCustomer: operation('GET /v1/pvt/Customer/{id}', resultObject),
  deactivateCoupon: operation('POST /v1/pvt/Coupons/{code}/inactive', page, { takes: [] }),
  cancelPosOrder: operation('POST /v1/pvt/POS/orders/{orderId}/cancel', cancelledOrder),
  listRewardConfigurations: operation('GET /v1/pvt/RewardConfigurations', page, {
    takes: ['query'],
  }),
  answerQuiz: operation('POST /v1/pvt/Quiz/answer', resultObject, { takes: ['query', 'body'] }),
  cancelOrder: operation('POST /v1/pvt/Order/{orderId}/cancel', cancelledOrder),
  getOrder: operation('GET /v1/pvt/Order/{orderId}', readOrder, { envelope: 'none' }),
  completeOrder: operation('POST /v1/pvt/Order/{orderId}/complete', completedOrder),
  partiallyCancelOrder: operation('POST /v1/pvt/Order/{orderId}/partialcancel', partialCancel),
  partiallyCancelPosOrder: operation('POST /v1/pvt/POS/{orderId}/partialcancel', partialCancel),
  listAvailableRewards: operation('POST /v1/pvt/POS/rewards/available', availableRewards, {
    envelope: 'none',
    reads: true,
  }),
  redeemRewardByKey: operation('POST /v1/pvt/POS/rewards/{id}/redeem', keyedRedemption),
  cancelRedemption: operation('DELETE /v1/pvt/POS/rewards/{id}', cancelledRedemption),
  cancelRedemptionByKey: operation('DELETE /v1/pvt/POS/rewards', cancelledRedemption, {
    takes: ['query'],
  }),
  startChallenge: operation('POST /v1/pvt/POS/customers/{id}/challenge', startedChallenge, {
    envelope: 'none',
    answersWithPin: true,
  }),
  validateChallenge: operation(
    'POST /v1/pvt/POS/customers/{id}/challengevalidate',
    validatedChallenge,
    { envelope: 'none', answersWithPin: true },
  ),
  getRedeemedReward: operation('GET /v1/pvt/Rewards/{id}', redeemedReward, { envelope: 'none' }),
  getCustomerPoints: operation('GET /v1/pvt/Customer/{id}/points', customerPoints, {
    envelope: 'none',
  }),
  changePoints: operation('POST /v1/pvt/Customer/{id}/points', customerPoints),
  listPointsHistory: operation('POST /v1/pvt/Customer/{id}/history', page, {
    takes: ['query'],
    reads: true,
  }),
  upsertCustomer: operation('POST /v1/pvt/Customer/upsert', resultObject),
  changeCustomerStatus: operation('POST /v1/pvt/Customer/{originalId}/changestatus', anyResult),
  getCoupon: operation('GET /v1/pvt/Coupons/{code}', page),
  listCustomersReport: operation('GET /v1/pvt/Reports/ListCustomersReport', page, {
    takes: ['query'],
  }),
  listExpiringPoints: operation('GET /v1/pvt/Reports/ListExpirePointsNotification', page, {
    takes: ['query'],
  }),
};

/** One page of a list. The service may send null for an empty one; readers get an empty array. */
export type Page<Item> = Omit<Schemas['ListShape'], 'Items'> & { Items: Item[] };

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
type Query<O extends OperationId> = operations[O]['parameters']['query'];

/** What one call carries. A path parameter or a body that is due cannot be left out. */
export type Input<O extends OperationId> = Pick<operations[O]['parameters'], 'path' | 'query'> &
  ([Body<O>] extends [never] ? { body?: never } : { body: Body<O> });

type TakenQuery<O extends OperationId> = [NonNullable<Query<O>>] extends [never] ? [] : ['query'];
type TakenBody<O extends OperationId> = [Body<O>] extends [never] ? [] : ['body'];
type Takes<O extends OperationId> = readonly [...TakenQuery<O>, ...TakenBody<O>];

type GivenId<O extends OperationId> = operations[O]['parameters'] extends { path: infer Path }
  ? [id: Path[keyof Path]]
  : [];
type GivenQuery<O extends OperationId> =
  TakenQuery<O> extends []
    ? []
    : undefined extends Query<O>
      ? [query?: Query<O>]
      : [query: Query<O>];

/** What the function of an operation is called with, before the options: the id in the path, the query, the body. */
export type Given<O extends OperationId> = [
  ...GivenId<O>,
  ...GivenQuery<O>,
  ...(TakenBody<O> extends [] ? [] : [body: Body<O>]),
];

type PathParameters = Readonly<Record<string, string | number | boolean | null | undefined>>;

/**
 * The path and query of a call, ready to be sent as they are. Undefined when an id is blank: the
 * path would be that of a list, or of nothing.
 */
export function buildPath(
  template: string,
  ids: PathParameters = {},
  query: PathParameters = {},
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

/**
 * What an answer without an error carries: its containers, and every field by which the answer says
 * that the call was carried out. Other fields are not checked: the contract requires none of them.
 */
export type JsonObject = Readonly<Record<string, unknown>>;

/** What an answer says although it reports no error: that the call was not, or perhaps not, done. */
export class Finding {
  readonly name: FindingName;
  readonly class: 'retry' | 'rejected';
  /** The service's own words, not scrubbed. */
  readonly text: string | undefined;

  constructor(name: FindingName, errorClass: Finding['class'], text?: unknown) {
    this.name = name;
    this.class = errorClass;
    this.text = typeof text === 'string' && text.trim() !== '' ? text : undefined;
  }
}

export type FindingName =
  /** A cancellation shows up to 24 hours late; until the answer says so, the order is not cancelled. */
  | 'not-cancelled'
  | 'not-completed'
  | 'refund-refused'
  /** A partial cancel under a key that was accepted before. */
  | 'cancel-key-used'
  | 'customer-does-not-exist'
  | 'points-error'
  /** A redemption whose answer does not hold the reward, or holds it disabled. */
  | 'reward-missing'
  | 'reward-disabled';

/** `undefined`: the answer is not of the shape. */
type ReadValue = (body: JsonObject, sent: SentParts) => unknown;

/** The parts of a request that its answer must repeat. */
export interface SentParts {
  readonly path?: JsonObject | undefined;
  readonly body?: unknown;
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function objectsIn(value: unknown): JsonObject[] | undefined {
  return Array.isArray(value) && value.every(isObject) ? value : undefined;
}

function resultObject(body: JsonObject) {
  return isObject(body.Result) ? body.Result : undefined;
}

/** For an answer whose Result is not shown: that it reports no error is all it says. */
function anyResult(body: JsonObject) {
  return isObject(body.Result) ? body.Result : {};
}

function resultList(body: JsonObject) {
  return objectsIn(body.Result);
}

function resultListOrNone(body: JsonObject) {
  return (body.Result ?? null) === null ? [] : resultList(body);
}

/** The object that comes bare, or in an envelope: the service is moving operations between the two. */
function bareObject(body: JsonObject) {
  return 'HasError' in body && 'Result' in body ? resultObject(body) : body;
}

function page(body: JsonObject) {
  const items = body.Items === null ? [] : objectsIn(body.Items);
  const { TotalItemCount, PageSize, PageNumber, HasNextPage } = body;
  const numbered = [TotalItemCount, PageSize, PageNumber].every((n) => typeof n === 'number');
  if (items === undefined || !numbered || typeof HasNextPage !== 'boolean') return undefined;
  return { Items: items, TotalItemCount, PageSize, PageNumber, HasNextPage };
}

/**
 * An empty page does not end a report as long as the service counts items beyond it. The count bounds what is asked of a
 * service that always says there are more.
 */
export function isLastPage(
  page: {
    readonly HasNextPage: boolean;
    readonly Items: unknown[];
    readonly TotalItemCount: number;
  },
  askedUpTo: number,
): boolean {
  return !page.HasNextPage || (page.Items.length === 0 && askedUpTo >= page.TotalItemCount);
}

function tiers(body: JsonObject) {
  const value = bareObject(body);
  const lists = objectsIn(value?.NextTiers) && objectsIn(value?.AllTiers);
  const tierOrNone = value?.CurrentTier === null || isObject(value?.CurrentTier);
  return tierOrNone && lists ? value : undefined;
}

/** Points may be spent all the same, so neither finding says that the call was not carried out. */
function redemption(body: JsonObject, { path }: SentParts) {
  const list = page(body);
  const reward = list?.Items.find(({ Id }) => Id === path?.id);
  if (list !== undefined && reward === undefined) return new Finding('reward-missing', 'retry');
  if (reward?.Enabled === false) {
    return new Finding('reward-disabled', 'retry', reward.DisabledReason);
  }
  return list;
}

function keyedRedemption(body: JsonObject, { body: sent }: SentParts) {
  const result = resultObject(body);
  const key = isObject(sent) ? sent.OriginalKey : undefined;
  const isOurs = result !== undefined && result.OriginalKey === key;
  return isOurs && typeof result.RewardId === 'number' ? result : undefined;
}

function cancelledRedemption(body: JsonObject) {
  const result = resultObject(body);
  return result && result.IsCanceled !== true ? new Finding('not-cancelled', 'retry') : result;
}

function redeemedReward(body: JsonObject) {
  const value = bareObject(body);
  return typeof value?.Id === 'number' && typeof value.IsCanceled === 'boolean' ? value : undefined;
}

function cancelledOrder(body: JsonObject) {
  const result = resultObject(body);
  return result && result.isCanceled !== true ? new Finding('not-cancelled', 'retry') : result;
}

function completedOrder(body: JsonObject) {
  const result = resultObject(body);
  return result && result.IsCompleted !== true ? new Finding('not-completed', 'retry') : result;
}

/** `isCanceled` may be false on success: only the details say that a part was not cancelled. */
function partialCancel(body: JsonObject) {
  const result = resultObject(body);
  const details = result?.RefundErrorDetails ?? null;
  if (details === null) return result;
  if (!isObject(details)) return new Finding('refund-refused', 'rejected', details);
  // How the service words a used key is not shown. The key is never malformed, so it can only be used.
  const name = details.Field === 'CancelKey' ? 'cancel-key-used' : 'refund-refused';
  return new Finding(name, 'rejected', details.Message);
}

function readOrder(body: JsonObject) {
  const value = bareObject(body);
  return typeof value?.OriginalId === 'string' ? value : undefined;
}

function availableRewards(body: JsonObject) {
  const value = bareObject(body);
  if (value === undefined) return undefined;
  const rewards = value.Rewards === null ? [] : objectsIn(value.Rewards);
  return rewards && { ...value, Rewards: rewards };
}

function customerPoints(body: JsonObject) {
  const value = bareObject(body);
  if (value?.CustomerExists === false) return new Finding('customer-does-not-exist', 'rejected');
  if ((value?.Error ?? '') !== '') return new Finding('points-error', 'rejected', value?.Error);
  return value?.CustomerExists === true ? value : undefined;
}

function startedChallenge(body: JsonObject) {
  const value = bareObject(body);
  return typeof value?.Success === 'boolean' ? value : undefined;
}

/** A success under another TransactionId is about another PIN. */
function validatedChallenge(body: JsonObject, { body: sent }: SentParts) {
  const value = startedChallenge(body);
  const id = isObject(sent) ? sent.TransactionId : undefined;
  const isOurs = (value?.TransactionId ?? id) === id;
  return value?.Success === true && !isOurs ? undefined : value;
}

export const pointTopics = ['Point_Add', 'Point_Update', 'Point_Removed'] as const;
export type PointTopic = (typeof pointTopics)[number];
