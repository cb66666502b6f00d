import type { StoreProduct } from '../../../store/product.ts';
import { readProductWebhook } from '../../webhooks/read-product-webhook.ts';
import type { DataOf } from '../client/admin-client.ts';
import type { productDocument } from '../documents.gen.ts';

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
