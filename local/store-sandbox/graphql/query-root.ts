import { discountStatus } from '../model/discounts.ts';
import { gid } from '../model/ids.ts';
import type { DiscountRow, OrderRow, ProductRow } from '../model/rows.ts';
import { connect, listOf, type PageArguments } from './connection.ts';
import {
  customerView,
  definitionView,
  discountNodeView,
  productView,
  rolloutView,
  shopView,
  subscriptionView,
} from './entity-views.ts';
import { findNode } from './find-node.ts';
import { type GraphContext, isVisible, type View } from './graph-context.ts';
import { orderView } from './order-view.ts';
import { parseSearch } from './search-query.ts';

function findOrders(
  orders: readonly OrderRow[],
  query: string | null | undefined,
): readonly OrderRow[] {
  const fits = parseSearch(query);
  return orders.filter((order) =>
    fits(
      (field) =>
        ({
          id: Number(order.id),
          name: [`#${order.number}`, String(order.number)],
          updated_at: order.updatedAt,
          created_at: order.createdAt,
          processed_at: order.processedAt,
          status: ['any', order.cancelledAt ? 'cancelled' : order.closedAt ? 'closed' : 'open'],
          email: order.email ?? '',
          customer_id: order.customerId ?? '',
          text: [`#${order.number}`, order.email ?? ''],
        })[field],
    ),
  );
}

interface ListArguments extends PageArguments {
  readonly query?: string | null;
  readonly sortKey?: string;
}

type IdArgument = { readonly id: string };

/** The fields of QueryRoot that the sandbox has: those that a document of the connector asks for. */
export function queryRoot(context: GraphContext): View {
  const { world, scopes, app, subscriptions } = context;
  const { rows } = world;
  const byType =
    (type: string) =>
    ({ id }: IdArgument) => {
      const view = findNode(context, id);
      return view?.__typename === type ? view : null;
    };
  const count = (found: readonly unknown[]) => ({ count: found.length });
  const list = <Row extends Dated>(
    args: ListArguments,
    found: readonly Row[],
    view: (row: Row) => View,
  ) => connect(args, { rows: found, value: momentKey(args.sortKey), view });
  const orders = ({ query }: ListArguments) =>
    findOrders(
      [...rows.orders.values()].filter((order) => isVisible(context, order)),
      query,
    );
  const products = ({ query }: ListArguments) =>
    [...rows.products.values()].filter((row) => fitsProduct(query, row));
  const discounts = ({ query }: ListArguments) =>
    [...rows.discounts.values()].filter((row) => fitsDiscount(context, query, row));

  return {
    node: ({ id }: IdArgument) => findNode(context, id) ?? null,
    nodes: ({ ids }: { ids: readonly string[] }) => ids.map((id) => findNode(context, id) ?? null),
    shop: () => shopView(context),
    storeCreditConfiguration: { storeCreditEnabled: context.world.shop.storeCreditEnabled },
    currentAppInstallation: {
      id: gid('AppInstallation', '661200001'),
      accessScopes: [...scopes].sort().map((handle) => ({ handle })),
      app: { id: gid('App', '661200002'), developerType: app.developerType },
    },
    order: byType('Order'),
    orders: (args: ListArguments) => list(args, orders(args), (row) => orderView(context, row)),
    ordersCount: (args: ListArguments) => count(orders(args)),
    refund: byType('Refund'),
    product: byType('Product'),
    products: (args: ListArguments) =>
      list(args, products(args), (row) => productView(context, row)),
    productsCount: (args: ListArguments) => count(products(args)),
    metafieldDefinitions: (
      args: PageArguments & { readonly ownerType: string; readonly namespace?: string | null },
    ) =>
      connect(args, {
        rows: [...rows.metafieldDefinitions.values()].filter(
          ({ ownerType, namespace }) =>
            ownerType === args.ownerType &&
            (args.namespace == null || namespace === args.namespace),
        ),
        view: definitionView,
      }),
    customer: ({ id }: IdArgument) => {
      const view = byType('Customer')({ id });
      const own = (args: ListArguments) =>
        orders(args).filter(({ customerId }) => gid('Customer', customerId ?? '') === id);
      return (
        view && {
          ...view,
          orders: (args: ListArguments) => list(args, own(args), (row) => orderView(context, row)),
        }
      );
    },
    customers: (args: ListArguments) =>
      list(args, [...rows.customers.values()], (row) => customerView(context, row)),
    customerByIdentifier: ({
      identifier: { emailAddress },
    }: {
      identifier: { readonly emailAddress?: string | null };
    }) => {
      const wanted = emailAddress?.toLowerCase();
      const row = [...rows.customers.values()].find(
        ({ email }) => email !== null && email.toLowerCase() === wanted,
      );
      return row ? customerView(context, row) : null;
    },
    storeCreditAccount: byType('StoreCreditAccount'),
    discountNodes: (args: ListArguments) =>
      list(args, discounts(args), (row) => discountNodeView(context, row, 'DiscountNode')),
    discountNodesCount: (args: ListArguments) => count(discounts(args)),
    codeDiscountNodeByCode: ({ code }: { code: string }) => {
      const found = rows.codes.get(code.toLowerCase());
      const row = found && rows.discounts.get(found.discountId);
      return row ? discountNodeView(context, row) : null;
    },
    rollouts: listOf(
      () => [...rows.rollouts.values()],
      (row) => rolloutView(context, row),
    ),
    webhookSubscriptions: (args: PageArguments & { topics?: readonly string[] | null }) =>
      connect(args, {
        rows: [...subscriptions.values()]
          .filter(({ madeBy }) => madeBy === 'admin-api')
          .filter((row) => args.topics?.includes(String(subscriptionView(row).topic)) ?? true),
        view: subscriptionView,
      }),
  };
}

interface Dated {
  readonly id: string;
  readonly createdAt: string;
  readonly updatedAt: string;
}

function momentKey(sortKey: string | undefined) {
  switch (sortKey) {
    case 'UPDATED_AT':
      return ({ updatedAt }: Dated) => updatedAt;
    case 'CREATED_AT':
      return ({ createdAt }: Dated) => createdAt;
    default:
      return undefined;
  }
}

function fitsProduct(query: string | null | undefined, row: ProductRow): boolean {
  return parseSearch(query)(
    (field) =>
      ({
        id: Number(row.id),
        title: row.title,
        updated_at: row.updatedAt,
        created_at: row.createdAt,
        text: row.title,
      })[field],
  );
}

function fitsDiscount(
  { world }: GraphContext,
  query: string | null | undefined,
  row: DiscountRow,
): boolean {
  return parseSearch(query)(
    (field) =>
      ({
        id: Number(row.id),
        title: row.title,
        method: row.method,
        status: discountStatus(row, world.now()),
        updated_at: row.updatedAt,
        created_at: row.createdAt,
        text: row.title,
      })[field],
  );
}
