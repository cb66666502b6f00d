import { gid } from '../model/ids.ts';
import type { CustomerRow } from '../model/rows.ts';
import type { GraphContext, View } from './graph-context.ts';
import { metafieldFields } from './metafield-view.ts';

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
    ...metafieldFields(context, gid('Customer', row.id)),
  };
}
