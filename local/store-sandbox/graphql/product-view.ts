import { gid } from '../model/ids.ts';
import type { ProductRow } from '../model/rows.ts';
import { connect, type PageArguments } from './connection.ts';
import type { GraphContext, View } from './graph-context.ts';
import { moneyView } from './money-view.ts';

export function productView(context: GraphContext, row: ProductRow): View {
  const { currency } = context.world.shop;
  const prices = row.variants.map(({ priceMinor }) => priceMinor);
  const image = { url: row.imageUrl };
  const medium =
    row.imageUrl === null
      ? null
      : {
          ...{ __typename: 'MediaImage', id: gid('MediaImage', row.imageId) },
          ...{ image, preview: { image } },
        };
  return {
    __typename: 'Product',
    id: gid('Product', row.id),
    title: row.title,
    handle: row.handle,
    vendor: row.vendor,
    productType: row.productType,
    category: row.category && {
      id: gid('TaxonomyCategory', row.category.id),
      fullName: row.category.fullName,
    },
    status: row.status.toUpperCase(),
    updatedAt: row.updatedAt,
    featuredMedia: medium,
    media: (args: PageArguments) =>
      connect(context, args, {
        rows: medium ? [medium] : [],
        id: () => row.imageId,
        view: (view) => view,
      }),
    priceRangeV2: {
      minVariantPrice: moneyView(Math.min(...prices), currency),
      maxVariantPrice: moneyView(Math.max(...prices), currency),
    },
  };
}
