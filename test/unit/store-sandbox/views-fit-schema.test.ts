import {
  type GraphQLOutputType,
  getNullableType,
  isAbstractType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql';
import { describe, expect, it } from 'vitest';
import type { GraphContext, View } from '../../../local/store-sandbox/graphql/graph-context.ts';
import { mutationRoot } from '../../../local/store-sandbox/graphql/mutation-root.ts';
import { queryRoot } from '../../../local/store-sandbox/graphql/query-root.ts';
import { adminSchema } from '../../../shared/shopify/admin/schema/admin-schema.ts';
import { openGraphContext } from '../../support/sandbox-admin.ts';
import { openStore } from './open-store.ts';

/** One view of a discount, or of a sale, serves all its types, so each type has fields that it does not use. */
const sharedViews = /^(?:Discount|DiscountNode|DiscountCode\w*|DiscountAutomatic\w*|\w+Sale)$/;

/** Deep enough for order → refund → line → product → media → image. */
const deepest = 7;

const lists = [
  'orders',
  'products',
  'discountNodes',
  'webhookSubscriptions',
  'shop',
  'currentAppInstallation',
  'ordersCount',
  'productsCount',
  'storeCreditAccount',
];

function openContext(): GraphContext {
  const { world, do: act } = openStore();
  const [customer] = world.rows.customers.values();
  const [location] = world.rows.locations.values();
  const [staff] = world.rows.staff.values();
  const [product] = world.rows.products.values();
  const order = act('placeOrder', {
    lines: [
      { variantId: product?.variants[0]?.id ?? '', quantity: 3 },
      { title: 'Card', price: 5, giftCard: true },
    ],
    customerId: customer?.id ?? null,
    discounts: [
      { code: 'WELCOME10' },
      { title: 'Kindness', amount: 1 },
      { title: 'Season', automatic: true, percentage: 3 },
    ],
    shipping: [{ price: 5 }],
    tip: 1,
    duties: 1,
    pos: { locationId: location?.id ?? '', staffId: staff?.id ?? '' },
    address: { firstName: 'Robin', lastName: 'Sample' },
    payment: 'paid',
    card: { company: 'Visa' },
    presentment: { currency: 'USD', rate: 1.1 },
    localizedFields: [{ key: 'TAX_CREDENTIAL_BR', value: '1' }],
  });
  const lineId = order.lines[0]?.id ?? '';
  const orderId = order.id;
  act('fulfilOrder', { orderId, lines: [{ lineId, quantity: 1 }] });
  act('refundOrder', { orderId, lines: [{ lineId, quantity: 1 }], shipping: 'all', amount: 1 });
  act('returnItems', { orderId, lines: [{ lineId, quantity: 1 }] });
  act('refundOrder', { orderId, amount: 1, pending: 'paired' });
  act('openDispute', { orderId });
  act('cancelOrder', { orderId: act('placeRandomOrder', {}).id });
  const customerId = customer?.id ?? '';
  const inAWhile = new Date(world.now().getTime() + 3_000).toISOString();
  act('creditCustomer', { customerId, amount: 5, expiresAt: inAWhile });
  act('failCheckout', { customerId, amount: 2 });
  act('createDiscount', { kind: 'app', codes: ['APP'] });
  act('createDiscount', {
    codes: ['MINE'],
    amount: 2,
    customerIds: [customer?.id ?? ''],
    minimumSubtotal: 5,
  });
  act('createDiscount', {
    codes: ['SEGMENT'],
    percentage: 2,
    segments: ['VIP'],
    productIds: [product?.id ?? ''],
  });
  for (const ownerGid of [
    `gid://shopify/Order/${orderId}`,
    `gid://shopify/Customer/${customer?.id}`,
  ]) {
    act('setMetafield', { ownerGid, namespace: 'custom', key: 'k', value: 'v' });
  }
  const context = openGraphContext(world, ['read_all_orders']);
  const create = mutationRoot(context).webhookSubscriptionCreate as (args: unknown) => View;
  create({ topic: 'ORDERS_CREATE', webhookSubscription: { uri: 'http://127.0.0.1:1/x' } });
  return context;
}

/** The differences of a view from the real schema; counts the fields that were checked. */
function findFaults(
  type: GraphQLOutputType,
  value: unknown,
  path: string,
  depth: number,
  seen: Set<string>,
): string[] {
  if (value === null || value === undefined) return isNonNullType(type) ? [`${path} is null`] : [];
  const plain = getNullableType(type);
  if (isListType(plain)) {
    if (!Array.isArray(value)) return [`${path} is not a list`];
    return value.flatMap((item, i) => findFaults(plain.ofType, item, `${path}[${i}]`, depth, seen));
  }
  if (isLeafType(plain)) {
    try {
      plain.serialize(value);
      return [];
    } catch (error) {
      return [`${path}: ${error instanceof Error ? error.message : ''}`];
    }
  }
  const view = value as View;
  const actual = isAbstractType(plain) ? adminSchema().getType(String(view.__typename)) : plain;
  if (!isObjectType(actual)) return [`${path} has no type`];
  if (isAbstractType(plain) && !adminSchema().isSubType(plain, actual))
    return [`${path} cannot be ${actual.name}`];
  if (depth === 0) return [];
  return Object.entries(view).flatMap(([name, member]) => {
    const field = actual.getFields()[name];
    if (!field)
      return name === '__typename' || sharedViews.test(actual.name)
        ? []
        : [`${actual.name} has no ${name}`];
    seen.add(`${actual.name}.${name}`);
    const args = { first: 4, namespace: 'custom', key: 'k' };
    const result = typeof member === 'function' ? member(args) : member;
    return findFaults(field.type, result, `${path}.${name}`, depth - 1, seen);
  });
}

describe('every view', () => {
  it('has only fields of the real schema, with values of their types', () => {
    const context = openContext();
    const root = queryRoot(context);
    const [account] = context.world.rows.storeCreditAccounts.values();
    const args = { first: 5, id: `gid://shopify/StoreCreditAccount/${account?.id}` };
    const fields = adminSchema().getQueryType()?.getFields() ?? {};
    const seen = new Set<string>();
    const faults = lists.flatMap((name) => {
      const type = fields[name]?.type;
      if (!type) return [`there is no ${name}`];
      const member = root[name];
      const value = typeof member === 'function' ? member(args) : member;
      return findFaults(type, value, name, deepest, seen);
    });
    expect([...new Set(faults)]).toEqual([]);
    expect(seen).toContain('StoreCreditAccountExpirationTransaction.creditTransaction');
    expect(seen.size).toBeGreaterThan(100);
  });
});
