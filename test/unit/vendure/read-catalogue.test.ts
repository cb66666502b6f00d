import { describe, expect, it } from 'vitest';
import type { VendureProduct, VendurePromotion } from '../../../shared/vendure/documents.ts';
import { readVendureCoupon, readVendureProduct } from '../../../shared/vendure/read-catalogue.ts';

const reading = { readAt: new Date('2026-11-17T12:00:00.000Z'), precision: 2 };
const [BEFORE, AFTER] = ['2026-11-17T11:59:59.000Z', '2026-11-17T12:00:01.000Z'];

const product: VendureProduct = {
  ...{ id: '7', name: 'Mug', slug: 'mug', enabled: true },
  featuredAsset: { preview: 'https://shop.example.com/mug.png' },
  ...{ facetValues: [], collections: [], variantList: { items: [] } },
};

const collection = (id: string, path: readonly string[], isPrivate = false) => ({
  ...{ id, name: path.at(-1) ?? '', isPrivate },
  breadcrumbs: ['__root__', ...path].map((name) => ({ id: name, name })),
});

describe('a product of Vendure', () => {
  it('is read with its brand and the category that its facets name', () => {
    const facet = (code: string, name: string) => ({ name, facet: { code } });
    const facetValues = [facet('category', 'Cups'), facet('brand', 'Acme')];
    expect(readVendureProduct({ ...product, facetValues }, reading)).toEqual({
      ...{ id: '7', title: 'Mug', handle: 'mug', status: 'active' },
      imageUrl: 'https://shop.example.com/mug.png',
      ...{ vendor: 'Acme', productType: 'Cups', category: undefined, price: undefined },
      updatedAt: reading.readAt.toISOString(),
    });
    expect(readVendureProduct({ ...product, enabled: false }, reading).status).toBe('draft');
  });

  it('costs as much as the cheapest variant that can be bought', () => {
    const items = [
      { enabled: true, priceWithTax: 1599, currencyCode: 'EUR' },
      { enabled: false, priceWithTax: 499, currencyCode: 'EUR' },
      { enabled: true, priceWithTax: 1299, currencyCode: 'EUR' },
    ];
    expect(readVendureProduct({ ...product, variantList: { items } }, reading).price).toBe('12.99');
  });

  it('is in the deepest collection that the shop shows, whose path is without the root', () => {
    const collections = [
      collection('2', ['Home']),
      collection('11', ['Home', 'Kitchen']),
      collection('9', ['Home', 'Table']),
      collection('12', ['Home', 'Table', 'Of the staff'], true),
    ];
    const { category } = readVendureProduct({ ...product, collections }, reading);
    expect(category).toEqual({ id: '9', names: ['Home', 'Table'] });
  });
});

const promotion: VendurePromotion = {
  ...{ id: '5', name: 'Ten', enabled: true, couponCode: 'TEN', startsAt: null, endsAt: null },
  ...{ createdAt: '2026-11-01T00:00:00.000Z', usageLimit: null, perCustomerUsageLimit: null },
  ...{ conditions: [], actions: [] },
};

const action = (code: string, discount?: string) => ({
  code,
  args: discount === undefined ? [] : [{ name: 'discount', value: discount }],
});

describe('a code of Vendure', () => {
  it.each([
    ['percent off', [action('order_percentage_discount', '12.5')], 'percentage', '12.5'],
    ['an amount off', [action('order_fixed_discount', '500')], 'fixed-amount', '5'],
    ['no shipping', [action('free_shipping')], 'free-shipping', undefined],
    ['a gift', [action('buy_x_get_y_free')], 'buy-x-get-y', undefined],
    ['an action of a plugin', [action('lottery', '500')], 'app', undefined],
    [
      'two actions',
      [action('order_percentage_discount', '10'), action('free_shipping')],
      'app',
      undefined,
    ],
    ['no action', [], 'app', undefined],
  ])('that gives %s is worth what it says', (_, actions, kind, value) => {
    expect(readVendureCoupon({ ...promotion, actions }, reading)).toMatchObject({ kind, value });
  });

  it.each([
    [{}, 'active'],
    [{ startsAt: BEFORE, endsAt: AFTER }, 'active'],
    [{ startsAt: AFTER }, 'scheduled'],
    [{ startsAt: AFTER, enabled: false }, 'expired'],
    [{ endsAt: BEFORE }, 'expired'],
    [{ endsAt: reading.readAt.toISOString() }, 'expired'],
  ])('with %j is %s', (changes, status) => {
    expect(readVendureCoupon({ ...promotion, ...changes }, reading)?.status).toBe(status);
  });

  it('says for whom it is, how often, and from when until when', () => {
    expect(readVendureCoupon(promotion, reading)).toMatchObject({
      ...{ startsAt: promotion.createdAt, endsAt: undefined, audience: { kind: 'everyone' } },
      ...{ useLimit: undefined, oncePerCustomer: false },
    });
    const limited = {
      ...{ usageLimit: 50, perCustomerUsageLimit: 1, startsAt: BEFORE, endsAt: AFTER },
      conditions: [{ code: 'minimum_order_amount' }, { code: 'customer_group' }],
    };
    expect(readVendureCoupon({ ...promotion, ...limited }, reading)).toMatchObject({
      ...{ startsAt: BEFORE, endsAt: AFTER, audience: { kind: 'segment' } },
      ...{ useLimit: 50, oncePerCustomer: true },
    });
  });

  it('is none where the promotion applies by itself', () => {
    expect(readVendureCoupon({ ...promotion, couponCode: '' }, reading)).toBeUndefined();
  });
});
