import * as v from 'valibot';
import type { Unreadable } from '../../store/read-fault.ts';
import { id, readPayload } from './payload-fields.ts';

export type ReadOrderReference = { readonly kind: 'read'; readonly orderId: string } | Unreadable;

const edit = v.object({ order_edit: v.object({ order_id: id }) });
const refund = v.object({ order_id: id });

/**
 * Reads which order orders/edited and refunds/create are about; neither carries the order itself,
 * nor its global id.
 */
export function readOrderReference(value: unknown): ReadOrderReference {
  if (typeof value === 'object' && value !== null && Object.hasOwn(value, 'order_edit')) {
    const result = readPayload(edit, value);
    return result.kind === 'read'
      ? { kind: 'read', orderId: result.value.order_edit.order_id }
      : result;
  }
  const result = readPayload(refund, value);
  return result.kind === 'read' ? { kind: 'read', orderId: result.value.order_id } : result;
}
