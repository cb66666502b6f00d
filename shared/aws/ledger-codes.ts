import type { DynamoDbCalls } from './aws-calls.ts';
import { CODES_INDEX, discountText, ITEM, indexedIdIn, keyOnly } from './ledger-item.ts';

const CODES_PER_PAGE = 200;

/** One page of a discount's codes, from the index that only coupons are in. */
export async function listCodesOfDiscount(
  client: DynamoDbCalls,
  table: string,
  { shop, discountId, from }: { shop: string; discountId: string; from: string | undefined },
): Promise<{ readonly codes: readonly string[]; readonly next?: string }> {
  const discount = { S: discountText(shop, discountId) };
  const { Items: items = [], LastEvaluatedKey: last } = await client.query({
    TableName: table,
    IndexName: CODES_INDEX,
    KeyConditionExpression: '#discount = :discount',
    ExpressionAttributeNames: { '#discount': ITEM.discount },
    ExpressionAttributeValues: { ':discount': discount },
    Limit: CODES_PER_PAGE,
    ...(from !== undefined && {
      ExclusiveStartKey: { ...keyOnly(from), [ITEM.discount]: discount },
    }),
  });
  const codes = items
    .map((item) => indexedIdIn(shop, 'coupon', item))
    .filter((code) => code !== undefined);
  const next = last?.[ITEM.key]?.S;
  return { codes, ...(next !== undefined && { next }) };
}
