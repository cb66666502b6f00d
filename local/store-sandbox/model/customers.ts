import { gid } from './ids.ts';
import { metafieldKey } from './metafields.ts';
import type { CustomerRow } from './rows.ts';
import { accountsOf, transactionsOf } from './store-credit.ts';
import { done, type Input, moment, type Outcome, refused, type World } from './world.ts';

export function createCustomer(world: World, draft: Input<'customerDraft'>): Outcome<CustomerRow> {
  const at = moment(world);
  const customer: CustomerRow = {
    id: world.ids.next('Customer'),
    firstName: draft.firstName ?? null,
    lastName: draft.lastName ?? null,
    email: draft.email ?? null,
    phone: draft.phone ?? null,
    note: draft.note ?? null,
    tags: draft.tags ?? [],
    address: draft.address ?? null,
    createdAt: at,
    updatedAt: at,
  };
  world.rows.customers.put(customer.id, customer);
  return done(customer, { topic: 'customers/create', customer });
}

export function updateCustomer(
  world: World,
  customer: CustomerRow,
  { customerId, ...fields }: Input<'customerChange'>,
): Outcome<CustomerRow> {
  const given = Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined),
  );
  const updated = { ...customer, ...given, updatedAt: moment(world) };
  world.rows.customers.put(customerId, updated);
  return done(updated, { topic: 'customers/update', customer: updated });
}

/** The orders stay, without their customer. The store sends no webhooks for the orders. */
export function deleteCustomer(world: World, { id: customerId }: CustomerRow): Outcome<string> {
  const { rows } = world;
  rows.customers.delete(customerId);
  closeAccounts(world, customerId);
  for (const order of ordersOf(world, customerId)) {
    rows.orders.put(order.id, { ...order, customerId: null });
  }
  return done(customerId, { topic: 'customers/delete', id: customerId });
}

/** The orders pass to the kept customer, who gets what they do not have of the other. */
export function mergeCustomers(
  world: World,
  { keptId, deletedId }: Input<'customerMerge'>,
): Outcome<CustomerRow> {
  const { rows } = world;
  const kept = rows.customers.get(keptId);
  const deleted = rows.customers.get(deletedId);
  if (!kept || !deleted || kept === deleted) return refused('There are no such two customers.');
  // `CustomerMergeErrorFieldType` names it; which of the two may have none is not documented.
  if (accountsOf(world, deletedId).length > 0) {
    return refused('A customer with store credit cannot be merged.');
  }
  const customer: CustomerRow = {
    ...kept,
    email: kept.email ?? deleted.email,
    phone: kept.phone ?? deleted.phone,
    address: kept.address ?? deleted.address,
    updatedAt: moment(world),
  };
  rows.customers.put(keptId, customer);
  for (const order of ordersOf(world, deletedId)) {
    rows.orders.put(order.id, { ...order, customerId: keptId });
  }
  rows.customers.delete(deletedId);
  return done(
    customer,
    { topic: 'customers/merge', keptId, deletedId },
    { topic: 'customers/update', customer },
    { topic: 'customers/delete', id: deletedId },
  );
}

/** Erases the personal data and asks the apps to do the same, as Shopify does after ten days. */
export function redactCustomer(world: World, customer: CustomerRow): Outcome<string> {
  const { rows, ids } = world;
  const { id: customerId } = customer;
  const orders = ordersOf(world, customerId);
  for (const order of orders) {
    rows.orders.put(order.id, {
      ...order,
      customerId: null,
      email: null,
      phone: null,
      billingAddress: null,
      shippingAddress: null,
      note: null,
      noteAttributes: [],
      localizedFields: [],
    });
  }
  rows.customers.delete(customerId);
  closeAccounts(world, customerId);
  const owner = gid('Customer', customerId);
  for (const metafield of [...rows.metafields.values()]) {
    if (metafield.ownerGid === owner) rows.metafields.delete(metafieldKey(metafield));
  }
  const requestId = ids.next('DataRequest');
  const orderIds = orders.map(({ id }) => id);
  return done(customerId, { topic: 'customers/redact', customer, orderIds, requestId });
}

export function requestCustomerData(world: World, customer: CustomerRow): Outcome<string> {
  const requestId = world.ids.next('DataRequest');
  const orderIds = ordersOf(world, customer.id).map(({ id }) => id);
  return done(requestId, { topic: 'customers/data_request', customer, orderIds, requestId });
}

function ordersOf({ rows }: World, customerId: string) {
  return [...rows.orders.values()].filter((order) => order.customerId === customerId);
}

function closeAccounts(world: World, customerId: string): void {
  const { storeCreditAccounts, storeCreditTransactions } = world.rows;
  for (const { id } of accountsOf(world, customerId)) {
    for (const one of transactionsOf(world, id)) storeCreditTransactions.delete(one.id);
    storeCreditAccounts.delete(id);
  }
}
