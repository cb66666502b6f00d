/**
 * Light checks of what an answer carries: the containers, not every field. All fields of a resource
 * are optional in the contract, so a deeper check would cost time and find nothing more.
 * `undefined` means that the answer is not of the shape.
 */
export type JsonObject = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function objectsIn(value: unknown): JsonObject[] | undefined {
  return Array.isArray(value) && value.every(isObject) ? value : undefined;
}

export function resultObject(body: JsonObject) {
  return isObject(body.Result) ? body.Result : undefined;
}

export function resultObjectOrNull(body: JsonObject) {
  return (body.Result ?? null) === null ? null : resultObject(body);
}

export function resultList(body: JsonObject) {
  return objectsIn(body.Result);
}

export function resultListOrNone(body: JsonObject) {
  return (body.Result ?? null) === null ? [] : resultList(body);
}

export function page(body: JsonObject) {
  const items = body.Items === null ? [] : objectsIn(body.Items);
  const { TotalItemCount, PageSize, PageNumber, HasNextPage } = body;
  const numbered = [TotalItemCount, PageSize, PageNumber].every((n) => typeof n === 'number');
  if (items === undefined || !numbered || typeof HasNextPage !== 'boolean') return undefined;
  return { Items: items, TotalItemCount, PageSize, PageNumber, HasNextPage };
}

export function tiers(body: JsonObject) {
  const lists = objectsIn(body.NextTiers) && objectsIn(body.AllTiers);
  const tierOrNone = body.CurrentTier === null || isObject(body.CurrentTier);
  return tierOrNone && lists ? body : undefined;
}
