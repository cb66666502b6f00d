import * as v from 'valibot';
import type { Unreadable } from '../../store/read-fault.ts';
import { id, list, readPayload, text } from './payload-fields.ts';

/**
 * What the compliance topics ask for. The person's address and telephone number, which the bodies
 * carry, are not read: the ids are enough to act on.
 *
 * `shopDomain` is inside the signed body: it tells whose request it is, whatever the header says.
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

/** customers/redact. The list must be there, though it may be empty: it marks the shape. */
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

/** shop/redact. The other two bodies hold these fields as well, so theirs are refused. */
export function readShopRedaction(value: unknown): Read<ShopRedaction> {
  const result = readPayload(v.object({ shop_domain: text, shop_id: id }), value);
  if (result.kind !== 'read') return result;
  if (Object.keys(value as object).length > 2) {
    const problem = 'has fields that the redaction of a shop does not have';
    return { kind: 'unreadable', faults: [{ path: '$', problem }] };
  }
  return { kind: 'read', request: { shopDomain: result.value.shop_domain } };
}
