import { minorDigits } from '../../../shared/store/money.ts';
import type { SubscriptionRow } from '../delivery/subscriptions.ts';
import { codesOf, discountStatus } from '../model/discounts.ts';
import { gid } from '../model/ids.ts';
import { formatDecimal } from '../model/minor-units.ts';
import type {
  CustomerRow,
  DiscountRow,
  MetafieldDefinitionRow,
  OrderRow,
  ProductRow,
  RolloutRow,
  StoreCreditAccountRow,
  StoreCreditTransactionRow,
} from '../model/rows.ts';
import { accountsOf, transactionsOf } from '../model/store-credit.ts';
import { discountGid } from '../payloads/build-payload.ts';
import { apiVersion } from '../settings.ts';
import { connect, listOf, type PageArguments } from './connection.ts';
import type { GraphContext, View } from './graph-context.ts';
import { parseSearch } from './search-query.ts';

export function customerView(context: GraphContext, row: CustomerRow): View {
  const { address } = row;
  return {
    __typename: 'Customer',
    id: gid('Customer', row.id),
    firstName: row.firstName,
    lastName: row.lastName,
    defaultEmailAddress: row.email === null ? null : { emailAddress: row.email },
    defaultPhoneNumber: row.phone === null ? null : { phoneNumber: row.phone },
    defaultAddress: address && {
      name: `${address.firstName} ${address.lastName}`,
      phone: address.phone,
    },
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
    storeCreditAccounts: listOf(
      () => accountsOf(context.world, row.id),
      (account) => storeCreditAccountView(context, account),
    ),
    ...metafieldFields(context, gid('Customer', row.id)),
  };
}

export function storeCreditAccountView(
  context: GraphContext,
  { id, currency, balanceMinor }: StoreCreditAccountRow,
): View {
  return {
    __typename: 'StoreCreditAccount',
    id: gid('StoreCreditAccount', id),
    balance: moneyView(balanceMinor, currency),
    transactions: (args: PageArguments & { readonly sortKey?: string }) =>
      connect(args, {
        rows: transactionsOf(context.world, id),
        value: (row) =>
          args.sortKey === 'EXPIRES_AT' && row.kind === 'credit'
            ? (row.expiresAt ?? '')
            : row.createdAt,
        view: (row) => storeCreditView(context, row),
      }),
  };
}

const transactionTypes = {
  credit: 'StoreCreditAccountCreditTransaction',
  debit: 'StoreCreditAccountDebitTransaction',
  'debit-revert': 'StoreCreditAccountDebitRevertTransaction',
  expiration: 'StoreCreditAccountExpirationTransaction',
} as const;

/** A transaction of a store credit account. */
export function storeCreditView(context: GraphContext, row: StoreCreditTransactionRow): View {
  const { rows } = context.world;
  const account = rows.storeCreditAccounts.get(row.accountId);
  const money = (minor: number) => moneyView(minor, account?.currency ?? '');
  const other = (id: string) => () => {
    const found = rows.storeCreditTransactions.get(id);
    return found ? storeCreditView(context, found) : null;
  };
  const type = transactionTypes[row.kind];
  return {
    __typename: type,
    amount: money(row.minor),
    balanceAfterTransaction: money(row.balanceAfterMinor),
    createdAt: row.createdAt,
    event: row.event,
    origin: originView(context, row),
    ...(row.kind !== 'expiration' && { id: gid(type, row.id) }),
    ...(row.kind === 'credit' && { expiresAt: row.expiresAt }),
    ...(row.kind === 'debit-revert' && { debitTransaction: other(row.debitId) }),
    ...(row.kind === 'expiration' && { creditTransaction: other(row.creditId) }),
  };
}

function originView(
  { world }: GraphContext,
  { orderId, originId }: StoreCreditTransactionRow,
): View | null {
  if (originId === null) return null;
  const { transactions = [] } = world.rows.orders.get(orderId ?? '') ?? {};
  const { parentId } = transactions.find(({ id }) => id === originId) ?? {};
  const parent = transactions.find(({ id }) => id === parentId);
  return {
    __typename: 'OrderTransaction',
    id: gid('OrderTransaction', originId),
    parentTransaction: parent
      ? { id: gid('OrderTransaction', parent.id), gateway: parent.gateway }
      : null,
  };
}

export function productView(context: GraphContext, row: ProductRow): View {
  const { currency } = context.world.shop;
  const prices = row.variants.map(({ priceMinor }) => priceMinor);
  const image = { url: row.imageUrl };
  const medium =
    row.imageUrl === null
      ? null
      : {
          ...{ __typename: 'MediaImage', id: gid('MediaImage', row.imageId) },
          ...{ image, preview: { image } },
        };
  return {
    __typename: 'Product',
    id: gid('Product', row.id),
    title: row.title,
    handle: row.handle,
    vendor: row.vendor,
    productType: row.productType,
    category: row.category && {
      id: gid('TaxonomyCategory', row.category.id),
      fullName: row.category.fullName,
    },
    status: row.status.toUpperCase(),
    updatedAt: row.updatedAt,
    featuredMedia: medium,
    media: listOf(
      () => (medium ? [medium] : []),
      (view) => view,
    ),
    priceRangeV2: {
      minVariantPrice: moneyView(Math.min(...prices), currency),
      maxVariantPrice: moneyView(Math.max(...prices), currency),
    },
  };
}

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
  return connect(args, {
    rows: codesOf(context.world, row.id).filter(({ code }) =>
      fits((field) => ({ text: code, code })[field]),
    ),
    view: ({ id, code, used }) => ({
      ...{ __typename: 'DiscountRedeemCode', id: gid('DiscountRedeemCode', id) },
      ...{ code, asyncUsageCount: used },
    }),
  });
}

/** Only active ones exist here, so the search for them is not looked at. */
export function rolloutView(context: GraphContext, row: RolloutRow): View {
  const { name, allocation, startedAt, concludeAt, treatments } = row;
  return {
    ...{ name, startedAt, effectiveTrafficAllocation: allocation },
    schedule: concludeAt && { concludeAt },
    treatments: treatments.map(({ split, activate, expire }) => ({
      split,
      changes: listOf(
        () => [
          ...activate.map((id) => ({ id, does: 'Activate' })),
          ...expire.map((id) => ({ id, does: 'Expire' })),
        ],
        ({ id, does }) => {
          const discount = context.world.rows.discounts.get(id);
          return {
            __typename: `RolloutDiscount${does}Change`,
            discount: discount ? discountNodeView(context, discount, 'DiscountNode') : null,
          };
        },
      ),
    })),
  };
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

interface MetafieldsArguments extends PageArguments {
  readonly namespace?: string | null;
  /** `namespace.key` */
  readonly keys?: readonly string[] | null;
}

/** The fields of every type with metafields. */
export function metafieldFields(context: GraphContext, ownerGid: string): View {
  const own = () =>
    [...context.world.rows.metafields.values()].filter((one) => one.ownerGid === ownerGid);
  return {
    metafields: (args: MetafieldsArguments) =>
      connect(args, {
        rows: own().filter(
          ({ namespace, key }) =>
            (args.namespace == null || namespace === args.namespace) &&
            (args.keys == null || args.keys.includes(`${namespace}.${key}`)),
        ),
        view: ({ namespace, key, value }) => ({ namespace, key, value }),
      }),
  };
}

export function definitionView(row: MetafieldDefinitionRow): View {
  return {
    key: row.key,
    type: { name: row.type },
    access: { storefront: row.storefront, customerAccount: row.customerAccount },
  };
}

export function subscriptionView(row: SubscriptionRow): View {
  return {
    __typename: 'WebhookSubscription',
    id: gid('WebhookSubscription', row.id),
    topic: topicEnum(row.topic),
    uri: row.uri,
    format: 'JSON',
    filter: row.filter,
    includeFields: row.includeFields,
    metafieldNamespaces: row.metafieldNamespaces,
    apiVersion: { handle: apiVersion, supported: true },
  };
}

/** `orders/partially_fulfilled` is `ORDERS_PARTIALLY_FULFILLED`. */
const topicEnum = (topic: string): string => topic.replace('/', '_').toUpperCase();

/** The first words show which underscore stands for the slash. */
const groups = [
  'ORDER_TRANSACTIONS',
  'INVENTORY_LEVELS',
  'INVENTORY_ITEMS',
  'FULFILLMENT_ORDERS',
  'FULFILLMENT_EVENTS',
  'DRAFT_ORDERS',
];

export function topicName(name: string): string {
  const group = groups.find((one) => name.startsWith(`${one}_`)) ?? name.split('_')[0] ?? '';
  return `${group}/${name.slice(group.length + 1)}`.toLowerCase();
}

export function locationView({ world }: GraphContext, id: string | null): View | null {
  const row = world.rows.locations.get(id ?? '');
  return row ? { legacyResourceId: row.id, name: row.name } : null;
}

export function staffView({ world }: GraphContext, id: string | null): View | null {
  const row = world.rows.staff.get(id ?? '');
  return row ? { id: gid('StaffMember', row.id), name: `${row.firstName} ${row.lastName}` } : null;
}

export function shopView({ world }: GraphContext): View {
  const { name, currency, customerAccounts } = world.shop;
  const customerAccountsV2 = { customerAccountsVersion: customerAccounts };
  return { name, currencyCode: currency, customerAccountsV2 };
}

const moneyView = (minor: number, currency: string): View => ({
  amount: formatDecimal(minor, minorDigits(currency)),
  currencyCode: currency,
});

export const moneyBag = ({ currency }: OrderRow, minor: number): View => ({
  shopMoney: moneyView(minor, currency),
});
