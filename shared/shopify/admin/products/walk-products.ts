import type { Span, WalkAnswer, WalkPage } from '../../../core/sync/store-walk.ts';
import type { StoreProduct } from '../../../store/product.ts';
import { idFromGid } from '../../entity-id.ts';
import { unavailable, unlessUnlikeSchema } from '../client/admin-answer.ts';
import type { Ask } from '../client/admin-client.ts';
import { changedProductsDocument } from '../documents.gen.ts';
import { searchFor, walkPage } from '../walk-page.ts';
import { productFromNode } from './read-product.ts';

export async function walkProducts(
  ask: Ask,
  span: Span,
  after: string | undefined,
): Promise<WalkAnswer<WalkPage<StoreProduct>>> {
  const place = { search: searchFor(span), after: after ?? null };
  const answer = await ask(changedProductsDocument, place);
  if (answer.kind !== 'data') return unavailable(answer);
  const { products } = answer.data;
  const changed = await Promise.all(
    products.nodes.map(async (node) => ({
      id: idFromGid(node.id, 'Product') ?? '',
      updatedAt: node.updatedAt,
      value: await unlessUnlikeSchema(() => productFromNode(node), undefined),
    })),
  );
  return walkPage(products, changed, after);
}
