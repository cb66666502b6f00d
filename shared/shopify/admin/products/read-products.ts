import type { PricesRead } from '../../../core/redeem/reward-store.ts';
import type { StoreAnswer } from '../../../core/sync/store-reader.ts';
import type { Span, WalkAnswer, WalkPage } from '../../../core/sync/store-walk.ts';
import type { StoreProduct } from '../../../store/product.ts';
import { idFromGid } from '../../entity-id.ts';
import { readProductWebhook } from '../../webhooks/read-product-webhook.ts';
import { failure, ifLikeSchema, unavailable } from '../client/admin-answer.ts';
import type { Ask, DataOf } from '../client/admin-client.ts';
import {
  changedProductsDocument,
  productDocument,
  productPricesDocument,
} from '../documents.gen.ts';
import { searchFor, walkPage } from '../pages.ts';

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

export type ProductNode = NonNullable<DataOf<typeof productDocument>['product']>;

/** Undefined when a required field is missing. */
export function productFromNode(node: ProductNode): StoreProduct | undefined {
  const read = readProductWebhook(productAsPayload(node));
  return read.kind === 'read' ? read.product : undefined;
}

/** In the shape of a webhook's body, so that one reader reads both. */
function productAsPayload(product: ProductNode): unknown {
  const { category, priceRangeV2, media, featuredMedia } = product;
  return {
    admin_graphql_api_id: product.id,
    title: product.title,
    handle: product.handle,
    status: product.status,
    vendor: product.vendor,
    product_type: product.productType,
    updated_at: product.updatedAt,
    category: category && { admin_graphql_api_id: category.id, full_name: category.fullName },
    variants: [{ price: priceRangeV2.minVariantPrice.amount }],
    image: { src: media.nodes[0]?.image?.url ?? featuredMedia?.preview?.image?.url },
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
