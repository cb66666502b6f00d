import type { TopicRoute } from './topics.ts';

/**
 * The fields that the subscriptions ask for. A body with only these fields reads exactly like the whole
 * body (test/integration/webhook-fields.test.ts).
 *
 * A dot selects a field of an object or of each entry of a list (Shopify, "Modify your payloads"). At
 * most one dot: deeper paths are not documented. `line_items` is whole: the key `tip_payment_gateway`
 * marks a tip, and it is not documented what selecting a key does to entries that lack it. Reading every
 * line as a tip would empty the order.
 */
const orderFields = [
  'admin_graphql_api_id',
  'cancelled_at',
  'closed_at',
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
  'presentment_currency',
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
  'total_outstanding',
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

const customerFields = [
  'admin_graphql_api_id',
  'created_at',
  'default_address.name',
  'default_address.phone',
  'email',
  'first_name',
  'last_name',
  'phone',
  'updated_at',
];

/** Not the errors, which name persons. */
const mergeFields = [
  'admin_graphql_api_customer_deleted_id',
  'admin_graphql_api_customer_kept_id',
  'status',
];

/** Empty: the whole body, which is small. */
export function webhookFields(topic: string, { kind, carries }: TopicRoute): readonly string[] {
  switch (carries) {
    case 'entity':
      if (kind === 'member') return customerFields;
      return kind === 'order' ? orderFields : productFields;
    case 'merge':
      return mergeFields;
    // Of a refund only its order and its date are read, of a dispute its order.
    case 'order-reference':
      if (topic === 'orders/edited') return [];
      return topic === 'refunds/create' ? ['created_at', 'order_id'] : ['order_id'];
    // The body holds the owner's address too; the domain is enough.
    case 'shop':
      return ['myshopify_domain'];
    case 'deletion':
    case 'discount':
    case 'compliance':
    case 'event':
      return [];
  }
}
