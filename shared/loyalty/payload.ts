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
export type ReadValue = (body: JsonObject, sent: SentParts) => unknown;

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

export function resultObject(body: JsonObject) {
  return isObject(body.Result) ? body.Result : undefined;
}

/** For an answer whose Result is not shown: that it reports no error is all it says. */
export function anyResult(body: JsonObject) {
  return isObject(body.Result) ? body.Result : {};
}

export function resultList(body: JsonObject) {
  return objectsIn(body.Result);
}

export function resultListOrNone(body: JsonObject) {
  return (body.Result ?? null) === null ? [] : resultList(body);
}

/** The object that comes bare, or in an envelope: the service is moving operations between the two. */
function bareObject(body: JsonObject) {
  return 'HasError' in body && 'Result' in body ? resultObject(body) : body;
}

export function page(body: JsonObject) {
  const items = body.Items === null ? [] : objectsIn(body.Items);
  const { TotalItemCount, PageSize, PageNumber, HasNextPage } = body;
  const numbered = [TotalItemCount, PageSize, PageNumber].every((n) => typeof n === 'number');
  if (items === undefined || !numbered || typeof HasNextPage !== 'boolean') return undefined;
  return { Items: items, TotalItemCount, PageSize, PageNumber, HasNextPage };
}

export function tiers(body: JsonObject) {
  const value = bareObject(body);
  const lists = objectsIn(value?.NextTiers) && objectsIn(value?.AllTiers);
  const tierOrNone = value?.CurrentTier === null || isObject(value?.CurrentTier);
  return tierOrNone && lists ? value : undefined;
}

/** Points may be spent all the same, so neither finding says that the call was not carried out. */
export function redemption(body: JsonObject, { path }: SentParts) {
  const list = page(body);
  const reward = list?.Items.find(({ Id }) => Id === path?.id);
  if (list !== undefined && reward === undefined) return new Finding('reward-missing', 'retry');
  if (reward?.Enabled === false) {
    return new Finding('reward-disabled', 'retry', reward.DisabledReason);
  }
  return list;
}

export function keyedRedemption(body: JsonObject, { body: sent }: SentParts) {
  const result = resultObject(body);
  const key = isObject(sent) ? sent.OriginalKey : undefined;
  const isOurs = result !== undefined && result.OriginalKey === key;
  return isOurs && typeof result.RewardId === 'number' ? result : undefined;
}

export function cancelledRedemption(body: JsonObject) {
  const result = resultObject(body);
  return result && result.IsCanceled !== true ? new Finding('not-cancelled', 'retry') : result;
}

export function redeemedReward(body: JsonObject) {
  const value = bareObject(body);
  return typeof value?.Id === 'number' && typeof value.IsCanceled === 'boolean' ? value : undefined;
}

export function cancelledOrder(body: JsonObject) {
  const result = resultObject(body);
  return result && result.isCanceled !== true ? new Finding('not-cancelled', 'retry') : result;
}

export function completedOrder(body: JsonObject) {
  const result = resultObject(body);
  return result && result.IsCompleted !== true ? new Finding('not-completed', 'retry') : result;
}

/** `isCanceled` may be false on success: only the details say that a part was not cancelled. */
export function partialCancel(body: JsonObject) {
  const result = resultObject(body);
  const details = result?.RefundErrorDetails ?? null;
  if (details === null) return result;
  if (!isObject(details)) return new Finding('refund-refused', 'rejected', details);
  // How the service words a used key is not shown. The key is never malformed, so it can only be used.
  const name = details.Field === 'CancelKey' ? 'cancel-key-used' : 'refund-refused';
  return new Finding(name, 'rejected', details.Message);
}

export function readOrder(body: JsonObject) {
  const value = bareObject(body);
  return typeof value?.OriginalId === 'string' ? value : undefined;
}

export function availableRewards(body: JsonObject) {
  const value = bareObject(body);
  if (value === undefined) return undefined;
  const rewards = value.Rewards === null ? [] : objectsIn(value.Rewards);
  return rewards && { ...value, Rewards: rewards };
}

export function customerPoints(body: JsonObject) {
  const value = bareObject(body);
  if (value?.CustomerExists === false) return new Finding('customer-does-not-exist', 'rejected');
  if ((value?.Error ?? '') !== '') return new Finding('points-error', 'rejected', value?.Error);
  return value?.CustomerExists === true ? value : undefined;
}

export function startedChallenge(body: JsonObject) {
  const value = bareObject(body);
  return typeof value?.Success === 'boolean' ? value : undefined;
}

/** A success under another TransactionId is about another PIN. */
export function validatedChallenge(body: JsonObject, { body: sent }: SentParts) {
  const value = startedChallenge(body);
  const id = isObject(sent) ? sent.TransactionId : undefined;
  const isOurs = (value?.TransactionId ?? id) === id;
  return value?.Success === true && !isOurs ? undefined : value;
}
