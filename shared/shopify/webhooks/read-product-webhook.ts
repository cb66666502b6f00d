import * as v from 'valibot';
import { smallest } from '../../store/money.ts';
import type { StoreCategory, StoreProduct } from '../../store/product.ts';
import type { Unreadable } from '../../store/read-fault.ts';
import { entityId } from '../entity-id.ts';
import {
  amount,
  id,
  list,
  moment,
  optional,
  readPayload,
  text,
  together,
} from './payload-fields.ts';

export type ReadProduct = { readonly kind: 'read'; readonly product: StoreProduct } | Unreadable;

const picture = v.object({ src: optional(text) });

const productPayload = v.pipe(
  v.object({
    id: optional(id),
    admin_graphql_api_id: optional(text),
    title: text,
    handle: optional(text),
    /** Absent before API 2020-10, when every product in the store was active. */
    status: optional(text),
    vendor: optional(text),
    product_type: optional(text),
    /** Since API 2024-10. */
    category: optional(
      v.object({ admin_graphql_api_id: optional(text), full_name: optional(text) }),
    ),
    updated_at: moment,
    /** Only the first hundred. */
    variants: list(v.object({ price: optional(amount) })),
    image: optional(picture),
    images: list(picture),
    media: list(v.object({ preview_image: optional(picture) })),
  }),
  together(['id', 'admin_graphql_api_id'], (payload) => entityId(payload, 'Product') !== undefined),
);

type ProductPayload = v.InferOutput<typeof productPayload>;

export function readProductWebhook(value: unknown): ReadProduct {
  const result = readPayload(productPayload, value);
  return result.kind === 'read' ? { kind: 'read', product: toProduct(result.value) } : result;
}

function toProduct(payload: ProductPayload): StoreProduct {
  const prices = payload.variants.map(({ price }) => price).filter((price) => price != null);
  return {
    id: entityId(payload, 'Product') ?? '',
    title: payload.title,
    handle: payload.handle || undefined,
    imageUrl:
      payload.image?.src ||
      payload.images[0]?.src ||
      payload.media[0]?.preview_image?.src ||
      undefined,
    status: payload.status?.toLowerCase() || 'active',
    vendor: payload.vendor?.trim() || undefined,
    category: readCategory(payload),
    productType: payload.product_type?.trim() || undefined,
    price: smallest(prices),
    updatedAt: payload.updated_at,
  };
}

/** What the store writes for a product without a category, with the name "Uncategorized". */
const NO_CATEGORY = 'na';

function readCategory({ category }: ProductPayload): StoreCategory | undefined {
  const names = (category?.full_name ?? '')
    .split(' > ')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  const gid = category?.admin_graphql_api_id ?? '';
  const id = /^gid:\/\/shopify\/TaxonomyCategory\/([\w-]+)$/.exec(gid)?.[1];
  return names.length === 0 || id === NO_CATEGORY ? undefined : { id, names };
}
