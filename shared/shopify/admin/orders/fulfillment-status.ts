import type { OrderNode } from './order-node.ts';

/**
 * The status as a webhook writes it: `fulfilled`, `partial`, `restocked` or nothing.
 *
 * The Admin API shows what a merchant sees instead, where "on hold" hides that a part has been sent;
 * whether anything was, the fulfilments tell.
 */
export function fulfillmentStatus({
  displayFulfillmentStatus,
  fulfillments,
}: Pick<OrderNode, 'displayFulfillmentStatus' | 'fulfillments'>): string | undefined {
  switch (displayFulfillmentStatus) {
    case 'FULFILLED':
      return 'fulfilled';
    case 'PARTIALLY_FULFILLED':
      return 'partial';
    case 'RESTOCKED':
      return 'restocked';
    case 'UNFULFILLED':
    case 'OPEN':
    case 'FULFILLMENT_NOT_REQUIRED':
      return undefined;
    case 'IN_PROGRESS':
    case 'ON_HOLD':
    case 'PENDING_FULFILLMENT':
    case 'REQUEST_DECLINED':
    case 'SCHEDULED':
      return fulfillments.some(({ status }) => status === 'SUCCESS') ? 'partial' : undefined;
  }
}
