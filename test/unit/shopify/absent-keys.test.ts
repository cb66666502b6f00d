import { describe, expect, it } from 'vitest';
import { readPointEvent } from '../../../shared/loyalty/read-point-event.ts';
import { readCustomerWebhook } from '../../../shared/shopify/webhooks/read-customer-webhook.ts';
import { readOrderWebhook } from '../../../shared/shopify/webhooks/read-event.ts';
import { readProductWebhook } from '../../../shared/shopify/webhooks/read-product-webhook.ts';
import { buildOrder } from '../../fixtures/order-payload.ts';
import { lineOf, simpleOrder } from '../../fixtures/order-spec.ts';
import { pointEvent } from '../../fixtures/point-event.ts';
import { readTopic } from '../../fixtures/read-topic.ts';
import { productAt } from '../../support/product-payload.ts';

const gid = 'gid://shopify/DiscountCodeNode/1688847450345';
const ownId = 'gid://shopify/Customer/9';
const at = '2026-10-05T11:00:00Z';
const shop = { shop_id: 1, shop_domain: 'example-store.myshopify.com' };
const customer = { id: 9, email: 'robin.sample@example.com', phone: null };

const readsOf = (topic: string) => (body: unknown) => readTopic(topic, body);

/** Every reader of foreign JSON, with a body that uses as many of its fields as possible. */
const readers: readonly (readonly [string, (body: unknown) => unknown, unknown])[] = [
  ['an order', readOrderWebhook, fullOrder()],
  ['a product', readProductWebhook, product()],
  ['a customer', readCustomerWebhook, fullCustomer()],
  ['a deleted customer', readsOf('customers/delete'), { id: 9, admin_graphql_api_id: ownId }],
  ['a merge', readsOf('customers/merge'), merge()],
  ['a deletion', readsOf('orders/delete'), { id: 5 }],
  ['a refund', readsOf('refunds/create'), { id: 7, order_id: 5, created_at: at }],
  ['an edit', readsOf('orders/edited'), { order_edit: { order_id: 5, committed_at: at } }],
  [
    'a discount',
    readsOf('discounts/update'),
    {
      admin_graphql_api_id: gid,
      updated_at: at,
      deleted_at: at,
      redeem_code: { id: 'gid://shopify/DiscountRedeemCode/3', code: 'AUTUMN10' },
    },
  ],
  ['a redaction', readsOf('customers/redact'), { ...shop, customer, orders_to_redact: [1, 2] }],
  [
    'a data request',
    readsOf('customers/data_request'),
    { ...shop, customer, orders_requested: [1], data_request: { id: 4 } },
  ],
  ['the redaction of a shop', readsOf('shop/redact'), shop],
  ['a point event', (body) => readPointEvent(body, 'Id'), pointEvent()],
];

describe.each(readers)('reading %s', (_, read, body) => {
  it('takes a key that is absent like one that is null', () => {
    for (const path of pathsIn(body)) {
      const absent = change(body, path, (owner, key) => {
        delete owner[key];
      });
      const empty = change(body, path, (owner, key) => {
        owner[key] = null;
      });
      expect({ path, result: read(absent) }).toEqual({ path, result: read(empty) });
    }
  });
});

function fullCustomer() {
  return {
    id: 9,
    admin_graphql_api_id: ownId,
    created_at: at,
    updated_at: at,
    first_name: 'Robin',
    last_name: 'Sample',
    email: 'robin.sample@example.com',
    phone: '+15555550142',
    default_address: { name: 'Robin Sample', phone: '+15555550143' },
  };
}

function merge() {
  return {
    admin_graphql_api_customer_kept_id: ownId,
    admin_graphql_api_customer_deleted_id: 'gid://shopify/Customer/10',
    status: 'completed',
  };
}

type Path = readonly string[];
type Owner = Record<string, unknown>;

/** Their presence alone means something: a line is a tip, a body is that of an edit, a dispute is about no order. */
const MARKS: ReadonlySet<string> = new Set(['tip_payment_gateway', 'order_edit', 'order_id']);

/** The paths of all keys but these, at any depth. */
function pathsIn(value: unknown): Path[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, member]) => {
    const below = pathsIn(member).map((path) => [key, ...path]);
    return Array.isArray(value) || MARKS.has(key) ? below : [[key], ...below];
  });
}

function change(value: unknown, path: Path, apply: (owner: Owner, key: string) => void): unknown {
  const copy = structuredClone(value);
  const owner = path.slice(0, -1).reduce((place, key) => (place as Owner)[key], copy) as Owner;
  apply(owner, path.at(-1) ?? '');
  return copy;
}

function fullOrder(): unknown {
  const line = lineOf(5000, { quantity: 2, discountCents: 100, takenBack: 1 });
  const { payload } = buildOrder(
    { ...simpleOrder, lines: [line], fulfilledAfterDays: 1, shippingRefundedCents: 100 },
    {
      discount_applications: [{ type: 'discount_code', code: 'AUTUMN10' }],
      discount_codes: [{ code: 'AUTUMN10' }],
      note_attributes: [{ name: 'tax id', value: '1' }],
      location_id: 71,
      user_id: 402,
    },
  );
  return payload;
}

function product(): unknown {
  return productAt(1, {
    images: [{ src: 'https://cdn.example.com/b.jpg' }],
    media: [{ preview_image: { src: 'https://cdn.example.com/c.jpg' } }],
  });
}
