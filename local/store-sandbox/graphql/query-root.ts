import { gid } from '../model/ids.ts';
import type { DiscountRow } from '../model/rows.ts';
import { connect, type PageArguments } from './connection.ts';
import { customerView } from './customer-view.ts';
import { discountNodeView } from './discount-view.ts';
import { findNode } from './find-node.ts';
import { type GraphContext, isVisible, type View } from './graph-context.ts';
import { definitionView } from './metafield-view.ts';
import { listOrders } from './order-list.ts';
import { productView } from './product-view.ts';
import { fitsBulkOperation, fitsCustomer, fitsDiscount, fitsProduct } from './search-fields.ts';
import { appInstallationView, locationView, shopView, staffView } from './shop-view.ts';
import { subscriptionView } from './subscription-view.ts';

type ListArguments = PageArguments & { readonly query?: string | null; readonly sortKey?: string };
interface DefinitionArguments extends PageArguments {
  readonly ownerType: string;
  readonly namespace?: string | null;
  readonly key?: string | null;
}

/** Without `customId`, which needs metafields that are unique. */
interface CustomerIdentifier {
  readonly identifier: {
    readonly id?: string | null;
    readonly emailAddress?: string | null;
    readonly phoneNumber?: string | null;
  };
}

type IdArgument = { readonly id: string };

/** The fields of QueryRoot that the sandbox has. */
export function queryRoot(context: GraphContext): View {
  const { world, subscriptions, bulk } = context;
  const { rows } = world;
  const orders = () => [...rows.orders.values()].filter((order) => isVisible(context, order));
  const byType =
    (...types: readonly string[]) =>
    ({ id }: IdArgument) => {
      const view = findNode(context, id);
      return view && types.includes(String(view.__typename)) ? view : null;
    };
  const count = (size: number) => ({ count: size, precision: 'EXACT' });
  const discounts = (
    args: ListArguments,
    method: DiscountRow['method'] | undefined,
    as: 'DiscountNode' | 'own',
  ) =>
    connect(context, args, {
      rows: [...rows.discounts.values()].filter(
        (row) => (!method || row.method === method) && fitsDiscount(context, args.query, row),
      ),
      id: ({ id }) => id,
      value: momentKey(args.sortKey),
      view: (row) => discountNodeView(context, row, as),
    });

  return {
    node: ({ id }: IdArgument) => findNode(context, id) ?? null,
    nodes: ({ ids }: { ids: readonly string[] }) => ids.map((id) => findNode(context, id) ?? null),
    shop: () => shopView(context),
    app: () => appInstallationView(context).app,
    currentAppInstallation: () => appInstallationView(context),
    order: byType('Order'),
    orders: (args: ListArguments) => listOrders(context, args, orders()),
    ordersCount: ({ query }: ListArguments) => {
      const { nodes } = listOrders({ ...context, unpaged: true }, query ? { query } : {}, orders());
      return count((nodes as () => unknown[])().length);
    },
    refund: byType('Refund'),
    fulfillment: byType('Fulfillment'),
    product: byType('Product'),
    productVariant: byType('ProductVariant'),
    products: (args: ListArguments) =>
      connect(context, args, {
        rows: [...rows.products.values()].filter((row) => fitsProduct(args.query, row)),
        id: ({ id }) => id,
        value: momentKey(args.sortKey),
        view: (row) => productView(context, row),
      }),
    productsCount: ({ query }: ListArguments) =>
      count([...rows.products.values()].filter((row) => fitsProduct(query, row)).length),
    metafieldDefinitions: (args: DefinitionArguments) =>
      connect(context, args, {
        rows: [...rows.metafieldDefinitions.values()].filter(
          ({ ownerType, namespace, key }) =>
            ownerType === args.ownerType &&
            (args.namespace == null || namespace === args.namespace) &&
            (args.key == null || key === args.key),
        ),
        id: ({ id }) => id,
        view: definitionView,
      }),
    customer: byType('Customer'),
    customerByIdentifier: ({
      identifier: { id, emailAddress, phoneNumber },
    }: CustomerIdentifier) => {
      if (id != null) return byType('Customer')({ id });
      const row = [...rows.customers.values()].find(({ email, phone }) =>
        emailAddress == null
          ? phone !== null && phone === phoneNumber
          : email?.toLowerCase() === emailAddress.toLowerCase(),
      );
      return row ? customerView(context, row) : null;
    },
    customers: (args: ListArguments) =>
      connect(context, args, {
        rows: [...rows.customers.values()].filter((row) => fitsCustomer(args.query, row)),
        id: ({ id }) => id,
        value: momentKey(args.sortKey),
        view: (row) => customerView(context, row),
      }),
    customersCount: ({ query }: ListArguments) =>
      count([...rows.customers.values()].filter((row) => fitsCustomer(query, row)).length),
    discountNodesCount: ({ query }: ListArguments) =>
      count([...rows.discounts.values()].filter((row) => fitsDiscount(context, query, row)).length),
    discountNode: ({ id }: IdArgument) => {
      const row = [...rows.discounts.values()].find((one) => id === nodeGid(one));
      return row ? discountNodeView(context, row, 'DiscountNode') : null;
    },
    discountNodes: (args: ListArguments) => discounts(args, undefined, 'DiscountNode'),
    codeDiscountNode: byType('DiscountCodeNode'),
    codeDiscountNodes: (args: ListArguments) => discounts(args, 'code', 'own'),
    codeDiscountNodeByCode: ({ code }: { code: string }) => {
      const found = rows.codes.get(code.toLowerCase());
      const row = found && rows.discounts.get(found.discountId);
      return row ? discountNodeView(context, row) : null;
    },
    automaticDiscountNode: byType('DiscountAutomaticNode'),
    automaticDiscountNodes: (args: ListArguments) => discounts(args, 'automatic', 'own'),
    location: ({ id }: { id?: string | null }) => {
      const [first] = rows.locations.values();
      if (id == null) return first ? locationView(context, first) : null;
      return byType('Location')({ id });
    },
    locations: (args: ListArguments) =>
      connect(context, args, {
        rows: [...rows.locations.values()],
        id: ({ id }) => id,
        value: ({ name }) => name,
        view: (row) => locationView(context, row),
      }),
    staffMember: ({ id }: { id?: string | null }) =>
      id == null ? null : byType('StaffMember')({ id }),
    staffMembers: (args: ListArguments) =>
      connect(context, args, {
        rows: [...rows.staff.values()],
        id: ({ id }) => id,
        view: staffView,
      }),
    webhookSubscription: byType('WebhookSubscription'),
    webhookSubscriptions: (
      args: ListArguments & { topics?: readonly string[] | null; uri?: string | null },
    ) =>
      connect(context, args, {
        rows: subscriptions
          .all()
          .filter(({ madeBy }) => madeBy === 'admin-api')
          .filter(
            (row) =>
              (args.topics == null || args.topics.includes(String(subscriptionView(row).topic))) &&
              (args.uri == null || row.uri === args.uri),
          ),
        id: ({ id }) => id,
        view: subscriptionView,
      }),
    currentBulkOperation: () => bulk.current() ?? null,
    bulkOperation: byType('BulkOperation'),
    bulkOperations: (args: ListArguments) =>
      connect(context, args, {
        rows: bulk.all().filter((view) => fitsBulkOperation(args.query, view)),
        id: ({ id }) => String(id).split('/').at(-1) ?? '',
        view: (view) => view,
      }),
  };
}

const nodeGid = ({ method, id }: DiscountRow) =>
  gid(method === 'code' ? 'DiscountCodeNode' : 'DiscountAutomaticNode', id);

function momentKey(sortKey: string | undefined) {
  type Dated = { readonly createdAt: string; readonly updatedAt: string };
  switch (sortKey) {
    case 'UPDATED_AT':
      return ({ updatedAt }: Dated) => updatedAt;
    case 'CREATED_AT':
      return ({ createdAt }: Dated) => createdAt;
    default:
      return undefined;
  }
}
