import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { pickFields } from '../../local/store-sandbox/delivery/sender.ts';
import type { EventReading } from '../../shared/core/store/store.ts';
import { wantedSubscriptions } from '../../shared/shopify/subscriptions/wanted-subscriptions.ts';
import { readShopifyEvent } from '../../shared/shopify/webhooks/read-event.ts';
import { identifyEntity, routeOf } from '../../shared/shopify/webhooks/topics.ts';
import { storeEvent } from '../fixtures/store-event.ts';
import { anyLife, live } from '../support/any-store-life.ts';
import { type OpenStore, openStore } from '../unit/store-sandbox/open-store.ts';

const fieldsOf = new Map(
  wantedSubscriptions('https://hooks.example.com/shop').map((one) => [
    one.topic,
    one.includeFields,
  ]),
);
const read = readShopifyEvent;

const reading = (topic: string, body: string): EventReading => read(eventOf(topic, body));

function eventOf(topic: string, body: string) {
  const route = routeOf(topic);
  if (!route) throw new Error(`no topic ${topic}`);
  const shop = 'example.myshopify.com';
  const bytes = new TextEncoder().encode(body);
  return storeEvent({
    ...{ shop, kind: route.kind, claim: route.claim, topic },
    id: identifyEntity(route, bytes, shop),
    deliveryId: 'one',
    receivedAt: '2026-10-05T09:00:00.000Z',
    body: bytes,
  });
}

/** The paths of the fields that the reader looks for in this body, whether they are there or not. */
function lookedAt(topic: string, body: string): readonly string[] {
  const event = eventOf(topic, body);
  const seen = new Set<string>();
  function watch(value: unknown, path: string): unknown {
    if (typeof value !== 'object' || value === null) return value;
    const note = (key: string | symbol) => {
      if (typeof key === 'symbol' || Array.isArray(value)) return path;
      const at = path === '' ? key : `${path}.${key}`;
      seen.add(at);
      return at;
    };
    return new Proxy(value, {
      get: (target, key) => watch(Reflect.get(target, key), note(key)),
      has: (target, key) => note(key) !== undefined && Reflect.has(target, key),
    });
  }
  const parse = JSON.parse;
  const spy = vi.spyOn(JSON, 'parse').mockImplementation((text) => watch(parse(text), ''));
  read(event);
  spy.mockRestore();
  // The global id says more than the number beside it. Money is of no use without what was received, which no body says.
  const hasOtherId = (path: string) => seen.has(path.replace(/\bid$/, 'admin_graphql_api_id'));
  return [...seen].filter(
    (path) =>
      !(/\bid$/.test(path) && hasOtherId(path)) &&
      !/^(total_received|refunds\.(transactions|total_duties_set)\b.*)$/.test(path),
  );
}

/** Bodies in which every field that a reader falls back on decides something. */
function unusual(topic: string, body: string): string[] {
  const payload = JSON.parse(body);
  const variants: object[] = [];
  if (topic.startsWith('orders/') && payload.line_items) {
    const lines = payload.line_items;
    variants.push(
      { ...payload, processed_at: null, created_at: '2020-01-01T00:00:00Z' },
      { ...payload, closed_at: '2026-10-05T11:00:00Z', cancelled_at: '2026-10-05T12:00:00Z' },
      { ...payload, customer: null, note_attributes: [{ name: 'a', value: 'b' }] },
      { ...payload, location_id: 7, user_id: 8, test: true, name: '#other', source_name: 'pos' },
      {
        ...payload,
        customer: {
          id: 5,
          admin_graphql_api_id: 'gid://shopify/Customer/5',
          first_name: 'First',
          last_name: 'Last',
          email: 'own@example.com',
          phone: '+3',
          created_at: '2021-01-01T00:00:00Z',
        },
      },
      {
        ...payload,
        customer: {
          admin_graphql_api_id: 'gid://shopify/Customer/6',
          default_address: { name: 'N', phone: '+4' },
        },
        phone: null,
      },
      {
        ...payload,
        taxes_included: false,
        shipping_lines: [
          {
            price: '9.00',
            discounted_price: '8.00',
            is_removed: false,
            tax_lines: [{ price: '1.00' }],
            discount_allocations: [{ amount: '2.00' }],
          },
          { price: '5.00', is_removed: true, tax_lines: [{ price: '3.00' }] },
        ],
        current_shipping_price_set: { shop_money: { amount: '4.00' } },
      },
      {
        ...payload,
        taxes_included: false,
        shipping_lines: [
          { price: '9.00', discounted_price: '7.00', tax_lines: [{ price: '1.00' }] },
        ],
        current_shipping_price_set: { shop_money: { amount: '4.00' } },
      },
      { ...payload, fulfillments: [{ status: 'success', created_at: '2026-10-05T10:00:00Z' }] },
      { ...payload, line_items: [...lines, { ...lines[0], id: 99, tip_payment_gateway: null }] },
      { ...payload, discount_applications: [{ type: 'discount_code', code: 'X' }] },
      {
        ...payload,
        presentment_currency: 'XTS',
        refunds: [
          {
            order_adjustments: [{ amount: '-1.00' }],
            transactions: [{ kind: 'refund', status: 'success', amount: '1.00' }],
          },
        ],
      },
      { ...payload, refunds: [{ created_at: '2026-10-05T10:00:00Z' }] },
      { ...payload, refunds: [{ processed_at: '2026-10-05T10:00:00Z' }] },
      {
        ...payload,
        line_items: [{ ...lines[0], quantity: 3, current_quantity: 2 }],
        refunds: [
          { refund_line_items: [{ line_item_id: lines[0].id, quantity: 1, subtotal: '1.50' }] },
        ],
      },
      {
        ...payload,
        line_items: [{ ...lines[0], quantity: 3, current_quantity: 2 }],
        refunds: [
          { refund_shipping_lines: [{ subtotal_amount_set: { shop_money: { amount: '1.00' } } }] },
        ],
      },
      { ...payload, payment_gateway_names: ['bank'], financial_status: 'voided' },
      {
        ...payload,
        processed_at: '2020-01-02T00:00:00Z',
        current_subtotal_price: '1.23',
        current_shipping_price_set: { shop_money: { amount: '0.45' } },
        email: 'other@example.com',
        phone: '+2',
        customer: { admin_graphql_api_id: 'gid://shopify/Customer/7' },
      },
      { ...payload, fulfillment_status: 'restocked', taxes_included: true },
    );
  }
  if (topic === 'products/update') {
    variants.push(
      { ...payload, image: { src: 'https://example.com/1.png' }, images: [] },
      { ...payload, image: null, images: [{ src: 'https://example.com/2.png' }] },
      {
        ...payload,
        image: null,
        images: [],
        media: [{ preview_image: { src: 'https://example.com/3.png' } }],
      },
      { ...payload, variants: payload.variants.slice(0, 0) },
      { ...payload, variant_gids: [...payload.variant_gids, ...payload.variant_gids] },
      {
        ...payload,
        category: {
          admin_graphql_api_id: 'gid://shopify/TaxonomyCategory/sg-4-17',
          full_name: 'A > B',
        },
      },
      { ...payload, vendor: 'V', product_type: 'T', handle: 'h', status: 'draft' },
    );
  }
  return [body, ...variants.map((variant) => JSON.stringify(variant))];
}

function everyTopic(store: OpenStore): void {
  const [product] = store.rows.products.values();
  const [discount] = store.rows.discounts.values();
  const order = store.do('placeOrder', {
    lines: [{ variantId: product?.variants[0]?.id ?? '', quantity: 3 }],
    shipping: [{ price: '4.90' }],
    payment: 'paid',
  });
  const lineId = order.lines[0]?.id ?? '';
  store.do('fulfilOrder', { orderId: order.id, lines: [{ lineId, quantity: 1 }] });
  store.do('editOrder', { orderId: order.id, add: [{ title: 'Extra', price: 1 }] });
  store.do('refundOrder', { orderId: order.id, lines: [{ lineId, quantity: 1 }] });
  store.do('cancelOrder', { orderId: order.id });
  store.do('deleteOrder', { orderId: order.id });
  store.do('updateProduct', { productId: product?.id ?? '', price: 3 });
  store.do('deactivateDiscount', { discountId: discount?.id ?? '' });
}

describe('the fields that a subscription asks for', () => {
  it('read like the whole body, whatever happens in the store', () => {
    fc.assert(
      fc.property(anyLife, (steps) => {
        const store = openStore();
        live(store, steps);
        for (const { topic, body } of store.takeSent()) {
          const fields = fieldsOf.get(topic);
          if (!fields) continue;
          expect(reading(topic, body).kind).not.toBe('unreadable');
          expect(reading(topic, pickFields(body, fields))).toEqual(reading(topic, body));
        }
      }),
      { numRuns: 60 },
    );
  });

  it('read like the whole body where a reader falls back on another field', () => {
    const store = openStore();
    everyTopic(store);
    for (const { topic, body } of store.takeSent()) {
      const fields = fieldsOf.get(topic);
      if (!fields) continue;
      for (const one of unusual(topic, body)) {
        expect(reading(topic, pickFields(one, fields))).toEqual(reading(topic, one));
      }
    }
  });

  it('hold every field that a reader looks for, whatever is in it', () => {
    const store = openStore();
    everyTopic(store);
    const missing = new Set<string>();
    for (const { topic, body } of store.takeSent()) {
      const fields = fieldsOf.get(topic) ?? [];
      if (fields.length === 0) continue;
      const isWithin = (one: string, other: string) => `${one}.`.startsWith(`${other}.`);
      for (const path of lookedAt(topic, body)) {
        const isAsked = fields.some((one) => isWithin(path, one) || isWithin(one, path));
        if (!isAsked) missing.add(`${topic}: ${path}`);
      }
    }
    expect([...missing]).toEqual([]);
  });

  it('hold nothing that no reader needs', () => {
    const store = openStore();
    everyTopic(store);
    const sent = store.takeSent();
    for (const topic of ['orders/updated', 'products/update', 'refunds/create']) {
      const bodies = sent
        .filter((one) => one.topic === topic)
        .flatMap(({ body }) => unusual(topic, body));
      expect(bodies).not.toHaveLength(0);
      const fields = fieldsOf.get(topic) ?? [];
      const unneeded = fields.filter((field) => {
        // An empty list would ask for everything.
        const rest = ['nothing', ...fields.filter((one) => one !== field)];
        return bodies.every((body) => {
          try {
            expect(reading(topic, pickFields(body, rest))).toEqual(reading(topic, body));
            return true;
          } catch {
            return false;
          }
        });
      });
      expect(unneeded).toEqual([]);
    }
  });

  it('take an order whose customer was picked from nothing for one without a customer', () => {
    const store = openStore();
    everyTopic(store);
    const body = store.takeSent().find(({ topic }) => topic === 'orders/updated')?.body ?? '';
    const payload = JSON.parse(body);
    const without = reading('orders/updated', JSON.stringify({ ...payload, customer: null }));
    for (const customer of [{}, { email: null, default_address: { name: null } }]) {
      const hollow = JSON.stringify({ ...payload, customer });
      expect(reading('orders/updated', hollow)).toEqual(without);
    }
    const nameless = JSON.stringify({ ...payload, customer: { email: 'a@example.com' } });
    expect(reading('orders/updated', nameless).kind).toBe('unreadable');
  });
});
