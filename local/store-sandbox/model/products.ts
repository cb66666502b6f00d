import { minorDigits } from '../../../shared/store/money.ts';
import { parseMinor } from './minor-units.ts';
import type { OrderRow, ProductRow, VariantRow } from './rows.ts';
import {
  type Announcement,
  done,
  type Input,
  moment,
  type Outcome,
  refused,
  type World,
} from './world.ts';

export function createProduct(world: World, draft: Input<'productDraft'>): Outcome<ProductRow> {
  const { ids, shop, rows } = world;
  const { price = 0, variants = [{ title: 'Default Title', price }] } = draft;
  const at = moment(world);
  const made: VariantRow[] = [];
  for (const variant of variants) {
    const priceMinor = parseMinor(variant.price, minorDigits(shop.currency));
    if (priceMinor === undefined)
      return refused(`${variant.price} is not an amount of ${shop.currency}.`);
    made.push({
      id: ids.next('ProductVariant'),
      title: variant.title,
      priceMinor,
      inventory:
        'inventory' in variant && variant.inventory !== undefined ? variant.inventory : 100,
    });
  }
  const product: ProductRow = {
    id: ids.next('Product'),
    title: draft.title,
    handle: handleOf(draft.title),
    description: draft.description ?? '',
    vendor: draft.vendor ?? shop.name,
    productType: draft.productType ?? '',
    category: draft.category ?? null,
    status: draft.status ?? 'active',
    tags: draft.tags ?? [],
    imageUrl: draft.imageUrl ?? null,
    imageId: ids.next('ProductImage'),
    createdAt: at,
    updatedAt: at,
    variants: made,
  };
  rows.products.put(product.id, product);
  return done(product, { topic: 'products/create', product });
}

export function updateProduct(
  world: World,
  product: ProductRow,
  { productId: _, price, variantPrices, ...fields }: Input<'productChange'>,
): Outcome<ProductRow> {
  const { shop } = world;
  const prices = new Map(variantPrices.map((one) => [one.variantId, one.price]));
  const at = moment(world);
  const variants: VariantRow[] = [];
  for (const variant of product.variants) {
    const wanted = prices.get(variant.id) ?? price;
    const priceMinor =
      wanted === undefined ? variant.priceMinor : parseMinor(wanted, minorDigits(shop.currency));
    if (priceMinor === undefined) return refused(`${wanted} is not an amount of ${shop.currency}.`);
    variants.push({ ...variant, priceMinor });
  }
  const given = Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined),
  );
  return putProduct(world, product, { ...product, ...given, variants, updatedAt: at });
}

/** A change that does not matter to the connector, like most products/update. */
export function changeInventory(
  world: World,
  product: ProductRow,
  { by }: Input<'inventoryChange'>,
): Outcome<ProductRow> {
  const at = moment(world);
  const [first, ...others] = product.variants;
  const variants = first ? [{ ...first, inventory: first.inventory + by }, ...others] : [];
  return putProduct(world, product, { ...product, variants, updatedAt: at });
}

export function deleteProduct({ rows }: World, { id }: ProductRow): Outcome<string> {
  rows.products.delete(id);
  return done(id, { topic: 'products/delete', id });
}

/** A sale lowers the inventory, which is an update of the product. */
export function sellFrom(world: World, order: OrderRow): Announcement[] {
  const sold = Map.groupBy(order.lines, ({ productId }) => productId);
  return [...sold].flatMap(([productId, lines]): Announcement[] => {
    const product = productId === null ? undefined : world.rows.products.get(productId);
    if (!product || !world.shop.inventoryNoise) return [];
    const at = moment(world);
    const variants = product.variants.map((variant) => {
      const pieces = lines
        .filter(({ variantId }) => variantId === variant.id)
        .reduce((sum, { quantity }) => sum + quantity, 0);
      return { ...variant, inventory: variant.inventory - pieces };
    });
    const updated = { ...product, variants, updatedAt: at };
    world.rows.products.put(product.id, updated);
    return [{ topic: 'products/update', product: updated, before: product }];
  });
}

function putProduct({ rows }: World, before: ProductRow, product: ProductRow): Outcome<ProductRow> {
  rows.products.put(product.id, product);
  return done(product, { topic: 'products/update', product, before });
}

function handleOf(title: string): string {
  const words = title.toLowerCase().match(/[\p{L}\p{N}]+/gu);
  return words?.join('-') ?? 'product';
}
