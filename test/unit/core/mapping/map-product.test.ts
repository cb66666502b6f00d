import { describe, expect, it } from 'vitest';
import { mapDeletedProduct, mapProduct } from '../../../../shared/core/mapping/map-product.ts';
import { neverSent, rules, storeProduct } from '../../../fixtures/store-entities.ts';

const shop = 'example-store.myshopify.com';

function productOf(
  changes: Parameters<typeof storeProduct>[0] = {},
  productUrl = rules.productUrl,
) {
  const mapped = mapProduct(storeProduct(changes), { productUrl }, shop);
  if (mapped.kind !== 'wanted' || mapped.wanted.kind !== 'product') throw new Error(mapped.kind);
  return { ...mapped.wanted.product, remember: mapped.remember };
}

describe('mapping a product', () => {
  it('gives brand, price and the chain of its categories', () => {
    expect(productOf()).toMatchObject({
      OriginalId: '8012345678901',
      Title: 'Linen shirt',
      Url: 'https://example-store.myshopify.com/products/linen-shirt',
      ImageUrl: 'https://cdn.example.com/linen-shirt.jpg',
      IsActive: true,
      ProductPrice: 49.9,
      ProductBrand: { OriginalId: 'North Loom', Name: 'North Loom' },
      ProductCategory: {
        OriginalId: 'aa-1-13',
        Name: 'Shirts',
        ParentCategory: {
          OriginalId: 'aa-1',
          Name: 'Clothing',
          ParentCategory: { OriginalId: 'aa', Name: 'Apparel & Accessories', ParentCategory: null },
        },
      },
    });
  });

  it('names categories by their path where the taxonomy’s id does not fit it', () => {
    const category = { id: 'gc', names: ['Gifts', 'Cards'] };
    expect(productOf({ category }).ProductCategory).toMatchObject({
      OriginalId: 'Gifts > Cards',
      ParentCategory: { OriginalId: 'Gifts' },
    });
  });

  it('names a category without an id by its path, too', () => {
    const category = { id: undefined, names: ['Gifts'] };
    expect(productOf({ category }).ProductCategory).toMatchObject({ OriginalId: 'Gifts' });
  });

  it('sends no chain of categories that could overflow the stack of a reader', () => {
    const names = Array.from({ length: 5000 }, (_, level) => `level ${level}`);
    const { ProductCategory } = productOf({ category: { id: undefined, names } });
    expect(ProductCategory?.Name).toBe('level 15');
  });

  it('takes the merchant’s own type where the store has no category, else none', () => {
    const category = undefined;
    expect(productOf({ category }).ProductCategory).toMatchObject({
      Name: 'Shirt',
      ParentCategory: null,
    });
    expect(productOf({ category, productType: undefined }).ProductCategory).toBe(null);
  });

  it.each(['draft', 'archived', 'unlisted'])('is not active as %s', (status) => {
    expect(productOf({ status }).IsActive).toBe(false);
  });

  it('puts any handle into the merchant’s own address safely', () => {
    const url = 'https://www.example.com/p/{handle}?from={domain}';
    expect(productOf({ handle: '$& a/b?測' }, url).Url).toBe(
      'https://www.example.com/p/%24%26%20a%2Fb%3F%E6%B8%AC?from=example-store.myshopify.com',
    );
    expect(productOf({ handle: 'a\ud83db' }, url).Url).toContain('/p/a%EF%BF%BDb?');
    expect(productOf({ handle: undefined }).Url).toBe(null);
  });
});

describe('a deleted product', () => {
  it('is the last one known, no longer active', () => {
    const { remember, ...last } = productOf();
    const mapped = mapDeletedProduct(last.OriginalId ?? '', { known: true, remembered: remember });
    expect(mapped).toMatchObject({ wanted: { product: { ...last, IsActive: false } } });
  });

  it('is no longer active even if it was forgotten', () => {
    expect(mapDeletedProduct('5', { known: true, remembered: 'rubbish' })).toMatchObject({
      wanted: { product: { OriginalId: '5', IsActive: false } },
    });
  });

  it('is none of the service’s business if it was never sent', () => {
    expect(mapDeletedProduct('5', neverSent)).toEqual({ kind: 'skip', why: 'never-sent' });
  });
});
