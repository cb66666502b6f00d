import { describe, expect, it } from 'vitest';
import { productAt } from '../../../../local/harness/product-payload.ts';
import { readProduct } from '../../../../shared/shopify/admin/admin-store.ts';
import { readProductWebhook } from '../../../../shared/shopify/webhooks/read-product-webhook.ts';
import { askIn, pagesOf } from '../../../support/admin-execution.ts';

const ID = '8012345678901';
const PICTURE = 'https://cdn.example.com/linen-shirt.jpg?v=1';

const payload = productAt(0, {
  updated_at: '2026-10-05T11:00:00+02:00',
  image: { src: PICTURE },
  images: [{ src: PICTURE }],
});

const node = {
  id: `gid://shopify/Product/${ID}`,
  title: 'Linen shirt',
  handle: 'linen-shirt',
  status: 'ACTIVE',
  vendor: 'North Loom',
  productType: 'Shirt',
  updatedAt: '2026-10-05T09:00:00Z',
  category: {
    id: 'gid://shopify/TaxonomyCategory/aa-1-13',
    fullName: 'Apparel & Accessories > Clothing > Shirts',
  },
  priceRangeV2: { minVariantPrice: { amount: '49.9' }, maxVariantPrice: { amount: '59.9' } },
  media: pagesOf([{ __typename: 'MediaImage', image: { url: PICTURE } }]),
  featuredMedia: {
    __typename: 'Video',
    preview: { image: { url: 'https://cdn.example.com/film.jpg' } },
  },
};

function read(product: object | null) {
  return readProduct(
    askIn({ product: ({ id }: { id: string }) => (id === node.id ? product : null) }),
    ID,
  );
}

describe('the two readers of a product', () => {
  const agree = async (webhook: object, admin: object) => {
    const expected = readProductWebhook({ ...payload, ...webhook });
    expect(await read({ ...node, ...admin })).toEqual({
      kind: 'found',
      value: expected.kind === 'read' ? expected.product : undefined,
    });
  };

  it('agree on a product', () => agree({}, {}));
  it('agree on a draft without a category', () =>
    agree({ status: 'draft', category: null }, { status: 'DRAFT', category: null }));
  it('agree on a product without vendor, type and picture', () =>
    agree(
      { vendor: '', product_type: '', image: null, images: [] },
      { vendor: '', productType: '', media: pagesOf([]), featuredMedia: null },
    ));
  it('agree on a product that has only a video', () =>
    agree(
      {
        image: null,
        images: [],
        media: [{ preview_image: { src: 'https://cdn.example.com/film.jpg' } }],
      },
      { media: pagesOf([]) },
    ));
});

describe('a product of the Admin API', () => {
  it('has the price of its cheapest variant', async () => {
    const webhook = readProductWebhook({
      ...payload,
      variants: Array.from({ length: 100 }, () => ({ price: '49.90' })),
    });
    expect(webhook).toMatchObject({ product: { price: '49.9' } });
    const priceRangeV2 = { minVariantPrice: { amount: '12.5' } };
    expect(await read({ ...node, priceRangeV2 })).toMatchObject({ value: { price: '12.5' } });
  });

  it('is gone when the store has none with this id', async () => {
    expect(await read(null)).toEqual({ kind: 'gone' });
  });

  it('is unavailable when the answer cannot be read', async () => {
    expect(await read({ ...node, updatedAt: 'yesterday' })).toEqual({
      kind: 'unavailable',
      why: 'unreadable-answer',
    });
  });
});
