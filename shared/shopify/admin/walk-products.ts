import type { StoreProduct } from '../../store/product.ts';
import type { Span, WalkAnswer, WalkPage } from '../../sync/store-walk.ts';
import { idFromGid } from '../entity-id.ts';
import { unavailable } from './admin-answer.ts';
import type { Ask } from './admin-client.ts';
import { changedProductsDocument } from './documents.gen.ts';
import { productFromNode } from './read-product.ts';
import { unlessUnlikeSchema } from './unlike-schema.ts';
import { searchFor, walkPage } from './walk-page.ts';

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
