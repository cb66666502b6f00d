import { codesOf, discountStatus } from '../model/discounts.ts';
import { gid } from '../model/ids.ts';
import type { DiscountRow } from '../model/rows.ts';
import { discountGid } from '../payloads/build-payload.ts';
import { connect, type PageArguments } from './connection.ts';
import { customerView } from './customer-view.ts';
import type { GraphContext, View } from './graph-context.ts';
import { metafieldFields } from './metafield-view.ts';
import { moneyView } from './money-view.ts';
import { productView } from './product-view.ts';
import { parseSearch } from './search-query.ts';

/** The schema shows one discount as three types: code node, automatic node, or any discount. */
export function discountNodeView(
  context: GraphContext,
  row: DiscountRow,
  as: 'DiscountNode' | 'own' = 'own',
): View {
  const id = discountGid(row);
  const own = row.method === 'code' ? 'DiscountCodeNode' : 'DiscountAutomaticNode';
  return {
    __typename: as === 'own' ? own : as,
    id,
    discount: () => discountView(context, row),
    codeDiscount: () => discountView(context, row),
    automaticDiscount: () => discountView(context, row),
    ...metafieldFields(context, id),
  };
}

const kinds = {
  basic: 'Basic',
  bxgy: 'Bxgy',
  'free-shipping': 'FreeShipping',
  app: 'App',
} as const;

function discountView(context: GraphContext, row: DiscountRow): View {
  const { world } = context;
  const codes = () => codesOf(world, row.id);
  const used = () => codes().reduce((sum, code) => sum + code.used, 0);
  const shipping = row.kind === 'free-shipping';
  return {
    __typename: `Discount${row.method === 'code' ? 'Code' : 'Automatic'}${kinds[row.kind]}`,
    title: row.title,
    status: () => discountStatus(row, world.now()),
    startsAt: row.startsAt,
    endsAt: row.endsAt,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
    appliesOncePerCustomer: row.oncePerCustomer,
    usageLimit: row.usageLimit,
    asyncUsageCount: used,
    recurringCycleLimit: row.method === 'code' ? null : 1,
    summary: () => summarize(context, row),
    shortSummary: () => summarize(context, row),
    tags: row.tags,
    discountClasses: [shipping ? 'SHIPPING' : row.productIds ? 'PRODUCT' : 'ORDER'],
    combinesWith: {
      orderDiscounts: row.combinesWith?.includes('order') ?? true,
      productDiscounts: row.combinesWith?.includes('product') ?? true,
      shippingDiscounts: row.combinesWith?.includes('shipping') ?? true,
    },
    context: () => contextView(context, row),
    ...(row.method === 'code' && {
      codes: (args: PageArguments & { query?: string | null }) => listCodes(context, row, args),
      codesCount: () => ({ count: codes().length, precision: 'EXACT' }),
    }),
    minimumRequirement:
      row.minimumMinor === null
        ? null
        : {
            __typename: 'DiscountMinimumSubtotal',
            greaterThanOrEqualToSubtotal: moneyView(row.minimumMinor, world.shop.currency),
          },
    ...valueFields(context, row),
  };
}

function listCodes(
  context: GraphContext,
  row: DiscountRow,
  args: PageArguments & { query?: string | null },
) {
  const fits = parseSearch(args.query);
  return connect(context, args, {
    rows: codesOf(context.world, row.id).filter(({ code, id, used }) =>
      fits((field) => ({ text: code, code, id: Number(id), times_used: used })[field]),
    ),
    id: ({ id }) => id,
    view: ({ id, code, used }) => ({
      __typename: 'DiscountRedeemCode',
      id: gid('DiscountRedeemCode', id),
      code,
      asyncUsageCount: used,
      createdBy: null,
    }),
  });
}

function contextView(context: GraphContext, { context: who }: DiscountRow): View {
  switch (who.kind) {
    case 'all':
      return { __typename: 'DiscountBuyerSelectionAll', all: 'ALL' };
    case 'customers':
      return {
        __typename: 'DiscountCustomers',
        customers: () =>
          who.ids.flatMap((id) => {
            const customer = context.world.rows.customers.get(id);
            return customer ? [customerView(context, customer)] : [];
          }),
      };
    case 'segments':
      return {
        __typename: 'DiscountCustomerSegments',
        segments: who.segments.map(({ id, name }) => ({
          __typename: 'Segment',
          id: gid('Segment', id),
          name,
          query: '',
        })),
      };
  }
}

function valueFields(context: GraphContext, row: DiscountRow): View {
  const value = valueView(context, row);
  const items = itemsView(context, row);
  const scope = { appliesOnOneTimePurchase: true, appliesOnSubscription: false };
  switch (row.kind) {
    case 'basic':
      return { customerGets: { ...scope, items, value } };
    case 'bxgy':
      return {
        usesPerOrderLimit: null,
        customerBuys: {
          isOneTimePurchase: true,
          isSubscription: false,
          items,
          value: { __typename: 'DiscountQuantity', quantity: '2' },
        },
        customerGets: {
          ...scope,
          items,
          value: { __typename: 'DiscountOnQuantity', effect: value, quantity: { quantity: '1' } },
        },
      };
    case 'free-shipping':
      return {
        ...scope,
        maximumShippingPrice: null,
        destinationSelection: { __typename: 'DiscountCountryAll', allCountries: true },
      };
    case 'app':
      return {
        ...scope,
        discountId: discountGid(row),
        appDiscountType: {
          appKey: 'sandbox-client',
          functionId: 'sandbox-function',
          title: 'Sandbox function',
          description: null,
          discountClasses: ['ORDER'],
        },
      };
  }
}

function valueView({ world }: GraphContext, { value }: DiscountRow): View | null {
  if (!value) return null;
  if (value.kind === 'percentage') {
    return { __typename: 'DiscountPercentage', percentage: value.ppm / 1_000_000 };
  }
  return {
    __typename: 'DiscountAmount',
    amount: moneyView(value.minor, world.shop.currency),
    appliesOnEachItem: value.each,
  };
}

function itemsView(context: GraphContext, { productIds }: DiscountRow): View {
  if (!productIds) return { __typename: 'AllDiscountItems', allItems: true };
  const products = productIds.flatMap((id) => {
    const product = context.world.rows.products.get(id);
    return product ? [product] : [];
  });
  return {
    __typename: 'DiscountProducts',
    products: (args: PageArguments) =>
      connect(context, args, {
        rows: products,
        id: ({ id }) => id,
        view: (product) => productView(context, product),
      }),
  };
}

function summarize({ world }: GraphContext, { kind, value }: DiscountRow): string {
  if (kind === 'free-shipping') return 'Free shipping on all products';
  if (!value) return 'A discount of an app';
  return value.kind === 'percentage'
    ? `${value.ppm / 10_000}% off`
    : `${moneyView(value.minor, world.shop.currency).amount} ${world.shop.currency} off`;
}
