import { minorDigits } from '../../../shared/store/money.ts';
import { statusAtCheckout } from './discounts.ts';
import { allocate, formatMinor, parseMinor, share } from './minor-units.ts';
import type {
  AllocationRow,
  ApplicationRow,
  CodeRow,
  DiscountRow,
  FeeRow,
  LineRow,
} from './rows.ts';
import { type Input, type Refused, refused, type World } from './world.ts';

type LineDraft = Input<'orderDraft'>['lines'][number];

/** Before taxes and discounts, which depend on all lines. */
export type PlainLine = Omit<LineRow, 'taxes' | 'allocations'> & { readonly taxable: boolean };

export function draftLine(
  { rows, shop, ids }: World,
  draft: LineDraft,
  staffId: string | null,
): PlainLine | Refused {
  const price =
    draft.price === undefined ? undefined : parseMinor(draft.price, minorDigits(shop.currency));
  if (draft.price !== undefined && price === undefined) {
    return refused(`${draft.price} is not an amount of ${shop.currency}.`);
  }
  const common = { quantity: draft.quantity, staffId };
  if (draft.variantId === undefined) {
    if (price === undefined || draft.title === undefined) {
      return refused('A line without a variant needs a title and a price.');
    }
    return {
      ...common,
      id: ids.next('LineItem'),
      kind: draft.giftCard ? 'gift-card' : 'custom',
      productId: null,
      variantId: null,
      title: draft.title,
      variantTitle: null,
      vendor: null,
      unitMinor: price,
      taxable: draft.taxable && !draft.giftCard,
    };
  }
  for (const product of rows.products.values()) {
    const variant = product.variants.find((one) => one.id === draft.variantId);
    if (!variant) continue;
    return {
      ...common,
      id: ids.next('LineItem'),
      kind: draft.giftCard ? 'gift-card' : 'product',
      productId: product.id,
      variantId: variant.id,
      title: draft.title ?? product.title,
      variantTitle: product.variants.length > 1 ? variant.title : null,
      vendor: product.vendor,
      unitMinor: price ?? variant.priceMinor,
      taxable: draft.taxable && !draft.giftCard,
    };
  }
  return refused(`There is no variant ${draft.variantId}.`);
}

export const feeRow = ({ ids }: World, lineType: FeeRow['lineType'], minor: number): FeeRow => ({
  id: ids.next('Fee'),
  lineType,
  minor,
  isTakenBack: false,
});

type DiscountDraft = Input<'orderDraft'>['discounts'][number];

/** The terms of a draft's discount: given in the draft, or those of the store's discount with that code. */
export function draftDiscount(
  world: World,
  draft: DiscountDraft,
  lines: readonly PlainLine[],
  customerId: string | null,
): Discount | Refused {
  const name = draft.code ?? draft.title;
  if (name === undefined) return refused('A discount needs a code or a title.');
  const type =
    draft.code !== undefined ? 'discount_code' : draft.automatic ? 'automatic' : 'manual';
  const own = ownValue(world, draft);
  if (own && 'why' in own) return own;
  if (own) {
    return {
      application: {
        type,
        name,
        value: own,
        target: draft.shipping ? 'shipping_line' : 'line_item',
        method: draft.each || draft.shipping ? 'each' : 'across',
      },
      ...(draft.lines && { lines: draft.lines }),
    };
  }
  if (draft.code === undefined)
    return refused(`The discount ${name} needs a percentage or an amount.`);
  return fromStore(world, draft.code, lines, customerId);
}

function ownValue(
  { shop }: World,
  draft: DiscountDraft,
): ApplicationRow['value'] | Refused | undefined {
  if (draft.percentage !== undefined) {
    return { kind: 'percentage', ppm: Math.round(draft.percentage * 10_000) };
  }
  if (draft.amount === undefined) return undefined;
  const minor = parseMinor(draft.amount, minorDigits(shop.currency));
  return minor === undefined
    ? refused(`${draft.amount} is not an amount of ${shop.currency}.`)
    : { kind: 'fixed_amount', minor };
}

function fromStore(
  world: World,
  code: string,
  lines: readonly PlainLine[],
  customerId: string | null,
): Discount | Refused {
  const { rows } = world;
  const row = rows.codes.get(code.toLowerCase());
  const discount = row && rows.discounts.get(row.discountId);
  if (!row || !discount) return refused(`There is no code ${code}.`, 'DISCOUNT_NOT_FOUND');
  const obstacle = findObstacle(world, discount, row, lines, customerId);
  if (obstacle) return obstacle;
  const common = { type: 'discount_code', name: row.code } as const;
  if (discount.kind === 'free-shipping') {
    const value = { kind: 'percentage', ppm: 1_000_000 } as const;
    return { application: { ...common, value, target: 'shipping_line', method: 'each' } };
  }
  const { value, productIds } = discount;
  if (discount.kind === 'bxgy') {
    return refused(
      `This store cannot price the code ${code}: it does not know which item is free.`,
    );
  }
  if (!value) return refused(`Only its app knows what the code ${code} is worth.`);
  const entitled =
    productIds &&
    lines.flatMap(({ productId }, i) =>
      productId !== null && productIds.includes(productId) ? [i] : [],
    );
  return {
    application: {
      ...common,
      value: value.kind === 'percentage' ? value : { kind: 'fixed_amount', minor: value.minor },
      target: 'line_item',
      method: value.kind === 'fixed' && value.each ? 'each' : 'across',
    },
    ...(entitled && { lines: entitled }),
  };
}

/**
 * Why the checkout would refuse the code for this customer and cart, with the warning of the Storefront API (its page
 * "CartWarningCode"); undefined when it would accept it.
 */
function findObstacle(
  world: World,
  discount: DiscountRow,
  { code, used }: CodeRow,
  lines: readonly PlainLine[],
  customerId: string | null,
): Refused | undefined {
  const { rows, shop } = world;
  const { context, oncePerCustomer, minimumMinor, productIds, usageLimit } = discount;
  if (usageLimit !== null && used >= usageLimit) {
    return refused(`The code ${code} has been used already.`, 'DISCOUNT_USAGE_LIMIT_REACHED');
  }
  const status = statusAtCheckout(world, discount);
  const isOver = status === 'EXPIRED';
  if (isOver || status === 'SCHEDULED') {
    const why = `The code ${code} ${isOver ? 'has expired' : 'is not valid yet'}.`;
    return refused(why, 'DISCOUNT_CURRENTLY_INACTIVE');
  }
  const isNamed = context.kind === 'customers';
  if (isNamed && (customerId === null || !context.ids.includes(customerId))) {
    return refused(
      `The code ${code} is for another customer.`,
      customerId === null ? 'DISCOUNT_ELIGIBLE_CUSTOMER_MISSING' : 'DISCOUNT_CUSTOMER_NOT_ELIGIBLE',
    );
  }
  if (productIds && !lines.some(({ productId }) => productIds.includes(productId ?? ''))) {
    return refused(`The code ${code} is for other products.`, 'DISCOUNT_NO_ENTITLED_LINE_ITEMS');
  }
  const subtotal = lines.reduce((sum, { unitMinor, quantity }) => sum + unitMinor * quantity, 0);
  if (minimumMinor !== null && subtotal < minimumMinor) {
    const least = formatMinor(minimumMinor, minorDigits(shop.currency));
    return refused(
      `The code ${code} needs a larger order: ${shop.currency} ${least} or more.`,
      'DISCOUNT_PURCHASE_NOT_IN_RANGE',
    );
  }
  const hasUsed = () =>
    [...rows.orders.values()].some(
      (order) =>
        order.customerId === customerId &&
        order.applications.some(({ type, name }) => type === 'discount_code' && name === code),
    );
  if (!oncePerCustomer || customerId === null || !hasUsed()) return undefined;
  return refused(
    `The customer has used the code ${code} already.`,
    'DISCOUNT_CUSTOMER_USAGE_LIMIT_REACHED',
  );
}

/**
 * Whether two codes can be in one cart: each must combine with the class of the other (Shopify's page "Combining
 * discounts"). One without a word on it combines.
 */
export function combine({ rows }: World, one: string, other: string): boolean {
  const [first, second] = [one, other].map((code) =>
    rows.discounts.get(rows.codes.get(code.toLowerCase())?.discountId ?? ''),
  );
  if (!first || !second) return true;
  const takes = ({ combinesWith }: DiscountRow, { kind, productIds }: DiscountRow) =>
    combinesWith === undefined ||
    combinesWith.includes(kind === 'free-shipping' ? 'shipping' : productIds ? 'product' : 'order');
  return takes(first, second) && takes(second, first);
}

/** A line or a shipping line that discounts may reduce. */
interface Target {
  readonly grossMinor: number;
  readonly quantity: number;
  /** False for gift cards and tips. */
  readonly discountable: boolean;
}

interface Discount {
  readonly application: ApplicationRow;
  /** Indexes of the entitled lines; undefined means all of its kind. */
  readonly lines?: readonly number[];
}

/**
 * Applies one discount after the other, each to what the earlier ones left. The amount of a discount is
 * rounded once and then split into whole units, so that its shares always add up to it.
 */
export function applyDiscounts(
  lines: readonly Target[],
  shipping: readonly Target[],
  discounts: readonly Discount[],
): { readonly lines: AllocationRow[][]; readonly shipping: AllocationRow[][] } {
  const remaining = {
    line_item: lines.map(({ grossMinor }) => grossMinor),
    shipping_line: shipping.map(({ grossMinor }) => grossMinor),
  };
  const allocated = {
    line_item: lines.map((): AllocationRow[] => []),
    shipping_line: shipping.map((): AllocationRow[] => []),
  };
  discounts.forEach(({ application, lines: entitled }, index) => {
    const { target } = application;
    const targets = target === 'line_item' ? lines : shipping;
    const left = remaining[target];
    const base = targets.map(({ discountable }, i) =>
      discountable && (!entitled || entitled.includes(i)) ? (left[i] ?? 0) : 0,
    );
    sharesOf(application, base, targets).forEach((minor, i) => {
      if (minor === 0) return;
      left[i] = (left[i] ?? 0) - minor;
      allocated[target][i]?.push({ application: index, minor });
    });
  });
  return { lines: allocated.line_item, shipping: allocated.shipping_line };
}

function sharesOf(
  { value, method }: ApplicationRow,
  base: readonly number[],
  targets: readonly Target[],
): number[] {
  const whole = base.reduce((sum, minor) => sum + minor, 0);
  if (value.kind === 'percentage') {
    return allocate(Math.min(whole, share(whole, value.ppm, 1_000_000)), base);
  }
  if (method === 'each') {
    return base.map((minor, i) => Math.min(minor, value.minor * (targets[i]?.quantity ?? 0)));
  }
  return allocate(Math.min(whole, value.minor), base);
}
