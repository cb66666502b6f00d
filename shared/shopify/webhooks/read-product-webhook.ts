import * as v from 'valibot';
import { smallest } from '../../store/money.ts';
import type { StoreCategory, StoreProduct, Unreadable } from '../../store/store-entities.ts';
import type { DataOf } from '../admin/client/admin-client.ts';
import type { productDocument } from '../admin/documents.gen.ts';
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
import { asRecord, asText, type Payload, productIdOfEvent } from './topics.ts';

type ReadProduct =
  | {
      readonly kind: 'read';
      readonly product: StoreProduct;
      /** The cheapest variant may be missing. */
      readonly partial: boolean;
    }
  | Unreadable;

const picture = v.object({ src: optional(text) });

export const productPayload = v.pipe(
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
    /** Of all. */
    variant_gids: list(v.object({ admin_graphql_api_id: optional(text) })),
    image: optional(picture),
    images: list(picture),
    media: list(v.object({ preview_image: optional(picture) })),
  }),
  together(['id', 'admin_graphql_api_id'], (payload) => entityId(payload, 'Product') !== undefined),
);

type ProductPayload = v.InferOutput<typeof productPayload>;

export function readProductWebhook(value: unknown): ReadProduct {
  const result = readPayload(productPayload, value);
  if (result.kind !== 'read') return result;
  const { variants, variant_gids: all } = result.value;
  const product = toProduct(result.value);
  const partial = product.price === undefined || all.length > variants.length;
  return { kind: 'read', product, partial };
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

type ReadProductEvent =
  | {
      readonly kind: 'read';
      readonly id: string;
      /** Undefined for a deletion, and if the query of the subscription was not answered as it should be. */
      readonly product: StoreProduct | undefined;
    }
  | Unreadable;

/**
 * The headers are not signed, the body is: it must be that of an Event of this topic and action
 * (`Product/update`). So a captured update cannot pass for a deletion, nor a webhook's body for an Event.
 */
export function readProductEvent(topic: string, payload: unknown): ReadProductEvent {
  const body = asRecord(payload) ?? {};
  const action = asText(body.action);
  const id = productIdOfEvent(body);
  if (`${asText(body.topic)}/${action}` !== topic || id === undefined) {
    const problem = 'is not the body of an Event with this topic and action';
    return { kind: 'unreadable', faults: [{ path: '$', problem }] };
  }
  const isAnswered = action !== 'delete' && !hasErrors(body);
  return { kind: 'read', id, product: isAnswered ? productIn(body) : undefined };
}

/** A field that was refused is null then, which would read like an empty one. */
function hasErrors({ errors, query_errors }: Payload): boolean {
  return errors != null || query_errors != null;
}

function productIn({ data }: Payload): StoreProduct | undefined {
  const node = asRecord(asRecord(data)?.product);
  try {
    return node && productFromNode(node as unknown as ProductNode);
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}
