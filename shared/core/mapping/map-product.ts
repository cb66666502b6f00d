import { toJsonNumber } from '../../store/money.ts';
import type { StoreProduct } from '../../store/product.ts';
import type { ProductRules } from './mapping-rules.ts';
import { brandForm } from './product-brand.ts';
import { productCategory } from './product-category.ts';
import { type KnownBefore, recallProduct, rememberProduct } from './remembered.ts';
import type { Mapped, ProductForm } from './wanted-state.ts';

export function mapProduct(product: StoreProduct, rules: ProductRules, shop: string): Mapped {
  const form: ProductForm = {
    OriginalId: product.id,
    Title: product.title,
    Url: productUrl(product, rules, shop),
    ImageUrl: product.imageUrl ?? null,
    IsActive: product.status === 'active',
    ProductPrice: product.price === undefined ? null : toJsonNumber(product.price),
    ProductBrand: brandForm(product.vendor),
    ProductCategory: productCategory(product),
  };
  return wantedProduct(product.id, form);
}

/** A deleted product is the last one known, no longer on offer. */
export function mapDeletedProduct(id: string, { known, remembered }: KnownBefore): Mapped {
  if (!known) return { kind: 'skip', why: 'never-sent' };
  return wantedProduct(id, { ...recallProduct(remembered), OriginalId: id, IsActive: false });
}

function wantedProduct(id: string, product: ProductForm): Mapped {
  return {
    kind: 'wanted',
    wanted: { kind: 'product', id, product },
    remember: rememberProduct(product),
  };
}

function productUrl(product: StoreProduct, rules: ProductRules, shop: string): string | null {
  if (product.handle === undefined) return null;
  return rules.productUrl
    .replaceAll('{domain}', () => shop)
    .replaceAll('{handle}', () => encodeURIComponent(product.handle?.toWellFormed() ?? ''));
}
