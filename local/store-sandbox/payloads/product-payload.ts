import { minorDigits } from '../../../shared/store/money.ts';
import { gid } from '../model/ids.ts';
import { formatMinor } from '../model/minor-units.ts';
import type { ProductRow, VariantRow } from '../model/rows.ts';
import type { World } from '../model/world.ts';
import { idNumber, localMoment } from './json-values.ts';

/** Further variants have only their ids in the payload. */
const variantsInFull = 100;

export function productPayload({ shop }: World, product: ProductRow) {
  const at = (iso: string) => localMoment(iso, shop.utcOffset);
  const image = imagePayload(product, at);
  return {
    id: idNumber(product.id),
    admin_graphql_api_id: gid('Product', product.id),
    body_html: product.description,
    category: product.category && {
      admin_graphql_api_id: gid('TaxonomyCategory', product.category.id),
      name: product.category.fullName.split(' > ').at(-1) ?? '',
      full_name: product.category.fullName,
    },
    created_at: at(product.createdAt),
    handle: product.handle,
    has_variants_that_requires_components: false,
    image,
    images: image ? [image] : [],
    media: [],
    options: [
      {
        id: idNumber(product.imageId),
        product_id: idNumber(product.id),
        name: product.variants.length > 1 ? 'Size' : 'Title',
        position: 1,
        values: product.variants.map(({ title }) => title),
      },
    ],
    product_type: product.productType,
    published_at: product.status === 'active' ? at(product.createdAt) : null,
    published_scope: 'web',
    status: product.status,
    tags: product.tags.join(', '),
    template_suffix: null,
    title: product.title,
    updated_at: at(product.updatedAt),
    variant_gids: product.variants.map(({ id, updatedAt }) => ({
      admin_graphql_api_id: gid('ProductVariant', id),
      updated_at: updatedAt,
    })),
    variants: product.variants
      .slice(0, variantsInFull)
      .map((variant, i) => variantPayload(product, variant, i, minorDigits(shop.currency), at)),
    vendor: product.vendor,
  };
}

function variantPayload(
  product: ProductRow,
  variant: VariantRow,
  index: number,
  digits: number,
  at: (iso: string) => string,
) {
  return {
    id: idNumber(variant.id),
    admin_graphql_api_id: gid('ProductVariant', variant.id),
    barcode: null,
    compare_at_price: null,
    created_at: at(product.createdAt),
    image_id: null,
    inventory_item_id: idNumber(variant.inventoryItemId),
    inventory_policy: 'deny',
    inventory_quantity: variant.inventory,
    old_inventory_quantity: variant.inventory,
    option1: variant.title,
    option2: null,
    option3: null,
    position: index + 1,
    price: formatMinor(variant.priceMinor, digits),
    product_id: idNumber(product.id),
    sku: variant.sku,
    taxable: true,
    title: variant.title,
    updated_at: at(variant.updatedAt),
  };
}

function imagePayload(product: ProductRow, at: (iso: string) => string) {
  if (product.imageUrl === null) return null;
  return {
    id: idNumber(product.imageId),
    admin_graphql_api_id: gid('ProductImage', product.imageId),
    alt: null,
    created_at: at(product.createdAt),
    updated_at: at(product.createdAt),
    height: 800,
    width: 800,
    position: 1,
    product_id: idNumber(product.id),
    src: product.imageUrl,
    variant_ids: [],
  };
}
