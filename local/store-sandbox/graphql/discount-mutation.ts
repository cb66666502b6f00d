import { discountNodeView } from './discount-view.ts';
import type { GraphContext, View } from './graph-context.ts';

/** The parts of DiscountCodeBasicInput and DiscountCodeFreeShippingInput that the sandbox supports. */
export interface DiscountInput {
  readonly title?: string;
  readonly code?: string;
  readonly startsAt?: string;
  readonly endsAt?: string | null;
  readonly usageLimit?: number | null;
  readonly appliesOncePerCustomer?: boolean;
  readonly tags?: readonly string[];
  readonly context?: {
    readonly customers?: { readonly add?: readonly string[] };
    readonly customerSegments?: { readonly add?: readonly string[] };
  };
  readonly customerGets?: {
    readonly value?: {
      readonly percentage?: number;
      readonly discountAmount?: { readonly amount?: string; readonly appliesOnEachItem?: boolean };
    };
    readonly items?: { readonly products?: { readonly productsToAdd?: readonly string[] } };
  };
  readonly combinesWith?: {
    readonly orderDiscounts?: boolean;
    readonly productDiscounts?: boolean;
    readonly shippingDiscounts?: boolean;
  };
  readonly minimumRequirement?: {
    readonly subtotal?: { readonly greaterThanOrEqualToSubtotal?: string };
  };
}

const numbersOf = (globalIds: readonly string[]): string[] =>
  globalIds.map((id) => id.split('/').at(-1) ?? '');

function classesOf(combines: NonNullable<DiscountInput['combinesWith']>) {
  const classes = ['order', 'product', 'shipping'] as const;
  return classes.filter((name) => combines[`${name}Discounts`]);
}

const inputNames = { basic: 'basicCodeDiscount', 'free-shipping': 'freeShippingCodeDiscount' };

export function createCodeDiscount(
  context: GraphContext,
  kind: 'basic' | 'free-shipping',
  input: DiscountInput,
): View {
  const fail = (field: string, message: string, code: string) => ({
    codeDiscountNode: null,
    userErrors: [{ field: [inputNames[kind], field], message, code, extraInfo: null }],
  });
  const { code, title, customerGets } = input;
  if (!code) return fail('code', "Code can't be blank", 'BLANK');
  if (!title) return fail('title', "Title can't be blank", 'BLANK');
  if (!input.startsAt) return fail('startsAt', "Starts at can't be blank", 'BLANK');
  if (input.endsAt && Date.parse(input.endsAt) <= Date.parse(input.startsAt)) {
    return fail('endsAt', 'Ends at needs to be after starts_at', 'END_DATE_BEFORE_START_DATE');
  }
  if (context.world.rows.codes.get(code.toLowerCase())) {
    return fail('code', 'Code must be unique. Please try a different code.', 'TAKEN');
  }
  const value = customerGets?.value;
  const amount = value?.discountAmount?.amount;
  if (kind === 'free-shipping' && input.combinesWith?.shippingDiscounts) {
    const message = 'Shipping discounts cannot combine with shipping discounts.';
    return fail('combinesWith', message, 'INVALID_COMBINES_WITH_FOR_DISCOUNT_CLASS');
  }
  if (kind === 'basic' && value?.percentage === undefined && amount === undefined) {
    return fail('customerGets', "Value can't be blank", 'BLANK');
  }
  const customers = input.context?.customers?.add;
  const segments = input.context?.customerSegments?.add;
  const products = customerGets?.items?.products?.productsToAdd;
  const minimum = input.minimumRequirement?.subtotal?.greaterThanOrEqualToSubtotal;
  const unknown = customers?.find(
    (id) => !context.world.rows.customers.get(numbersOf([id])[0] ?? ''),
  );
  if (unknown !== undefined) return fail('context', 'Customer is invalid', 'INVALID');
  const made = context.perform('createDiscount', {
    title,
    kind,
    codes: [code],
    startsAt: input.startsAt,
    ...(input.endsAt !== undefined && { endsAt: input.endsAt }),
    ...(input.usageLimit !== undefined && { usageLimit: input.usageLimit }),
    ...(input.appliesOncePerCustomer !== undefined && {
      oncePerCustomer: input.appliesOncePerCustomer,
    }),
    ...(input.tags && { tags: [...input.tags] }),
    ...(input.combinesWith && { combinesWith: classesOf(input.combinesWith) }),
    // The API uses a fraction, the action a percentage.
    ...(value?.percentage !== undefined && {
      percentage: Math.round(value.percentage * 1e6) / 1e4,
    }),
    ...(amount !== undefined && {
      amount,
      each: value?.discountAmount?.appliesOnEachItem ?? false,
    }),
    ...(customers && { customerIds: numbersOf(customers) }),
    ...(segments && { segments: numbersOf(segments) }),
    ...(products && { productIds: numbersOf(products) }),
    ...(minimum !== undefined && { minimumSubtotal: minimum }),
  });
  if (made.kind === 'refused') return fail('customerGets', made.why, 'INVALID');
  return { codeDiscountNode: discountNodeView(context, made.value), userErrors: [] };
}
