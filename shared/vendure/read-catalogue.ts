import { type Amount, readAmount, smallest } from '../store/money.ts';
import type { CouponKind, StoreCoupon, StoreProduct } from '../store/store-entities.ts';
import type { VendureProduct, VendurePromotion } from './documents.ts';
import { amountOf, moment, type OrderReading } from './read-order.ts';

/** The deepest collection that the shop shows is its category; else the facet `category`. */
export function readVendureProduct(
  product: VendureProduct,
  { readAt, precision }: OrderReading,
): StoreProduct {
  const { id, name, slug, enabled, featuredAsset, facetValues, variantList } = product;
  const facet = (code: string) => facetValues.find((value) => value.facet.code === code)?.name;
  const prices = variantList.items
    .filter((variant) => variant.enabled)
    .map(({ priceWithTax }) => amountOf(priceWithTax, precision));
  return {
    id,
    title: name,
    handle: slug || undefined,
    imageUrl: featuredAsset?.preview,
    status: enabled ? 'active' : 'draft',
    vendor: facet('brand'),
    category: categoryOf(product),
    productType: facet('category'),
    price: smallest(prices),
    updatedAt: readAt.toISOString(),
  };
}

function categoryOf({ collections }: VendureProduct): StoreProduct['category'] {
  const [deepest] = collections
    .filter(({ isPrivate }) => !isPrivate)
    .toSorted(
      (one, other) =>
        other.breadcrumbs.length - one.breadcrumbs.length ||
        one.id.localeCompare(other.id, 'en', { numeric: true }),
    );
  if (!deepest) return undefined;
  // The first one is the root that holds all others.
  const names = deepest.breadcrumbs.slice(1).map(({ name }) => name);
  return { id: deepest.id, names: names.length > 0 ? names : [deepest.name] };
}

/** Undefined for a promotion without a code: it applies by itself. */
export function readVendureCoupon(
  promotion: VendurePromotion,
  { readAt, precision }: OrderReading,
): StoreCoupon | undefined {
  const { id, couponCode, enabled, startsAt, endsAt, createdAt } = promotion;
  if (!couponCode) return undefined;
  const { kind, value } = worthOf(promotion, precision);
  const begins = startsAt ? Date.parse(startsAt) : 0;
  const isOver = !enabled || (endsAt !== null && Date.parse(endsAt) <= readAt.getTime());
  const status = isOver ? 'expired' : begins > readAt.getTime() ? 'scheduled' : 'active';
  return {
    code: couponCode,
    codeId: id,
    discountId: id,
    kind,
    value,
    status,
    createdAt: moment(createdAt),
    startsAt: moment(startsAt ?? createdAt),
    endsAt: endsAt ? moment(endsAt) : undefined,
    updatedAt: readAt.toISOString(),
    audience: promotion.conditions.some(({ code }) => code === 'customer_group')
      ? { kind: 'segment' }
      : { kind: 'everyone' },
    // The Admin API does not say how often a code was used.
    timesUsed: 0,
    useLimit: promotion.usageLimit ?? undefined,
    oncePerCustomer: promotion.perCustomerUsageLimit === 1,
    madeByConnector: false,
  };
}

/** By Vendure's own actions; several, or those of a plugin, are `app`. */
function worthOf(
  { actions }: VendurePromotion,
  precision: number,
): { readonly kind: CouponKind; readonly value: Amount | undefined } {
  const [action, ...others] = actions;
  const other = { kind: 'app', value: undefined } as const;
  if (!action || others.length > 0) return other;
  const discount = action.args.find(({ name }) => name === 'discount')?.value;
  switch (action.code) {
    case 'order_percentage_discount':
      return { kind: 'percentage', value: readAmount(discount) };
    case 'order_fixed_discount':
      return { kind: 'fixed-amount', value: amountOf(Number(discount), precision) };
    case 'free_shipping':
      return { kind: 'free-shipping', value: undefined };
    case 'buy_x_get_y_free':
      return { kind: 'buy-x-get-y', value: undefined };
    default:
      return other;
  }
}
