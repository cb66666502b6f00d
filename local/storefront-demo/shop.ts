import { minorDigits } from '../../shared/store/money.ts';
import type { CustomerRow, ProductRow, VariantRow } from '../store-sandbox/model/rows.ts';
import type { StoreSandbox } from '../store-sandbox/sandbox.ts';
import type { Visit } from './visit.ts';

/** The parts of the store that the pages use. */
export type ShopStore = Pick<StoreSandbox, 'actions' | 'rows' | 'shop' | 'credentials'>;

export interface CartLine {
  readonly product: ProductRow;
  readonly variant: VariantRow;
  readonly quantity: number;
}

export function shownProducts({ rows }: ShopStore): readonly ProductRow[] {
  return [...rows.products.values()].filter(({ status }) => status === 'active');
}

/** The lines of the cart that the store still sells. */
export function cartOf(store: ShopStore, { cart }: Visit): readonly CartLine[] {
  return cart.flatMap(({ variantId, quantity }) =>
    shownProducts(store).flatMap((product) =>
      product.variants
        .filter(({ id }) => id === variantId)
        .map((variant) => ({ product, variant, quantity })),
    ),
  );
}

export function customerOf({ rows }: ShopStore, { customerId }: Visit): CustomerRow | undefined {
  return customerId === undefined ? undefined : rows.customers.get(customerId);
}

/** As the store writes it: `49.00`. */
export function priceOf({ shop }: ShopStore, minor: number): string {
  const digits = minorDigits(shop.currency);
  return (minor / 10 ** digits).toFixed(digits);
}

/** A metafield of the customer by its full name, such as `loyalty.points`. */
export function metafieldOf(
  { rows }: ShopStore,
  customerId: string,
  name: string,
): string | undefined {
  const gid = `gid://shopify/Customer/${customerId}`;
  return [...rows.metafields.values()].find(
    ({ ownerGid, namespace, key }) => ownerGid === gid && `${namespace}.${key}` === name,
  )?.value;
}
