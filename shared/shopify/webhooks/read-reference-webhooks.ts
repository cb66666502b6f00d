import * as v from 'valibot';
import type { Unreadable } from '../../store/read-fault.ts';
import { idFromGid } from '../entity-id.ts';
import { id, list, moment, optional, readPayload, text, together } from './payload-fields.ts';

export type ReadDeletion = { readonly kind: 'read'; readonly id: string } | Unreadable;

/**
 * orders/delete and products/delete: an id and nothing else. The topic is an unsigned header, so an
 * attacker can send a captured order body as a deletion with a valid signature; it must be unreadable.
 */
export function readDeletionWebhook(value: unknown): ReadDeletion {
  const result = readPayload(v.object({ id }), value);
  if (result.kind !== 'read') return result;
  // The fields are not named: in a forged body a name may be anything.
  if (Object.keys(value as object).length > 1) {
    const problem = 'has fields that a deletion does not have';
    return { kind: 'unreadable', faults: [{ path: '$', problem }] };
  }
  return { kind: 'read', id: result.value.id };
}

export type ReadOrderReference =
  | {
      readonly kind: 'read';
      readonly orderId: string;
      /** When the order changed; undefined where the body does not say. */
      readonly changedAt: string | undefined;
    }
  | Unreadable;

const refund = v.object({ order_id: id, created_at: optional(moment) });
/** An edit changes the order when it is committed, which can be long after its creation. */
const edit = v.object({ order_edit: v.object({ order_id: id, committed_at: optional(moment) }) });

/**
 * orders/edited, refunds/create and disputes/*: no body carries the order itself, nor its global id.
 */
export function readOrderReference(value: unknown): ReadOrderReference {
  if (typeof value === 'object' && value !== null && Object.hasOwn(value, 'order_edit')) {
    const result = readPayload(edit, value);
    if (result.kind !== 'read') return result;
    const { order_id, committed_at } = result.value.order_edit;
    return { kind: 'read', orderId: order_id, changedAt: committed_at ?? undefined };
  }
  const result = readPayload(refund, value);
  if (result.kind !== 'read') return result;
  const { order_id, created_at } = result.value;
  return { kind: 'read', orderId: order_id, changedAt: created_at ?? undefined };
}

/**
 * discounts/*: says only that something changed. Codes, value, dates and customers are read from the
 * store.
 *
 * The shape of the body decides what happened, because the topic is not signed. redeemcode_added and
 * redeemcode_removed have the same body, so the store is asked there too.
 */
interface DiscountNotice {
  readonly discountId: string;
  /** An automatic discount has no codes, so there is nothing to sync. */
  readonly automatic: boolean;
  readonly change:
    | { readonly kind: 'discount-changed'; readonly at: string }
    | { readonly kind: 'discount-deleted'; readonly at: string }
    | {
        readonly kind: 'code-added-or-removed';
        readonly code: string;
        readonly codeId: string | undefined;
        readonly at: string;
      };
}

export type ReadDiscount = { readonly kind: 'read'; readonly notice: DiscountNotice } | Unreadable;

const discountPayload = v.pipe(
  v.object({
    admin_graphql_api_id: text,
    updated_at: optional(moment),
    deleted_at: optional(moment),
    redeem_code: optional(v.object({ id: optional(text), code: text })),
  }),
  together(
    ['admin_graphql_api_id'],
    (payload) => nodeOf(payload.admin_graphql_api_id) !== undefined,
    'is not the id of a discount',
  ),
  together(
    ['updated_at', 'deleted_at'],
    (payload) => (payload.updated_at ?? payload.deleted_at) != null,
    'is missing, and so is deleted_at',
  ),
);

export function readDiscountWebhook(value: unknown): ReadDiscount {
  const result = readPayload(discountPayload, value);
  if (result.kind !== 'read') return result;
  const { admin_graphql_api_id, ...rest } = result.value;
  const node = nodeOf(admin_graphql_api_id) ?? { discountId: '', automatic: false };
  return { kind: 'read', notice: { ...node, change: changeOf(rest) } };
}

function changeOf(
  payload: Omit<v.InferOutput<typeof discountPayload>, 'admin_graphql_api_id'>,
): DiscountNotice['change'] {
  const at = payload.updated_at ?? payload.deleted_at ?? '';
  if (payload.redeem_code) {
    const { code, id } = payload.redeem_code;
    const codeId = idFromGid(id, 'DiscountRedeemCode');
    return { kind: 'code-added-or-removed', code, codeId, at };
  }
  return { kind: payload.deleted_at == null ? 'discount-changed' : 'discount-deleted', at };
}

function nodeOf(gid: string): Pick<DiscountNotice, 'discountId' | 'automatic'> | undefined {
  const code = idFromGid(gid, 'DiscountCodeNode');
  if (code !== undefined) return { discountId: code, automatic: false };
  const automatic = idFromGid(gid, 'DiscountAutomaticNode');
  return automatic === undefined ? undefined : { discountId: automatic, automatic: true };
}

/**
 * The compliance topics. The e-mail address and telephone number in the bodies are not read: the ids are
 * enough.
 *
 * `shopDomain` is in the signed body, so it decides the shop, not the header.
 */
export interface CustomerRedaction {
  readonly shopDomain: string;
  readonly customerId: string;
  readonly orderIds: readonly string[];
}

export interface DataRequest extends CustomerRedaction {
  readonly requestId: string;
}

export interface ShopRedaction {
  readonly shopDomain: string;
}

type Read<T> = { readonly kind: 'read'; readonly request: T } | Unreadable;

const customer = v.object({ id });

/** customers/redact. The list is required, though it may be empty: it marks the shape. */
export function readCustomerRedaction(value: unknown): Read<CustomerRedaction> {
  const schema = v.object({ shop_domain: text, customer, orders_to_redact: v.array(id) });
  const result = readPayload(schema, value);
  if (result.kind !== 'read') return result;
  const { shop_domain, orders_to_redact } = result.value;
  return {
    kind: 'read',
    request: {
      shopDomain: shop_domain,
      customerId: result.value.customer.id,
      orderIds: orders_to_redact,
    },
  };
}

/** customers/data_request. */
export function readDataRequest(value: unknown): Read<DataRequest> {
  const schema = v.object({
    shop_domain: text,
    customer,
    orders_requested: list(id),
    data_request: v.object({ id }),
  });
  const result = readPayload(schema, value);
  if (result.kind !== 'read') return result;
  const { shop_domain, orders_requested, data_request } = result.value;
  return {
    kind: 'read',
    request: {
      shopDomain: shop_domain,
      customerId: result.value.customer.id,
      orderIds: orders_requested,
      requestId: data_request.id,
    },
  };
}

/** shop/redact. The other two bodies have these fields as well, so further fields are refused. */
export function readShopRedaction(value: unknown): Read<ShopRedaction> {
  const result = readPayload(v.object({ shop_domain: text, shop_id: id }), value);
  if (result.kind !== 'read') return result;
  if (Object.keys(value as object).length > 2) {
    const problem = 'has fields that the redaction of a shop does not have';
    return { kind: 'unreadable', faults: [{ path: '$', problem }] };
  }
  return { kind: 'read', request: { shopDomain: result.value.shop_domain } };
}
