import type * as v from 'valibot';
import type { Random } from '../../sandbox-kit/seeded-random.ts';
import type { ShopSettings } from '../settings.ts';
import type { Ids } from './ids.ts';
import type * as inputs from './inputs.ts';
import type {
  CodeRow,
  CustomerRow,
  DiscountRow,
  DisputeRow,
  OrderRow,
  ProductRow,
  RefundRow,
  StoreRows,
} from './rows.ts';

/** Everything that an action of the store reads and changes. */
export interface World {
  readonly rows: StoreRows;
  readonly shop: ShopSettings;
  readonly ids: Ids;
  readonly random: Random;
  readonly now: () => Date;
}

/** What an action is given, by the name of its schema. */
export type Input<Name extends keyof typeof inputs> = v.InferOutput<(typeof inputs)[Name]>;

/** An event for the subscribers of a topic, with the rows at that moment. */
export type Announcement =
  | { readonly topic: OrderTopic; readonly order: OrderRow }
  | {
      readonly topic: 'orders/delete' | 'products/delete' | 'customers/delete';
      readonly id: string;
    }
  | { readonly topic: 'orders/edited'; readonly edit: OrderEdit }
  | { readonly topic: 'refunds/create'; readonly order: OrderRow; readonly refund: RefundRow }
  | {
      readonly topic: 'disputes/create' | 'disputes/update';
      readonly order: OrderRow;
      readonly dispute: DisputeRow;
    }
  | { readonly topic: 'products/create'; readonly product: ProductRow }
  | {
      readonly topic: 'products/update';
      readonly product: ProductRow;
      readonly before: ProductRow;
    }
  | { readonly topic: 'discounts/create' | 'discounts/update'; readonly discount: DiscountRow }
  | { readonly topic: 'discounts/delete'; readonly discount: DiscountRow; readonly at: string }
  | {
      readonly topic: 'discounts/redeemcode_added' | 'discounts/redeemcode_removed';
      readonly discount: DiscountRow;
      readonly code: CodeRow;
    }
  | { readonly topic: 'customers/create' | 'customers/update'; readonly customer: CustomerRow }
  | { readonly topic: 'customers/merge'; readonly keptId: string; readonly deletedId: string }
  | {
      readonly topic: 'customers/redact' | 'customers/data_request';
      readonly customer: CustomerRow;
      readonly orderIds: readonly string[];
      readonly requestId: string;
    }
  | { readonly topic: 'shop/redact' | 'app/uninstalled' };

type OrderTopic =
  | 'orders/create'
  | 'orders/updated'
  | 'orders/paid'
  | 'orders/fulfilled'
  | 'orders/partially_fulfilled'
  | 'orders/cancelled';

export interface OrderEdit {
  readonly id: string;
  readonly orderId: string;
  readonly at: string;
}

export type Outcome<Value> =
  | {
      readonly kind: 'done';
      readonly value: Value;
      readonly announcements: readonly Announcement[];
    }
  | Refused;

/** The store refuses the action. Nothing was changed. */
export interface Refused {
  readonly kind: 'refused';
  readonly why: string;
  /** By its name in the Admin API's schema, where the store has one. */
  readonly code?: string;
}

export const refused = (why: string, code?: string): Refused => ({
  kind: 'refused',
  why,
  ...(code !== undefined && { code }),
});

export const done = <Value>(
  value: Value,
  ...announcements: readonly Announcement[]
): Outcome<Value> => ({
  kind: 'done',
  value,
  announcements,
});

/** The order as it is from now on; `before` is announced ahead of its update. */
export function putOrder(
  { rows }: World,
  order: OrderRow,
  ...before: readonly Announcement[]
): Outcome<OrderRow> {
  rows.orders.put(order.id, order);
  return done(order, ...before, { topic: 'orders/updated', order });
}

/** Whole seconds, as in Shopify: two changes within one second have the same `updated_at`. */
export function moment({ now }: Pick<World, 'now'>): string {
  return `${now().toISOString().slice(0, 19)}Z`;
}
