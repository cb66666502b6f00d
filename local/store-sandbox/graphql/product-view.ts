import { minorDigits } from '../../../shared/store/money.ts';
import { gid } from '../model/ids.ts';
import { formatMinor } from '../model/minor-units.ts';
import type { ProductRow, VariantRow } from '../model/rows.ts';
import { connect, type PageArguments } from './connection.ts';
import type { GraphContext, View } from './graph-context.ts';
import { metafieldFields } from './metafield-view.ts';
import { moneyView } from './money-view.ts';

export function productView(context: GraphContext, row: ProductRow): View {
  const { currency } = context.world.shop;
  const prices = row.variants.map(({ priceMinor }) => priceMinor);
  const medium = row.imageUrl === null ? null : mediumView(row, row.imageUrl);
  return {
    __typename: 'Product',
    id: gid('Product', row.id),
    legacyResourceId: row.id,
    title: row.title,
    handle: row.handle,
    description: row.description,
    descriptionHtml: row.description,
    vendor: row.vendor,
    productType: row.productType,
    category: row.category && categoryView(row.category),
    status: row.status.toUpperCase(),
    tags: row.tags,
    isGiftCard: false,
    tracksInventory: true,
    totalInventory: row.variants.reduce((sum, { inventory }) => sum + inventory, 0),
    hasOnlyDefaultVariant: row.variants.length === 1,
    publishedAt: row.status === 'active' ? row.createdAt : null,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
    onlineStoreUrl: null,
    featuredMedia: medium,
    media: (args: PageArguments) =>
      connect(context, args, {
        rows: medium ? [medium] : [],
        id: () => row.imageId,
        view: (view) => view,
      }),
    mediaCount: { count: medium ? 1 : 0, precision: 'EXACT' },
    priceRangeV2: {
      minVariantPrice: moneyView(Math.min(...prices), currency),
      maxVariantPrice: moneyView(Math.max(...prices), currency),
    },
    variants: (args: PageArguments) =>
      connect(context, args, {
        rows: row.variants,
        id: ({ id }) => id,
        value: (variant) => row.variants.indexOf(variant),
        view: (variant) => variantView(context, row, variant),
      }),
    variantsCount: { count: row.variants.length, precision: 'EXACT' },
    ...metafieldFields(context, gid('Product', row.id)),
  };
}

export function variantView(context: GraphContext, product: ProductRow, row: VariantRow): View {
  return {
    __typename: 'ProductVariant',
    id: gid('ProductVariant', row.id),
    legacyResourceId: row.id,
    title: row.title,
    displayName: `${product.title} - ${row.title}`,
    price: formatMinor(row.priceMinor, minorDigits(context.world.shop.currency)),
    compareAtPrice: null,
    sku: row.sku,
    barcode: null,
    position: product.variants.indexOf(row) + 1,
    inventoryQuantity: row.inventory,
    inventoryPolicy: 'DENY',
    availableForSale: row.inventory > 0,
    taxable: true,
    product: () => productView(context, product),
    createdAt: product.createdAt,
    updatedAt: row.updatedAt,
    ...metafieldFields(context, gid('ProductVariant', row.id)),
  };
}

/** An ancestor's id is the beginning of its descendants': aa, aa-1, aa-1-13. */
function categoryView({ id, fullName }: { readonly id: string; readonly fullName: string }): View {
  const parts = id.split('-');
  const ancestors = parts
    .slice(1)
    .map((_, i) => gid('TaxonomyCategory', parts.slice(0, i + 1).join('-')));
  return {
    __typename: 'TaxonomyCategory',
    id: gid('TaxonomyCategory', id),
    name: fullName.split(' > ').at(-1) ?? '',
    fullName,
    level: parts.length,
    isRoot: parts.length === 1,
    isLeaf: true,
    isArchived: false,
    parentId: ancestors.at(-1) ?? null,
    ancestorIds: ancestors,
    childrenIds: [],
  };
}

function mediumView(row: ProductRow, url: string): View {
  const image = {
    id: gid('ImageSource', row.imageId),
    url,
    altText: null,
    width: 800,
    height: 800,
  };
  return {
    __typename: 'MediaImage',
    id: gid('MediaImage', row.imageId),
    alt: null,
    mediaContentType: 'IMAGE',
    status: 'READY',
    image,
    preview: { image, status: 'READY' },
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
  };
}
