import type { CodeUses } from '../../../core/redeem/reward-store.ts';
import type {
  Changed,
  DiscountPage,
  Span,
  StoreAnswer,
  WalkAnswer,
  WalkPage,
} from '../../../core/store/store.ts';
import type { StoreCoupon } from '../../../store/coupon.ts';
import { type AdminAnswer, failure, ifLikeSchema, unavailable } from '../client/admin-answer.ts';
import type { Ask, DataOf } from '../client/admin-client.ts';
import {
  changedDiscountsDocument,
  codeUsesDocument,
  couponDocument,
  discountDocument,
} from '../documents.gen.ts';
import { searchFor, walkPage } from '../pages.ts';
import { type CodeDiscountNode, couponFromNode, type RedeemCode } from './coupon-from-node.ts';

type DiscountData = DataOf<typeof discountDocument>;

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

/** Undefined when a required field is missing. */
function discountPage(
  { id, codeDiscount }: CodeDiscountNode,
  from: string | undefined,
): DiscountPage | undefined {
  const { nodes, pageInfo } = codeDiscount.codes;
  const coupons = nodes
    .map((redeem) => couponFromNode(id, codeDiscount, redeem))
    .filter((coupon) => coupon !== undefined);
  // Without a new cursor the walk would never end.
  const lost = pageInfo.hasNextPage && (pageInfo.endCursor ?? from) === from;
  if (lost || coupons.length < nodes.length) return undefined;
  const next = pageInfo.hasNextPage && pageInfo.endCursor ? { next: pageInfo.endCursor } : {};
  return { automatic: false, coupons, ...next };
}

/** The store returns an empty object, not null, for the id of an automatic discount. */
function codeNodeOf({ code }: DiscountData): CodeDiscountNode | undefined {
  return code?.codeDiscount ? (code as CodeDiscountNode) : undefined;
}

/** A webhook's number does not show which of the two kinds the discount is. */
function askDiscount(
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

type Node = DataOf<typeof changedDiscountsDocument>['discountNodes']['nodes'][number];

export async function walkDiscounts(
  ask: Ask,
  span: Span,
  after: string | undefined,
): Promise<WalkAnswer<WalkPage<DiscountPage>>> {
  const place = { search: `method:code AND ${searchFor(span)}`, after: after ?? null };
  const answer = await ask(changedDiscountsDocument, place);
  if (answer.kind !== 'data') return unavailable(answer);
  const { discountNodes } = answer.data;
  const changed = await Promise.all(discountNodes.nodes.map(changedDiscount));
  return walkPage(discountNodes, changed.flat(), after);
}

async function changedDiscount({ id: gid, discount }: Node): Promise<Changed<DiscountPage>[]> {
  // The search excludes automatic discounts, which have no codes to sync.
  if (!('codes' in discount)) return [];
  // The type in this global id may be `DiscountNode`; the number is the same.
  const id = gid.split('/').at(-1) ?? '';
  const node: CodeDiscountNode = {
    id: `gid://shopify/DiscountCodeNode/${id}`,
    codeDiscount: discount,
  };
  const value = await ifLikeSchema(() => discountPage(node, undefined), undefined);
  return [{ id, updatedAt: discount.updatedAt, value }];
}

export async function readCodeUses(ask: Ask, discountIds: readonly string[]): Promise<CodeUses> {
  const answer = await ask(codeUsesDocument, { ids: discountIds });
  if (answer.kind !== 'data') return unavailable(answer);
  const uses = new Map<string, number>();
  for (const node of answer.data.nodes) {
    if (!node || !('codeDiscount' in node)) continue;
    const { codeDiscount } = node;
    if ('asyncUsageCount' in codeDiscount) uses.set(node.id, codeDiscount.asyncUsageCount);
  }
  return { kind: 'read', uses };
}

/** The store does not distinguish upper and lower case in codes. */
export async function readCoupon(ask: Ask, code: string): Promise<StoreAnswer<StoreCoupon>> {
  const answer = await ask(couponDocument, { code, search: quoted(code) });
  if (answer.kind !== 'data') return unavailable(answer);
  const node = answer.data.codeDiscountNodeByCode;
  if (!node) return { kind: 'gone' };
  const found = findCode(node.codeDiscount.codes.nodes, code);
  return found ? toAnswer(node, found) : searchAll(ask, node.id, code);
}

/**
 * The store's search is by words and may miss a code with special characters, so a code that belongs to
 * the discount is then looked for among all its codes.
 */
async function searchAll(
  ask: Ask,
  discountGid: string,
  code: string,
): Promise<StoreAnswer<StoreCoupon>> {
  const number = discountGid.split('/').at(-1) ?? '';
  let after: string | undefined;
  do {
    const answer = await askDiscount(ask, number, after);
    if (answer.kind !== 'data') return unavailable(answer);
    const node = codeNodeOf(answer.data);
    if (!node) return { kind: 'gone' };
    const { nodes, pageInfo } = node.codeDiscount.codes;
    const found = findCode(nodes, code);
    if (found) return toAnswer(node, found);
    const next = pageInfo.hasNextPage ? (pageInfo.endCursor ?? undefined) : undefined;
    // The same cursor again would be followed until the batch runs out of time.
    if (next !== undefined && next === after) return unavailable(failure('not-the-api'));
    after = next;
  } while (after !== undefined);
  return { kind: 'gone' };
}

function toAnswer(node: CodeDiscountNode, redeem: RedeemCode): StoreAnswer<StoreCoupon> {
  const value = couponFromNode(node.id, node.codeDiscount, redeem);
  return value ? { kind: 'found', value } : unavailable(failure('unreadable-answer'));
}

/** The exact spelling first. */
function findCode(nodes: readonly RedeemCode[], code: string): RedeemCode | undefined {
  const small = code.toLowerCase();
  return (
    nodes.find((redeem) => redeem.code === code) ??
    nodes.find((redeem) => redeem.code.toLowerCase() === small)
  );
}

/** Quoted, so that operators of the search language lose their meaning. */
function quoted(code: string): string {
  return `"${code.replace(/["\\]/g, '\\$&')}"`;
}
