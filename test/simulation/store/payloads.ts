import { isOver } from './order-state.ts';
import type { DiscountRow, Notice, OrderRow, ProductRow } from './rows.ts';

const NOTE = 'Please ring twice and leave it with the neighbours. '.repeat(50);

/**
 * Webhook bodies in the shape of the store's, without the fields that nobody reads. Every personal text
 * holds "zqzq", which nothing else does: so it is found wherever it must not be.
 */
export function orderNotice(topic: string, order: OrderRow): Notice {
  return { topic, body: bareNumbers(JSON.stringify(orderBody(order))) };
}

function orderBody(order: OrderRow): Readonly<Record<string, unknown>> {
  // Some shops tell the time of another zone.
  const at = order.number % 3 === 0 ? elsewhere : utc;
  const totalCents = order.lines.reduce((sum, { cents, kept }) => sum + cents * kept, 0);
  return {
    id: `#id:${order.id}`,
    admin_graphql_api_id: `gid://shopify/Order/${order.id}`,
    name: `#${order.number}`,
    created_at: at(order.placedAt),
    processed_at: at(order.placedAt),
    updated_at: at(order.updatedAt),
    cancelled_at: order.cancelledAt === undefined ? null : at(order.cancelledAt),
    closed_at: null,
    test: order.test,
    source_name: 'web',
    currency: 'EUR',
    taxes_included: true,
    financial_status: order.paid,
    fulfillment_status: order.fulfilled,
    fulfillments:
      order.fulfilledAt === undefined
        ? []
        : [{ status: 'success', created_at: at(order.fulfilledAt) }],
    line_items: order.lines.map(({ id, productId, cents, kept }) => {
      const refunded = order.refunds.filter(({ line }) => line === id);
      const quantity = kept + refunded.reduce((sum, one) => sum + one.quantity, 0);
      const price = money(cents);
      const title = `Thing ${productId.slice(-2)}`;
      return { id, product_id: Number(productId), title, quantity, current_quantity: kept, price };
    }),
    refunds: order.refunds.map((refund) => ({
      created_at: at(refund.at),
      refund_line_items: [
        {
          line_item_id: refund.line,
          quantity: refund.quantity,
          subtotal: (refund.cents * refund.quantity) / 100,
        },
      ],
    })),
    current_subtotal_price: money(totalCents),
    current_total_price: money(totalCents),
    total_price: money(totalCents),
    discount_applications: [],
    payment_gateway_names: ['shopify_payments'],
    note: order.hasLongNote ? NOTE : isOver(order) ? 'over' : null,
    email: order.buyer === undefined ? null : `zqzq${order.buyer}@example.com`,
    customer: order.customer === undefined ? null : customerBody(order.customer),
  };
}

function customerBody(customer: number) {
  return {
    id: 6_940_095_000 + customer,
    admin_graphql_api_id: `gid://shopify/Customer/${6_940_095_000 + customer}`,
    first_name: `Zqzqrobin${customer}`,
    last_name: 'Zqzqsample',
    email: `zqzq${customer}@example.com`,
  };
}

export function orderReference(topic: string, order: OrderRow): Notice {
  const body =
    topic === 'orders/edited'
      ? { order_edit: { id: 1, order_id: `#id:${order.id}`, committed_at: utc(order.updatedAt) } }
      : { id: 1, order_id: `#id:${order.id}`, created_at: utc(order.updatedAt) };
  return { topic, body: bareNumbers(JSON.stringify(body)) };
}

export function deletion(topic: string, id: string): Notice {
  return { topic, body: `{"id":${id}}` };
}

export function productBody(product: ProductRow): Readonly<Record<string, unknown>> {
  return {
    id: Number(product.id),
    admin_graphql_api_id: `gid://shopify/Product/${product.id}`,
    title: product.title,
    handle: `thing-${product.id.slice(-2)}`,
    status: product.status,
    vendor: 'North Loom',
    product_type: 'Shirt',
    updated_at: utc(product.updatedAt),
    variants: [{ price: money(product.cents), inventory_quantity: product.inventory }],
  };
}

export function productNotice(topic: string, product: ProductRow): Notice {
  return { topic, body: JSON.stringify(productBody(product)) };
}

export function discountNotice(topic: string, discount: DiscountRow, code?: string): Notice {
  const gid = `gid://shopify/DiscountCodeNode/${discount.id}`;
  const at = utc(discount.updatedAt);
  const body =
    topic === 'discounts/delete'
      ? { admin_graphql_api_id: gid, deleted_at: at }
      : code === undefined
        ? { admin_graphql_api_id: gid, title: 'Sale', status: 'ACTIVE', updated_at: at }
        : { admin_graphql_api_id: gid, redeem_code: { id: 'gid://1', code }, updated_at: at };
  return { topic, body: JSON.stringify(body) };
}

export const utc = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}Z`;

const elsewhere = (ms: number): string =>
  `${new Date(ms + 7_200_000).toISOString().slice(0, 19)}+02:00`;

const money = (cents: number): string =>
  `${Math.floor(cents / 100)}.${String(cents % 100).padStart(2, '0')}`;

/** Ids are numbers of any length in the store's JSON. */
const bareNumbers = (json: string): string => json.replace(/"#id:(\d+)"/g, '$1');
