import type { StoreProduct } from '../../store/product.ts';
import type { Unreadable } from '../../store/read-fault.ts';
import { type ProductNode, productFromNode } from '../admin/products/product-from-node.ts';
import { asRecord, asText, type Payload, productIdOfEvent } from './event-body.ts';

export type ReadProductEvent =
  | {
      readonly kind: 'read';
      readonly id: string;
      /** Undefined: of a deletion, or the query of the subscription was not answered as it should be. */
      readonly product: StoreProduct | undefined;
    }
  | Unreadable;

/**
 * The headers are not signed, the body is: it must be that of an Event of this topic and action
 * (`Product/update`). So a captured update cannot pass for a deletion, nor a webhook's body for an Event.
 */
export function readProductEvent(topic: string, payload: unknown): ReadProductEvent {
  const body = asRecord(payload) ?? {};
  const action = asText(body.action);
  const id = productIdOfEvent(body);
  if (`${asText(body.topic)}/${action}` !== topic || id === undefined) {
    const problem = 'is not the body of an Event with this topic and action';
    return { kind: 'unreadable', faults: [{ path: '$', problem }] };
  }
  const isAnswered = action !== 'delete' && !hasErrors(body);
  return { kind: 'read', id, product: isAnswered ? productIn(body) : undefined };
}

/** A field that was refused is null then, which would read like an empty one. */
function hasErrors({ errors, query_errors }: Payload): boolean {
  return errors != null || query_errors != null;
}

function productIn({ data }: Payload): StoreProduct | undefined {
  const node = asRecord(asRecord(data)?.product);
  try {
    return node && productFromNode(node as unknown as ProductNode);
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}
