import { orderAt } from '../fixtures/order-life.ts';
import { lineOf } from '../fixtures/order-spec.ts';
import { personalFields, persons } from '../fixtures/persons.ts';
import { productAt, productEventAt } from '../support/product-payload.ts';
import { type JsonTree, toTree } from './make-body.ts';

export const SHOP = 'example-store.myshopify.com';

const { customer } = personalFields(persons.quillane);
const compliance = { shop_id: 954_889, shop_domain: SHOP, customer };
const discount = { admin_graphql_api_id: 'gid://shopify/DiscountCodeNode/1688847450345' };
const at = '2026-10-09T11:00:00Z';
const fulfilled = orderAt(3, { fulfilledAfterDays: 1 });

const payloads: Readonly<Record<string, unknown>> = {
  'orders/create': orderAt(1),
  'orders/updated': orderAt(2, {
    lines: [
      lineOf(2_000, { quantity: 3, discountCents: 600, takenBack: 1 }),
      lineOf(500, { product: undefined }),
    ],
    tipCents: 300,
    shippingRefundedCents: 100,
  }),
  'orders/fulfilled': fulfilled,
  'orders/cancelled': orderAt(4, { cancelledAfterDays: 2 }),
  'orders/edited': { order_edit: { id: 7, order_id: 5_512_345_678_901, line_items: {} } },
  'orders/delete': { id: 5_512_345_678_901 },
  'refunds/create': { id: 7, order_id: 5_512_345_678_901, refund_line_items: [] },
  'disputes/create': { id: 7, order_id: 5_512_345_678_901, type: 'chargeback', status: 'lost' },
  'products/create': productAt(1),
  'products/update': productAt(2, { variant_gids: [{ admin_graphql_api_id: 'x' }] }),
  'products/delete': { id: 8_012_345_678_901 },
  'Product/update': productEventAt(3),
  'Product/delete': productEventAt(4, 'delete'),
  'discounts/update': { ...discount, title: 'Autumn', status: 'ACTIVE', updated_at: at },
  'discounts/delete': { ...discount, deleted_at: at },
  'discounts/redeemcode_added': {
    ...discount,
    redeem_code: { id: 'gid://shopify/DiscountRedeemCode/9', code: 'AUTUMN10' },
    updated_at: at,
  },
  'customers/update': {
    id: 9,
    admin_graphql_api_id: 'gid://shopify/Customer/9',
    first_name: 'Robin',
    email: 'robin.sample@example.com',
    default_address: { name: 'Robin Sample', phone: '+15555550142' },
    created_at: at,
    updated_at: at,
  },
  'customers/delete': { id: 9, tax_exemptions: [] },
  'customers/merge': {
    admin_graphql_api_customer_kept_id: 'gid://shopify/Customer/1',
    admin_graphql_api_customer_deleted_id: 'gid://shopify/Customer/2',
    status: 'completed',
  },
  'customers/redact': { ...compliance, orders_to_redact: [5_512_345_678_901] },
  'customers/data_request': { ...compliance, orders_requested: [1], data_request: { id: 9_999 } },
  'shop/redact': { shop_id: 954_889, shop_domain: SHOP },
  'app/uninstalled': { id: 954_889, name: 'Example', myshopify_domain: SHOP },
};

/** One valid body of every shape. */
export const validWebhooks: readonly { readonly topic: string; readonly body: JsonTree }[] =
  Object.entries(payloads).map(([topic, payload]) => ({ topic, body: toTree(payload) }));
