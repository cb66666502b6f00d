import type { MappingRules } from '../../config/mapping-settings.ts';
import { toJsonNumber } from '../../store/money.ts';
import type { StoreProduct } from '../../store/store-entities.ts';
import { rememberedForm } from '../ledger/ledger.ts';
import { brandForm } from './map-order.ts';
import type { CategoryForm, KnownBefore, Mapped, ProductForm } from './wanted-state.ts';

/** A deleted product is sent once more as it last was, so all of it is kept. */
export const productMemory = rememberedForm<ProductForm>('product', 1);

export function mapProduct(
  product: StoreProduct,
  rules: Pick<MappingRules, 'productUrl'>,
  shop: string,
): Mapped {
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

/** A deleted product is sent as it was last known, no longer on offer. */
export function mapDeletedProduct(id: string, { known, remembered }: KnownBefore): Mapped {
  if (!known) return { kind: 'skip', why: 'never-sent' };
  return wantedProduct(id, { ...productMemory.read(remembered), OriginalId: id, IsActive: false });
}

function wantedProduct(id: string, product: ProductForm): Mapped {
  return {
    kind: 'wanted',
    wanted: { kind: 'product', id, product },
    remember: productMemory.write(product),
  };
}

function productUrl(
  { handle }: StoreProduct,
  rules: Pick<MappingRules, 'productUrl'>,
  shop: string,
): string | null {
  if (handle === undefined) return null;
  return rules.productUrl
    .replaceAll('{domain}', () => shop)
    .replaceAll('{handle}', () => encodeURIComponent(handle.toWellFormed()));
}

/**
 * Deeper than any branch of the store's taxonomy (eight levels). Deeper levels are left out: a chain
 * without a limit could overflow the stack of its readers.
 */
const DEEPEST = 16;

/** The product's category with the chain of its parents; the merchant's own type where it has none. */
function productCategory({ category, productType }: StoreProduct): CategoryForm | null {
  if (category === undefined) {
    return productType === undefined ? null : link(productType, productType, null);
  }
  const names = category.names.slice(0, DEEPEST);
  const ids = levelIds(category.id, category.names);
  return names.reduce<CategoryForm | null>(
    (parent, name, level) =>
      link(ids[level] ?? names.slice(0, level + 1).join(' > '), name, parent),
    null,
  );
}

/**
 * In the taxonomy a child's id is its parent's and one part more: `sg-4-17` is under `sg-4`. Where the
 * parts do not match the names, the path itself is the id.
 */
function levelIds(id: string | undefined, names: readonly string[]): readonly string[] {
  const parts = id?.split('-') ?? [];
  if (parts.length !== names.length) return [];
  return parts.map((_, level) => parts.slice(0, level + 1).join('-'));
}

function link(id: string, name: string, parent: CategoryForm | null): CategoryForm {
  return { OriginalId: id, Name: name, Description: null, ParentCategory: parent };
}
