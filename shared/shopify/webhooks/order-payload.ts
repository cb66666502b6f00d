import * as v from 'valibot';
import { entityId } from '../entity-id.ts';
import {
  amount,
  flag,
  id,
  list,
  moment,
  moneySet,
  nullIfEmpty,
  optional,
  quantity,
  text,
  together,
} from './payload-fields.ts';
import { customerFields, hasCustomerId } from './read-customer-webhooks.ts';

const allocations = list(v.object({ amount }));
const taxLines = list(v.object({ price: optional(amount) }));

const line = v.pipe(
  v.object({
    id,
    product_id: optional(id),
    title: optional(text),
    name: optional(text),
    vendor: optional(text),
    gift_card: optional(flag),
    quantity,
    /** Absent before API 2023. */
    current_quantity: optional(quantity),
    price: optional(amount),
    price_set: optional(moneySet),
    discount_allocations: allocations,
    tax_lines: taxLines,
    /** Only tips have this key, often with the value null. */
    tip_payment_gateway: optional(text),
    attributed_staffs: list(v.object({ id: optional(text) })),
  }),
  together(['price', 'price_set'], ({ price, price_set }) => (price ?? price_set) != null),
);

const shippingLine = v.object({
  price: optional(amount),
  discounted_price: optional(amount),
  is_removed: optional(flag),
  tax_lines: taxLines,
  discount_allocations: allocations,
});

const refund = v.object({
  created_at: optional(moment),
  processed_at: optional(moment),
  refund_line_items: list(
    v.object({
      line_item_id: optional(id),
      quantity,
      subtotal: optional(amount),
      subtotal_set: optional(moneySet),
      total_tax: optional(amount),
      total_tax_set: optional(moneySet),
    }),
  ),
  refund_shipping_lines: list(
    v.object({ subtotal_amount_set: optional(moneySet), tax_amount_set: optional(moneySet) }),
  ),
  order_adjustments: list(
    v.object({
      /** Deprecated by Shopify since 2024-10; then only the reason distinguishes shipping. */
      kind: optional(text),
      reason: optional(text),
      amount: optional(amount),
      tax_amount: optional(amount),
    }),
  ),
  total_duties_set: optional(moneySet),
  transactions: optional(
    v.array(
      v.object({
        kind: optional(text),
        status: optional(text),
        amount: optional(amount),
        /** The customer's, and that of the amount. */
        currency: optional(text),
        processed_at: optional(moment),
      }),
    ),
  ),
});

const customer = v.pipe(v.object(customerFields), hasCustomerId);

/** The fields that are used of an order's webhook, in every version since 2020. */
export const orderPayload = v.pipe(
  v.object({
    id: optional(id),
    admin_graphql_api_id: optional(text),
    name: optional(text),
    created_at: optional(moment),
    processed_at: optional(moment),
    updated_at: moment,
    cancelled_at: optional(moment),
    closed_at: optional(moment),
    test: optional(flag),
    source_name: optional(text),
    currency: text,
    presentment_currency: optional(text),
    taxes_included: optional(flag),
    financial_status: optional(text),
    fulfillment_status: optional(text),
    fulfillments: list(v.object({ status: optional(text), created_at: optional(moment) })),
    line_items: list(line),
    shipping_lines: list(shippingLine),
    refunds: list(refund),
    current_subtotal_price: optional(amount),
    current_subtotal_price_set: optional(moneySet),
    current_total_price: optional(amount),
    current_total_price_set: optional(moneySet),
    current_shipping_price_set: optional(moneySet),
    /** Absent before API 2022. */
    total_outstanding: optional(amount),
    total_price: optional(amount),
    total_price_set: optional(moneySet),
    discount_applications: optional(
      v.array(v.object({ type: optional(text), code: optional(text) })),
    ),
    discount_codes: list(v.object({ code: optional(text) })),
    payment_gateway_names: list(text),
    /** Only in old versions. */
    payment_details: optional(v.object({ credit_card_company: optional(text) })),
    location_id: optional(id),
    user_id: optional(id),
    note_attributes: list(v.object({ name: optional(text), value: optional(text) })),
    email: optional(text),
    phone: optional(text),
    customer: nullIfEmpty(optional(customer)),
  }),
  together(['id', 'admin_graphql_api_id'], (payload) => entityId(payload, 'Order') !== undefined),
  together(
    ['processed_at', 'created_at'],
    (payload) => (payload.processed_at ?? payload.created_at) != null,
    'is missing, and so is created_at',
  ),
  together(
    ['total_price', 'current_total_price', 'current_total_price_set', 'total_price_set'],
    (payload) =>
      (payload.current_total_price ??
        payload.current_total_price_set ??
        payload.total_price ??
        payload.total_price_set) != null,
    'is missing, and so is current_total_price',
  ),
);

export type OrderPayload = v.InferOutput<typeof orderPayload>;
export type OrderLinePayload = v.InferOutput<typeof line>;
export type RefundPayload = v.InferOutput<typeof refund>;
