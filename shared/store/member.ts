import type { StoreCustomer, StoreOrder } from './order.ts';

/** A customer of the store as an entity of their own: the loyalty service calls them a member. */
export interface StoreMember extends StoreCustomer {
  /** ISO 8601 in UTC with milliseconds. */
  readonly updatedAt: string;
  /** The customer's own. Undefined: this source cannot read them. Empty: there are none. */
  readonly metafields: StoreOrder['metafields'];
}
