import type { StoreAnswer } from '../../../core/sync/store-reader.ts';
import type { StoreCoupon } from '../../../store/coupon.ts';
import { failure, unavailable } from '../client/admin-answer.ts';
import type { Ask } from '../client/admin-client.ts';
import { couponDocument } from '../documents.gen.ts';
import { couponFromNode } from './coupon-from-node.ts';
import type { CodeDiscountNode, RedeemCode } from './discount-node.ts';
import { askDiscount, codeNodeOf } from './read-discount.ts';

/** The coupon that one code is now. Codes are the same in capitals and in small letters. */
export async function readCoupon(ask: Ask, code: string): Promise<StoreAnswer<StoreCoupon>> {
  const answer = await ask(couponDocument, { code, search: searchFor(code) });
  if (answer.kind !== 'data') return unavailable(answer);
  const node = answer.data.codeDiscountNodeByCode;
  if (!node) return { kind: 'gone' };
  const found = findCode(node.codeDiscount.codes.nodes, code);
  return found ? toAnswer(node, found) : searchAll(ask, node.id, code);
}

/**
 * The store's search is by words and does not promise to find a code with signs in it, so a code that
 * is known to belong to the discount is then looked for among all of them.
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
    // A cursor that leads to itself would be followed until the batch's time is over.
    if (next !== undefined && next === after) return unavailable(failure('not-the-api'));
    after = next;
  } while (after !== undefined);
  return { kind: 'gone' };
}

function toAnswer(node: CodeDiscountNode, redeem: RedeemCode): StoreAnswer<StoreCoupon> {
  const value = couponFromNode(node.id, node.codeDiscount, redeem);
  return value ? { kind: 'found', value } : unavailable(failure('unreadable-answer'));
}

/** Another spelling only where the very same is not there. */
function findCode(nodes: readonly RedeemCode[], code: string): RedeemCode | undefined {
  const small = code.toLowerCase();
  return (
    nodes.find((redeem) => redeem.code === code) ??
    nodes.find((redeem) => redeem.code.toLowerCase() === small)
  );
}

/** As one phrase: signs of the search language in it mean themselves. */
function searchFor(code: string): string {
  return `"${code.replace(/["\\]/g, '\\$&')}"`;
}
