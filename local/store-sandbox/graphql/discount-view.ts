import { codesOf, discountStatus } from '../model/discounts.ts';
import { gid } from '../model/ids.ts';
import type { DiscountRow } from '../model/rows.ts';
import { discountGid } from '../payloads/build-payload.ts';
import { connect, type PageArguments } from './connection.ts';
import { customerView } from './customer-view.ts';
import type { GraphContext, View } from './graph-context.ts';
import { moneyView } from './money-view.ts';
import { parseSearch } from './search-query.ts';

/** The schema shows one discount as three types: code node, automatic node, or any discount. */
export function discountNodeView(
  context: GraphContext,
  row: DiscountRow,
  as: 'DiscountNode' | 'own' = 'own',
): View {
  const own = row.method === 'code' ? 'DiscountCodeNode' : 'DiscountAutomaticNode';
  return {
    __typename: as === 'own' ? own : as,
    id: discountGid(row),
    discount: () => discountView(context, row),
    codeDiscount: () => discountView(context, row),
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
    asyncUsageCount: () => codesOf(world, row.id).reduce((sum, code) => sum + code.used, 0),
    tags: row.tags,
    context: () => contextView(context, row),
    codes: (args: PageArguments & { query?: string | null }) => listCodes(context, row, args),
    customerGets: { value: valueView(context, row) },
  };
}

function listCodes(
  context: GraphContext,
  row: DiscountRow,
  args: PageArguments & { query?: string | null },
) {
  const fits = parseSearch(args.query);
  return connect(context, args, {
    rows: codesOf(context.world, row.id).filter(({ code }) =>
      fits((field) => ({ text: code, code })[field]),
    ),
    id: ({ id }) => id,
    view: ({ id, code, used }) => ({
      ...{ __typename: 'DiscountRedeemCode', id: gid('DiscountRedeemCode', id) },
      ...{ code, asyncUsageCount: used },
    }),
  });
}

function contextView(context: GraphContext, { context: who }: DiscountRow): View {
  switch (who.kind) {
    case 'all':
      return { __typename: 'DiscountBuyerSelectionAll' };
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
      return { __typename: 'DiscountCustomerSegments' };
  }
}

function valueView({ world }: GraphContext, { value }: DiscountRow): View | null {
  if (!value) return null;
  return value.kind === 'percentage'
    ? { __typename: 'DiscountPercentage', percentage: value.ppm / 1_000_000 }
    : { __typename: 'DiscountAmount', amount: moneyView(value.minor, world.shop.currency) };
}
