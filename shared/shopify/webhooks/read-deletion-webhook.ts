import * as v from 'valibot';
import type { Unreadable } from '../../store/read-fault.ts';
import { id, readPayload } from './payload-fields.ts';

export type ReadDeletion = { readonly kind: 'read'; readonly id: string } | Unreadable;

/**
 * Reads the body of orders/delete and products/delete: an id and nothing else. The topic is an
 * unsigned header, so a captured order body can be sent again as a deletion with a valid signature;
 * it must not read as one.
 */
export function readDeletionWebhook(value: unknown): ReadDeletion {
  const result = readPayload(v.object({ id }), value);
  if (result.kind !== 'read') return result;
  // Which fields they are is not told: a name in a foreign body may be anything.
  if (Object.keys(value as object).length > 1) {
    const problem = 'has fields that a deletion does not have';
    return { kind: 'unreadable', faults: [{ path: '$', problem }] };
  }
  return { kind: 'read', id: result.value.id };
}
