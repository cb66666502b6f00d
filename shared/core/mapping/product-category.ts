import type { StoreProduct } from '../../store/product.ts';
import type { CategoryForm } from './wanted-state.ts';

/**
 * Deeper than any branch of Shopify's taxonomy (eight levels). What lies below is left out, so that no
 * text can make a chain that overflows the stack of whoever walks it.
 */
const DEEPEST = 16;

/** The product's category with the chain of its parents; the merchant's own type where it has none. */
export function productCategory({ category, productType }: StoreProduct): CategoryForm | null {
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
