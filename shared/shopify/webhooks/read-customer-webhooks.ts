import * as v from 'valibot';
import type { StoreMember, Unreadable } from '../../store/store-entities.ts';
import { entityId, idFromGid } from '../entity-id.ts';
import {
  customerFields,
  hasCustomerId,
  id,
  moment,
  optional,
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
const member = v.pipe(
  v.object({ ...customerFields, updated_at: moment }),
  together(
    ['admin_graphql_api_id'],
    (payload) => idFromGid(payload.admin_graphql_api_id, 'Customer') !== undefined,
    'is not the id of a customer',
  ),
);

/** customers/create and customers/update. */
export function readCustomerWebhook(value: unknown): ReadMember {
  const result = readPayload(member, value);
  if (result.kind !== 'read') return result;
  const { updated_at: updatedAt, ...customer } = result.value;
  return { kind: 'read', member: { ...toCustomer(customer), updatedAt, metafields: undefined } };
}

const deleted = v.pipe(
  v.object({ id: optional(id), admin_graphql_api_id: optional(text) }),
  hasCustomerId,
  together(
    ['admin_graphql_api_id'],
    ({ admin_graphql_api_id: gid }) => gid == null || idFromGid(gid, 'Customer') !== undefined,
    'is not the id of a customer',
  ),
);

/**
 * customers/delete: besides the ids it has only an empty list. The store is asked in any case; of another
 * entity's body it must not even be asked.
 */
export function readDeletedCustomer(value: unknown): { kind: 'read'; id: string } | Unreadable {
  const result = readPayload(deleted, value);
  if (result.kind !== 'read') return result;
  return { kind: 'read', id: entityId(result.value, 'Customer') ?? '' };
}

type ReadMerge =
  | {
      readonly kind: 'read';
      readonly keptId: string;
      readonly deletedId: string;
      /** False: the merge failed, or is still under way. */
      readonly completed: boolean;
    }
  | Unreadable;

const isCustomer = (gid: string) => idFromGid(gid, 'Customer') !== undefined;

const merge = v.pipe(
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

/** customers/merge. Its errors name persons and are not read. */
export function readCustomerMerge(value: unknown): ReadMerge {
  const result = readPayload(merge, value);
  if (result.kind !== 'read') return result;
  const { value: payload } = result;
  return {
    kind: 'read',
    keptId: idFromGid(payload.admin_graphql_api_customer_kept_id, 'Customer') ?? '',
    deletedId: idFromGid(payload.admin_graphql_api_customer_deleted_id, 'Customer') ?? '',
    // Of the statuses of a merge (Shopify, "CustomerMergeRequestStatus") only this one is its end.
    completed: payload.status.toLowerCase() === 'completed',
  };
}
