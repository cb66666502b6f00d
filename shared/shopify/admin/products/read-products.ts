import type { PricesRead } from '../../../core/redeem/reward-store.ts';
import type { Span, StoreAnswer, WalkAnswer, WalkPage } from '../../../core/store/store.ts';
import type { StoreProduct } from '../../../store/product.ts';
import { idFromGid } from '../../entity-id.ts';
import { failure, ifLikeSchema, unavailable } from '../client/admin-answer.ts';
import type { Ask } from '../client/admin-client.ts';
import {
  changedProductsDocument,
  productDocument,
  productPricesDocument,
} from '../documents.gen.ts';
import { searchFor, walkPage } from '../pages.ts';
import { productFromNode } from './product-from-node.ts';

export async function readProduct(ask: Ask, id: string): Promise<StoreAnswer<StoreProduct>> {
  const answer = await ask(productDocument, { id: `gid://shopify/Product/${id}` });
  if (answer.kind !== 'data') return unavailable(answer);
  const { product: node } = answer.data;
  if (!node) return { kind: 'gone' };
  const product = productFromNode(node);
  return product ? { kind: 'found', value: product } : unavailable(failure('unreadable-answer'));
}

export async function readProductPrices(ask: Ask, id: string): Promise<PricesRead> {
  const answer = await ask(productPricesDocument, { id: `gid://shopify/Product/${id}` });
  if (answer.kind !== 'data') return unavailable(answer);
  const { product } = answer.data;
  if (product?.status !== 'ACTIVE') return { kind: 'absent' };
  const { minVariantPrice, maxVariantPrice } = product.priceRangeV2;
  return {
    kind: 'read',
    lowest: Number(minVariantPrice.amount),
    highest: Number(maxVariantPrice.amount),
  };
}

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
      value: await ifLikeSchema(() => productFromNode(node), undefined),
    })),
  );
  return walkPage(products, changed, after);
}
