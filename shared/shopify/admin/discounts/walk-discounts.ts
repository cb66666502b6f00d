import type { DiscountPage } from '../../../core/sync/store-reader.ts';
import type { Changed, Span, WalkAnswer, WalkPage } from '../../../core/sync/store-walk.ts';
import { unavailable, unlessUnlikeSchema } from '../client/admin-answer.ts';
import type { Ask, DataOf } from '../client/admin-client.ts';
import { changedDiscountsDocument } from '../documents.gen.ts';
import { searchFor, walkPage } from '../walk-page.ts';
import type { CodeDiscountNode } from './discount-node.ts';
import { discountPage } from './read-discount.ts';

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
  // The search leaves automatic discounts out; one that came all the same has nothing to mirror.
  if (!('codes' in discount)) return [];
  // Here a discount is a node of any kind, and its global id may say so; its number is the same.
  const id = gid.split('/').at(-1) ?? '';
  const node: CodeDiscountNode = {
    id: `gid://shopify/DiscountCodeNode/${id}`,
    codeDiscount: discount,
  };
  const value = await unlessUnlikeSchema(() => discountPage(node, undefined), undefined);
  return [{ id, updatedAt: discount.updatedAt, value }];
}
