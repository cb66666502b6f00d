import type { DiscountPage, StoreAnswer } from '../../../core/sync/store-reader.ts';
import { type AdminAnswer, failure, unavailable } from '../client/admin-answer.ts';
import type { Ask, DataOf } from '../client/admin-client.ts';
import { discountDocument } from '../documents.gen.ts';
import { couponFromNode } from './coupon-from-node.ts';
import type { CodeDiscountNode } from './discount-node.ts';

type DiscountData = DataOf<typeof discountDocument>;

/** A page of a discount's codes. */
export async function readDiscount(
  ask: Ask,
  id: string,
  from: string | undefined,
): Promise<StoreAnswer<DiscountPage>> {
  const answer = await askDiscount(ask, id, from);
  if (answer.kind !== 'data') return unavailable(answer);
  if (answer.data.automatic?.id) return { kind: 'found', value: { automatic: true, coupons: [] } };
  const code = codeNodeOf(answer.data);
  if (!code) return { kind: 'gone' };
  const page = discountPage(code, from);
  return page ? { kind: 'found', value: page } : unavailable(failure('unreadable-answer'));
}

/** A page of codes as coupons; undefined when the answer lacks what every one has. */
export function discountPage(
  { id, codeDiscount }: CodeDiscountNode,
  from: string | undefined,
): DiscountPage | undefined {
  const { nodes, pageInfo } = codeDiscount.codes;
  const coupons = nodes
    .map((redeem) => couponFromNode(id, codeDiscount, redeem))
    .filter((coupon) => coupon !== undefined);
  // The same cursor again would never end.
  const lost = pageInfo.hasNextPage && (pageInfo.endCursor ?? from) === from;
  if (lost || coupons.length < nodes.length) return undefined;
  const next = pageInfo.hasNextPage && pageInfo.endCursor ? { next: pageInfo.endCursor } : {};
  return { automatic: false, coupons, ...next };
}

/** Empty instead of null where the id is one of another kind. */
export function codeNodeOf({ code }: DiscountData): CodeDiscountNode | undefined {
  return code?.codeDiscount ? (code as CodeDiscountNode) : undefined;
}

/** By its number alone nobody knows which of the two kinds it is. */
export function askDiscount(
  ask: Ask,
  id: string,
  after: string | undefined,
): Promise<AdminAnswer<DiscountData>> {
  return ask(discountDocument, {
    codeNode: `gid://shopify/DiscountCodeNode/${id}`,
    automaticNode: `gid://shopify/DiscountAutomaticNode/${id}`,
    after: after ?? null,
  });
}
