import { describe, expect, it } from 'vitest';
import type { StoreEvent } from '../../../shared/core/events/event.ts';
import { mapProduct } from '../../../shared/core/mapping/map-product.ts';
import { readShopifyEvent } from '../../../shared/shopify/webhooks/read-event.ts';
import { readProductWebhook } from '../../../shared/shopify/webhooks/read-product-webhook.ts';
import { identifyEntity, routeOf } from '../../../shared/shopify/webhooks/topics.ts';
import { rules } from '../../fixtures/store-entities.ts';
import { productAt, productEventAt } from '../../support/product-payload.ts';

const payload = {
  id: 788_032_119,
  admin_graphql_api_id: 'gid://shopify/Product/788032119674292922',
  title: 'Linen shirt',
  handle: 'linen-shirt',
  status: 'active',
  vendor: 'North Loom',
  product_type: 'Shirts',
  category: {
    admin_graphql_api_id: 'gid://shopify/TaxonomyCategory/aa-1-13',
    name: 'Shirts',
    full_name: 'Apparel & Accessories > Clothing > Shirts',
  },
  created_at: null,
  updated_at: '2026-10-05T11:00:00+02:00',
  variants: [{ price: '100.00' }, { price: '19.99' }, { price: '20' }],
  image: { src: 'https://cdn.example.com/a.jpg' },
};

it.each([
  ['a variant has a price', [{ price: '5' }], false],
  ['none has a price', [{ price: null }], true],
  ['there is none', [], true],
])('whether the price may be missing is said: %s', (_, variants, partial) => {
  expect(readProductWebhook({ ...payload, variants })).toMatchObject({ kind: 'read', partial });
});

describe('reading a product', () => {
  it('reads the price of the cheapest variant, compared as an amount', () => {
    expect(readProductWebhook(payload)).toEqual({
      kind: 'read',
      partial: false,
      product: {
        id: '788032119674292922',
        title: 'Linen shirt',
        handle: 'linen-shirt',
        imageUrl: 'https://cdn.example.com/a.jpg',
        status: 'active',
        vendor: 'North Loom',
        category: { id: 'aa-1-13', names: ['Apparel & Accessories', 'Clothing', 'Shirts'] },
        productType: 'Shirts',
        price: '19.99',
        updatedAt: '2026-10-05T09:00:00.000Z',
      },
    });
  });

  it('reads a product with only the required fields', () => {
    const least = { id: 5, title: 'x', updated_at: '2026-01-01T00:00:00Z' };
    const nulls = {
      category: null,
      image: null,
      images: [],
      variants: [],
      vendor: '',
      product_type: '',
    };
    for (const value of [least, { ...least, ...nulls }]) {
      expect(readProductWebhook(value)).toMatchObject({
        product: {
          id: '5',
          status: 'active',
          price: undefined,
          category: undefined,
          vendor: undefined,
        },
      });
    }
  });

  it('takes "Uncategorized" as no category, so that the product type is used', () => {
    const category = {
      admin_graphql_api_id: 'gid://shopify/TaxonomyCategory/na',
      name: 'Uncategorized',
      full_name: 'Uncategorized',
    };
    const read = readProductWebhook({ ...payload, category });
    expect(read).toMatchObject({ product: { category: undefined, productType: 'Shirts' } });
    if (read.kind !== 'read') throw new Error('unreadable');
    expect(mapProduct(read.product, rules, 'example-store.myshopify.com')).toMatchObject({
      wanted: { product: { ProductCategory: { OriginalId: 'Shirts', Name: 'Shirts' } } },
    });
  });

  it('finds the picture in the place of each API version', () => {
    const picture = { src: 'https://cdn.example.com/b.jpg' };
    for (const place of [{ images: [picture] }, { media: [{ preview_image: picture }] }]) {
      expect(readProductWebhook({ ...payload, image: null, ...place })).toMatchObject({
        product: { imageUrl: 'https://cdn.example.com/b.jpg' },
      });
    }
  });

  it('reports every fault at once', () => {
    expect(readProductWebhook({ variants: [{ price: 'free' }], updated_at: '2026-01-01' })).toEqual(
      {
        kind: 'unreadable',
        faults: expect.arrayContaining([
          { path: 'id', problem: 'is missing' },
          { path: 'title', problem: 'is missing' },
          { path: 'updated_at', problem: 'is not a date with time and offset' },
          { path: 'variants[0].price', problem: 'is not an amount' },
        ]),
      },
    );
  });
});

const SHOP = 'example-store.myshopify.com';
const ID = '8012345678901';
const read = readShopifyEvent;

function readUnder(topic: string, payload: unknown, given: Partial<StoreEvent> = {}) {
  const route = routeOf(topic);
  if (!route) throw new Error(`no topic ${topic}`);
  const body = Buffer.from(JSON.stringify(payload));
  const id = identifyEntity(route, body, SHOP);
  const { kind, claim } = route;
  return read({
    ...{ shop: SHOP, kind, claim, topic, id, body, origin: 'webhook', deliveryId: 'one' },
    ...{ receivedAt: '2026-10-09T11:00:09Z', ...given },
  });
}

describe('an Event of a product', () => {
  it('is read into the same product, under the same id and version, as the webhook', () => {
    for (const topic of ['Product/update', 'Product/create']) {
      const action = topic === 'Product/create' ? 'create' : 'update';
      expect(readUnder(topic, productEventAt(7, action))).toEqual({
        ...readUnder('products/update', productAt(7)),
        partial: undefined,
      });
    }
  });

  it('that is a deletion names the product, and the store is asked', () => {
    const deletion = productEventAt(7, 'delete');
    expect(readUnder('Product/delete', deletion)).toEqual({ kind: 'ask-store' });
    const { query_variables, ...pathsOnly } = deletion;
    expect(readUnder('Product/delete', pathsOnly)).toEqual({ kind: 'ask-store' });
    const route = routeOf('Product/delete');
    expect(route?.claim).toBe('deleted');
    if (!route) return;
    const bytes = Buffer.from(JSON.stringify(pathsOnly));
    expect(identifyEntity(route, bytes, SHOP)).toBe(ID);
  });

  it.each([
    ['no data', { data: undefined }],
    ['a product that is gone meanwhile', { data: { product: null } }],
    ['errors of the query', { query_errors: [{ message: 'Access denied' }] }],
    ['errors beside the data', { errors: [{ message: 'Access denied' }] }],
    ['data of another query', { data: { shop: { id: 'gid://shopify/Shop/1' } } }],
    ['a product without the fields of the subscription', { data: { product: { id: 'x' } } }],
    ['data that is a text', { data: 'https://example.com/payload' }],
  ])('with %s makes the worker ask the store', (_, changes) => {
    expect(readUnder('Product/update', { ...productEventAt(7), ...changes })).toEqual({
      kind: 'ask-store',
    });
  });

  it('with the data of another product is unreadable', () => {
    const other = productEventAt(7, 'update', { id: 'gid://shopify/Product/1' });
    expect(readUnder('Product/update', other).kind).toBe('unreadable');
    expect(readUnder('Product/update', productEventAt(7), { id: '1' }).kind).toBe('unreadable');
  });
});
