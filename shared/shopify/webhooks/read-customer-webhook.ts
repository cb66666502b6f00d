import * as v from 'valibot';
import type { StoreMember, Unreadable } from '../../store/store-entities.ts';
import { idFromGid } from '../entity-id.ts';
import {
  customerFields,
  moment,
  readPayload,
  text,
  toCustomer,
  together,
} from './payload-fields.ts';

type ReadMember = { readonly kind: 'read'; readonly member: StoreMember } | Unreadable;

/**
 * The topic is an unsigned header: a number alone could be the id of an order or a product, whose bodies have
 * most of these fields. Only the global id says that the body is a customer's.
 */
export const memberPayload = v.pipe(
  v.object({ ...customerFields, updated_at: moment }),
  together(
    ['admin_graphql_api_id'],
    (payload) => idFromGid(payload.admin_graphql_api_id, 'Customer') !== undefined,
    'is not the id of a customer',
  ),
);

/** customers/create and customers/update. */
export function readCustomerWebhook(value: unknown): ReadMember {
  const result = readPayload(memberPayload, value);
  if (result.kind !== 'read') return result;
  const { updated_at: updatedAt, ...customer } = result.value;
  return { kind: 'read', member: { ...toCustomer(customer), updatedAt, metafields: undefined } };
}

export const isCustomer = (gid: string) => idFromGid(gid, 'Customer') !== undefined;

export const mergePayload = v.pipe(
  v.object({
    admin_graphql_api_customer_kept_id: text,
    admin_graphql_api_customer_deleted_id: text,
    status: text,
  }),
  together(
    ['admin_graphql_api_customer_kept_id'],
    (payload) => isCustomer(payload.admin_graphql_api_customer_kept_id),
    'is not the id of a customer',
  ),
  together(
    ['admin_graphql_api_customer_deleted_id'],
    (payload) => isCustomer(payload.admin_graphql_api_customer_deleted_id),
    'is not the id of a customer',
  ),
);
