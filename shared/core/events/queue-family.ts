import type { EventKind } from './store-event.ts';

/** The three queues: a bulk product edit must not delay an order. */
export type QueueFamily = 'orders' | 'products' | 'coupons';

/** With the way back into the store, which carries no events of the store and has a queue of its own. */
export type AnyQueueFamily = QueueFamily | 'balances';

/** Compliance and removal of the app travel with the orders: they act on what orders left behind. */
export function queueFamilyOf(kind: EventKind): QueueFamily {
  switch (kind) {
    case 'order':
    case 'customer':
    case 'shop':
      return 'orders';
    case 'product':
      return 'products';
    case 'coupon':
    case 'discount':
      return 'coupons';
  }
}
