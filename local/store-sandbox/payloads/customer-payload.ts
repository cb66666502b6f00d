import { gid } from '../model/ids.ts';
import type { AddressRow, CustomerRow, OrderRow } from '../model/rows.ts';
import type { World } from '../model/world.ts';
import { idNumber, localMoment } from './json-values.ts';

export const addressPayload = (address: AddressRow | null) =>
  address && {
    first_name: address.firstName,
    last_name: address.lastName,
    name: `${address.firstName} ${address.lastName}`,
    address1: address.address1,
    city: address.city,
    zip: address.zip,
    country: address.country,
    phone: address.phone,
  };

export function orderCustomerPayload(world: World, { customerId }: OrderRow) {
  const customer = customerId === null ? undefined : world.rows.customers.get(customerId);
  return customer ? customerPayload(world, customer) : null;
}

/** Without tags and marketing consent, which webhooks no longer contain since 2025-01. */
export function customerPayload({ shop }: Pick<World, 'shop'>, customer: CustomerRow) {
  return {
    id: idNumber(customer.id),
    admin_graphql_api_id: gid('Customer', customer.id),
    created_at: localMoment(customer.createdAt, shop.utcOffset),
    updated_at: localMoment(customer.updatedAt, shop.utcOffset),
    first_name: customer.firstName,
    last_name: customer.lastName,
    email: customer.email,
    phone: customer.phone,
    note: customer.note,
    ...(customer.address && { default_address: addressPayload(customer.address) }),
  };
}
