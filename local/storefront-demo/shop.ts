import { minorDigits } from '../../shared/store/money.ts';
import type { LoyaltySandbox } from '../loyalty-sandbox/sandbox.ts';
import type { Neighbours } from '../sandbox-kit/pages/layout.ts';
import { discountOf } from '../store-sandbox/model/line-amounts.ts';
import type { Quote } from '../store-sandbox/model/place-order.ts';
import type { CustomerRow, OrderRow, ProductRow, VariantRow } from '../store-sandbox/model/rows.ts';
import type { StoreSandbox } from '../store-sandbox/sandbox.ts';
import { money } from './pages/words.ts';
import type { Visit } from './visit.ts';

/** The parts of the store that the pages use. */
export type ShopStore = Pick<
  StoreSandbox,
  'actions' | 'address' | 'credentials' | 'deliveries' | 'rows' | 'shop'
>;

/** What the pages are made from. */
export interface Shop {
  readonly store: ShopStore;
  readonly loyalty: Pick<LoyaltySandbox, 'address' | 'journal' | 'state'>;
  readonly neighbours?: Neighbours;
  /** Pages besides the shop's own that the header links to. */
  readonly links: readonly {
    readonly path: string;
    readonly label: string;
    readonly note: string;
  }[];
}

export interface CartLine {
  readonly product: ProductRow;
  readonly variant: VariantRow;
  readonly quantity: number;
}

export function shownProducts({ rows }: ShopStore): readonly ProductRow[] {
  return [...rows.products.values()].filter(({ status }) => status === 'active');
}

/** The lines of the cart that the store still sells. */
export function cartOf(store: ShopStore, { cart }: Pick<Visit, 'cart'>): readonly CartLine[] {
  return cart.flatMap(({ variantId, quantity }) =>
    shownProducts(store).flatMap((product) =>
      product.variants
        .filter(({ id }) => id === variantId)
        .map((variant) => ({ product, variant, quantity })),
    ),
  );
}

const SHIPPING = [{ title: 'Standard', price: 4.9 }];

/** The order that the cart would become; undefined when the cart is empty. */
export function draftOf(store: ShopStore, visit: Visit) {
  const lines = cartOf(store, visit);
  if (lines.length === 0) return undefined;
  const customer = customerOf(store, visit);
  return {
    lines: lines.map(({ variant, quantity }) => ({ variantId: variant.id, quantity })),
    shipping: SHIPPING,
    payment: 'paid' as const,
    ...(customer && { customerId: customer.id }),
    discounts: visit.codes.map((code) => ({ code })),
  };
}

/** What the cart costs, computed by the store as for an order. */
export function quoteOf(store: ShopStore, visit: Visit): Quote | undefined {
  const draft = draftOf(store, visit);
  return draft && store.actions.quoteOrder(draft);
}

/** The codes of the cart that the store accepts now. */
export function acceptedCodes(store: ShopStore, visit: Visit): readonly string[] {
  return (quoteOf(store, visit)?.order.applications ?? []).map(({ name }) => name);
}

/** The cart as the widget reads it: the prices after the discount, because the order counts those. */
export function paidItems(store: ShopStore, visit: Visit): string {
  const scale = 10 ** minorDigits(store.shop.currency);
  const lines = quoteOf(store, visit)?.order.lines ?? [];
  return lines
    .map((line) => {
      const { productId, unitMinor, quantity } = line;
      const price = (unitMinor - discountOf(line) / quantity) / scale;
      return `${productId}:${Number(price.toFixed(4))}:${quantity}`;
    })
    .join();
}

export function customerOf(
  { rows }: ShopStore,
  { customerId }: Pick<Visit, 'customerId'>,
): CustomerRow | undefined {
  return customerId === undefined ? undefined : rows.customers.get(customerId);
}

/** Latest first. A visitor who is not logged in sees the orders of guests. */
export function ordersOf({ rows }: ShopStore, visit: Visit): readonly OrderRow[] {
  const customerId = visit.customerId ?? null;
  return [...rows.orders.values()].filter((order) => order.customerId === customerId).toReversed();
}

/** What the customer's store credit can pay of the cart, in minor units. */
export function creditOf({ rows, shop }: ShopStore, visit: Visit): number {
  const own = [...rows.storeCreditAccounts.values()].find(
    ({ customerId, currency }) => customerId === visit.customerId && currency === shop.currency,
  );
  return own?.balanceMinor ?? 0;
}

/** As the store writes it: `49.00`. */
export function priceOf({ shop }: ShopStore, minor: number): string {
  const digits = minorDigits(shop.currency);
  return (minor / 10 ** digits).toFixed(digits);
}

/** For a person: `€49.00`. */
export function moneyOf(store: ShopStore, minor: number): string {
  return money(Number(priceOf(store, minor)), store.shop.currency);
}

/** Of the visit's customer, as the store knows them, written as the widget writes them. */
export function pointsOf(store: ShopStore, visit: Visit): string | undefined {
  const { customerId = '', locale } = visit;
  const points = metafieldOf(store, customerId, 'loyalty.points')?.value;
  const format = new Intl.NumberFormat(locale, { maximumFractionDigits: 2 });
  return points === undefined ? undefined : format.format(Number(points));
}

/** A metafield of the customer by its full name, such as `loyalty.points`. */
export function metafieldOf({ rows }: ShopStore, customerId: string, name: string) {
  const gid = `gid://shopify/Customer/${customerId}`;
  return [...rows.metafields.values()].find(
    ({ ownerGid, namespace, key }) => ownerGid === gid && `${namespace}.${key}` === name,
  );
}
