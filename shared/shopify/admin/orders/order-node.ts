import type { DataOf } from '../client/admin-client.ts';
import type { orderDocument, refundLinesDocument } from '../documents.gen.ts';

export type OrderNode = NonNullable<DataOf<typeof orderDocument>['order']>;
export type OrderLineNode = OrderNode['lineItems']['nodes'][number];
type DiscountNode = OrderNode['discountApplications']['nodes'][number];
export type ShippingNode = OrderNode['shippingLines']['nodes'][number];
export type CustomerNode = NonNullable<OrderNode['customer']>;
export type RefundLineNode = NonNullable<
  DataOf<typeof refundLinesDocument>['refund']
>['refundLineItems']['nodes'][number];

/** An order with every list read to its end. */
export interface WholeOrder {
  readonly node: OrderNode;
  readonly lines: readonly OrderLineNode[];
  readonly discounts: readonly DiscountNode[];
  readonly shipping: readonly ShippingNode[];
  /** Empty where no line needs them. */
  readonly refundLines: readonly RefundLineNode[];
  /** Global ids of the lines that are tips. */
  readonly tipLines: ReadonlySet<string>;
}
