import type * as v from 'valibot';
import { gid } from './ids.ts';
import type { customerChange, customerDraft, customerReference } from './inputs.ts';
import { metafieldKey } from './metafields.ts';
import type { CustomerRow } from './rows.ts';
import { done, moment, type Outcome, refused, type World } from './world.ts';

type CustomerReference = v.InferOutput<typeof customerReference>;

export function createCustomer(
  world: World,
  draft: v.InferOutput<typeof customerDraft>,
): Outcome<CustomerRow> {
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
    addressId: world.ids.next('MailingAddress'),
    createdAt: at,
    updatedAt: at,
  };
  world.rows.customers.put(customer.id, customer);
  return done(customer);
}

export function updateCustomer(
  world: World,
  { customerId, ...fields }: v.InferOutput<typeof customerChange>,
): Outcome<CustomerRow> {
  const customer = world.rows.customers.get(customerId);
  if (!customer) return refused(`There is no customer ${customerId}.`);
  const given = Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined),
  );
  const updated = { ...customer, ...given, updatedAt: moment(world) };
  world.rows.customers.put(customerId, updated);
  return done(updated);
}

/** The orders stay, without their customer. The store sends no webhooks for them. */
export function deleteCustomer(world: World, { customerId }: CustomerReference): Outcome<string> {
  const { rows } = world;
  if (!rows.customers.get(customerId)) return refused(`There is no customer ${customerId}.`);
  rows.customers.delete(customerId);
  for (const order of ordersOf(world, customerId)) {
    rows.orders.put(order.id, { ...order, customerId: null });
  }
  return done(customerId);
}

/** Erases the personal data and asks the apps to do the same, as Shopify does after ten days. */
export function redactCustomer(world: World, { customerId }: CustomerReference): Outcome<string> {
  const { rows, ids } = world;
  const customer = rows.customers.get(customerId);
  if (!customer) return refused(`There is no customer ${customerId}.`);
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
  const owner = gid('Customer', customerId);
  for (const metafield of [...rows.metafields.values()]) {
    if (metafield.ownerGid === owner) rows.metafields.delete(metafieldKey(metafield));
  }
  const requestId = ids.next('DataRequest');
  const orderIds = orders.map(({ id }) => id);
  return done(customerId, { topic: 'customers/redact', customer, orderIds, requestId });
}

export function requestCustomerData(
  world: World,
  { customerId }: CustomerReference,
): Outcome<string> {
  const customer = world.rows.customers.get(customerId);
  if (!customer) return refused(`There is no customer ${customerId}.`);
  const requestId = world.ids.next('DataRequest');
  const orderIds = ordersOf(world, customerId).map(({ id }) => id);
  return done(requestId, { topic: 'customers/data_request', customer, orderIds, requestId });
}

function ordersOf({ rows }: World, customerId: string) {
  return [...rows.orders.values()].filter((order) => order.customerId === customerId);
}
