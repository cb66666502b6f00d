import type { TopicRoute } from './topics.ts';

/**
 * What the connector asks to be sent of each kind of payload, beside the readers that read it: a body
 * with these fields alone reads exactly like the whole one (test/integration/webhook-fields.test.ts).
 *
 * A dot asks for a field of an object or of each entry of a list (Shopify, "Modify your payloads"). One
 * dot at most: deeper paths are not documented. `line_items` is whole, because a line is a tip when the
 * key `tip_payment_gateway` is there, and what picking does with a key that some entries lack is not
 * documented either; taking every line for a tip would empty the order.
 */
const orderFields = [
  'admin_graphql_api_id',
  'billing_address.name',
  'billing_address.phone',
  'cancelled_at',
  'closed_at',
  'contact_email',
  'created_at',
  'currency',
  'current_shipping_price_set',
  'current_subtotal_price',
  'current_total_price',
  'customer.admin_graphql_api_id',
  'customer.created_at',
  'customer.default_address',
  'customer.email',
  'customer.first_name',
  'customer.last_name',
  'customer.phone',
  'discount_applications.code',
  'discount_applications.type',
  'email',
  'financial_status',
  'fulfillment_status',
  'fulfillments.created_at',
  'fulfillments.status',
  'line_items',
  'location_id',
  'name',
  'note_attributes',
  'payment_gateway_names',
  'phone',
  'processed_at',
  'refunds',
  'shipping_lines.discount_allocations',
  'shipping_lines.discounted_price',
  'shipping_lines.is_removed',
  'shipping_lines.price',
  'shipping_lines.tax_lines',
  'source_name',
  'taxes_included',
  'test',
  'updated_at',
  'user_id',
];

const productFields = [
  'admin_graphql_api_id',
  'category.admin_graphql_api_id',
  'category.full_name',
  'handle',
  'image.src',
  'images.src',
  'media.preview_image',
  'product_type',
  'status',
  'title',
  'updated_at',
  'variant_gids.admin_graphql_api_id',
  'variants.price',
  'vendor',
];

/** What a topic's subscription asks for; empty: the whole body, which is small. */
export function webhookFields(topic: string, { kind, carries }: TopicRoute): readonly string[] {
  switch (carries) {
    case 'entity':
      return kind === 'order' ? orderFields : productFields;
    // A refund without its order: only which order it belongs to is read.
    case 'order-reference':
      return topic === 'refunds/create' ? ['order_id'] : [];
    // The body is the shop with its owner's address: whose shop it is suffices.
    case 'shop':
      return ['myshopify_domain'];
    case 'deletion':
    case 'discount':
    case 'compliance':
      return [];
  }
}
