/** The fields of an order's payload that the floor reads. */
export interface OrderPayload {
  readonly id: number;
  readonly created_at: string;
  readonly processed_at: string | null;
  readonly updated_at: string;
  readonly cancelled_at: string | null;
  readonly financial_status: string;
  readonly fulfillment_status: string | null;
  readonly current_subtotal_price: string;
  readonly customer: {
    readonly id: number;
    readonly first_name: string | null;
    readonly last_name: string | null;
    readonly email: string | null;
    readonly phone: string | null;
  } | null;
  readonly payment_gateway_names: readonly string[];
  readonly discount_codes: readonly { readonly code: string }[];
  readonly line_items: readonly {
    readonly product_id: number | null;
    readonly title: string;
    readonly vendor: string | null;
    readonly current_quantity: number;
    readonly price: string;
    readonly discount_allocations: readonly { readonly amount: string }[];
  }[];
}

/**
 * The order for the loyalty service as in a first version of any connector: the same fields as this
 * connector sends, without exact decimals, refunds, edits, guests or ids beyond 2^53.
 */
export function plainOrder(order: OrderPayload) {
  const cancelled = order.cancelled_at !== null;
  return {
    OriginalId: String(order.id),
    OrderPlacementDate: order.processed_at ?? order.created_at,
    OrderCompletedDate: null,
    OrderCancelledDate: order.cancelled_at,
    OrderStatus: order.fulfillment_status ?? order.financial_status,
    IsCancelledOrReturned: cancelled,
    IsCompleted: order.fulfillment_status === 'fulfilled',
    OrderTotal: Number(order.current_subtotal_price),
    Products: order.line_items.map((line) => ({
      OriginalId: String(line.product_id),
      Title: line.title,
      IsActive: true,
      ProductPrice:
        Number(line.price) * line.current_quantity -
        line.discount_allocations.reduce((sum, { amount }) => sum + Number(amount), 0),
      ProductBrand: { OriginalId: line.vendor, Name: line.vendor },
    })),
    UpdatedDate: order.updated_at,
    Coupon: order.discount_codes[0]?.code ?? null,
    Customer: {
      OriginalId: String(order.customer?.id),
      Name: `${order.customer?.first_name} ${order.customer?.last_name}`,
      Email: order.customer?.email,
      Phone: order.customer?.phone,
    },
    PaymentMethod: {
      OriginalId: order.payment_gateway_names[0],
      Name: order.payment_gateway_names[0],
    },
  };
}
