import { gid } from '../model/ids.ts';
import type { AddressRow } from '../model/order-row.ts';
import type { CustomerRow } from '../model/rows.ts';
import type { PageArguments } from './connection.ts';
import { type GraphContext, isVisible, type View } from './graph-context.ts';
import { metafieldFields } from './metafield-view.ts';
import { listOrders } from './order-list.ts';

export function customerView(context: GraphContext, row: CustomerRow): View {
  const own = () =>
    [...context.world.rows.orders.values()].filter(
      (order) => order.customerId === row.id && isVisible(context, order),
    );
  const name = [row.firstName, row.lastName].filter((part) => part !== null).join(' ');
  return {
    __typename: 'Customer',
    id: gid('Customer', row.id),
    legacyResourceId: row.id,
    firstName: row.firstName,
    lastName: row.lastName,
    displayName: name || (row.email ?? row.phone ?? ''),
    email: row.email,
    phone: row.phone,
    defaultEmailAddress: row.email === null ? null : { emailAddress: row.email, validFormat: true },
    defaultPhoneNumber: row.phone === null ? null : { phoneNumber: row.phone },
    defaultAddress: () => (row.address ? addressView(row.address, row.addressId) : null),
    note: row.note,
    tags: row.tags,
    state: 'DISABLED',
    locale: 'en',
    taxExempt: false,
    verifiedEmail: true,
    numberOfOrders: () => String(own().length),
    orders: (args: PageArguments & { query?: string | null; sortKey?: string }) =>
      listOrders(context, args, own()),
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
    ...metafieldFields(context, gid('Customer', row.id)),
  };
}

export function addressView(address: AddressRow, id: string): View {
  return {
    __typename: 'MailingAddress',
    id: gid('MailingAddress', id),
    firstName: address.firstName,
    lastName: address.lastName,
    name: `${address.firstName} ${address.lastName}`,
    company: null,
    address1: address.address1,
    address2: null,
    city: address.city,
    zip: address.zip,
    province: address.province,
    provinceCode: address.provinceCode,
    country: address.country,
    countryCodeV2: address.countryCode,
    phone: address.phone,
  };
}
