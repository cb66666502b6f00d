import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Claim, hashBody, type StoreEvent } from '../../../shared/core/events/event.ts';
import { encodeSnapshot } from '../../../shared/core/store/store.ts';
import { readShopifyEvent } from '../../../shared/shopify/webhooks/read-event.ts';
import {
  eventRoutes,
  identifyEntity,
  routeOf,
  shopifyDeliveries,
  type TopicRoute,
  topicOf,
  topicRoutes,
} from '../../../shared/shopify/webhooks/topics.ts';
import { buildOrder } from '../../fixtures/order-payload.ts';
import { simpleOrder } from '../../fixtures/order-spec.ts';
import { storeOrder } from '../../fixtures/store-entities.ts';
import { storeEvent } from '../../fixtures/store-event.ts';
import { openConnector } from '../../support/in-process-connector.ts';
import { productAt, productEventAt } from '../../support/product-payload.ts';

const SHOP = 'example-store.myshopify.com';
const read = readShopifyEvent;

describe('a topic', () => {
  it.each<[StoreEvent['kind'], Claim, string]>([
    ['order', 'changed', 'orders/updated'],
    ['product', 'changed', 'products/update'],
    ['coupon', 'changed', 'discounts/update'],
    ['order', 'deleted', 'orders/delete'],
    ['product', 'deleted', 'products/delete'],
    ['discount', 'deleted', 'discounts/delete'],
    ['coupon', 'code-removed', 'discounts/redeemcode_removed'],
  ])('labels a %s that reconcile finds %s', (kind, claim, topic) => {
    expect(topicOf({ kind, claim })).toBe(topic);
    expect(topicRoutes.get(topic)?.claim).toBe(claim);
  });
});

it('the body says all where it is what changed: of a deletion, and of two edits in a second, the store is asked', () => {
  const all = [...topicRoutes.keys(), ...eventRoutes.keys()].filter((topic) => {
    const [name = '', action = ''] = eventRoutes.has(topic) ? topic.split('/') : [topic];
    const family = action === '' ? 'x-shopify-' : 'shopify-';
    const given = { topic: name, action, 'shop-domain': SHOP, 'webhook-id': '1' };
    const headers = Object.entries({ ...given, 'api-version': '1', 'hmac-sha256': 'a' });
    const own = Object.fromEntries(headers.map(([header, value]) => [family + header, value]));
    const found = shopifyDeliveries.identify(
      { method: 'POST', path: '', headers: own, body: Buffer.from('{}') },
      SHOP,
    );
    return found.kind === 'event' && found.saysAll !== undefined;
  });
  const said = (topic: string) => /^(?:orders|products|customers|Product)\/(?!delete)/.test(topic);
  expect(all).toContain('Product/update');
  expect(all).toContain('products/update');
  expect(all.filter((topic) => !said(topic) || routeOf(topic)?.claim !== 'changed')).toEqual([]);
});

describe('a snapshot that a feeder sent', () => {
  const order = storeOrder({}, { source_name: 'pos' });
  const body = encodeSnapshot({ kind: 'order', order }, new Date('2026-10-09T12:00:00.000Z'));
  const event = storeEvent({
    shop: SHOP,
    kind: 'order',
    id: order.id,
    topic: 'backfill/order',
    deliveryId: 'd',
    receivedAt: '2026-10-09T12:00:00.000Z',
    body,
  });

  it('is decoded with its date when a backfill sent it', () => {
    expect(read(event)).toMatchObject({
      kind: 'snapshot',
      readAt: Date.parse('2026-10-09T12:00Z'),
    });
  });

  it.each(['backfill/order', 'orders/updated'])(
    'is never decoded from a webhook with the topic %s',
    (topic) => {
      expect(read({ ...event, origin: 'webhook', topic }).kind).toBe('unreadable');
    },
  );
});

const updated_at = '2026-10-09T11:00:00Z';
const shop = { shop_id: 954889, shop_domain: SHOP };
const customer = {
  id: 7,
  admin_graphql_api_id: 'gid://shopify/Customer/7',
  email: 'robin@example.com',
  updated_at,
};

/** One body of every shape that the store signs, by a topic it belongs to. */
const BODIES: Readonly<Record<string, unknown>> = {
  'orders/updated': buildOrder(simpleOrder).payload,
  'orders/edited': { order_edit: { id: 1, order_id: 5, committed_at: updated_at } },
  'orders/delete': { id: 5 },
  'refunds/create': {
    ...{ id: 3, order_id: 5, created_at: updated_at },
    admin_graphql_api_id: 'gid://shopify/Refund/3',
  },
  'disputes/create': { id: 4, order_id: 5, type: 'chargeback', status: 'lost' },
  'products/update': productAt(1),
  'Product/update': productEventAt(1),
  'Product/delete': productEventAt(1, 'delete'),
  'discounts/update': { admin_graphql_api_id: 'gid://shopify/DiscountCodeNode/9', updated_at },
  'discounts/redeemcode_added': {
    ...{ admin_graphql_api_id: 'gid://shopify/DiscountCodeNode/9', updated_at },
    redeem_code: { id: 'gid://shopify/DiscountRedeemCode/2', code: 'TEN' },
  },
  'customers/update': customer,
  'customers/delete': { id: 7, admin_graphql_api_id: customer.admin_graphql_api_id },
  'customers/merge': {
    admin_graphql_api_customer_kept_id: 'gid://shopify/Customer/7',
    admin_graphql_api_customer_deleted_id: 'gid://shopify/Customer/8',
    status: 'completed',
  },
  'customers/data_request': {
    ...{ ...shop, customer: { id: 7 }, orders_requested: [5] },
    data_request: { id: 9 },
  },
  'customers/redact': { ...shop, customer: { id: 7 }, orders_to_redact: [5] },
  'shop/redact': shop,
  'app/uninstalled': { id: 954889, myshopify_domain: SHOP, email: 'owner@example.com', updated_at },
};

function readUnder(topic: string, payload: unknown) {
  const route = routeOf(topic);
  if (!route) throw new Error(`no topic ${topic}`);
  const body = Buffer.from(JSON.stringify(payload));
  const { kind, claim } = route;
  const reading = read({
    ...{ shop: SHOP, kind, claim, topic, id: identifyEntity(route, body, SHOP), body },
    ...{ origin: 'webhook', deliveryId: 'captured', receivedAt: updated_at },
  });
  return reading.kind === 'task' ? reading.task.kind : reading.kind;
}

/** Topics with bodies of one shape: whichever is named, the same is done. */
const family = (topic: string): string => {
  const route = routeOf(topic);
  return `${route?.kind} ${route?.carries} ${['compliance', 'shop', 'event'].includes(route?.carries ?? '') ? topic : ''}`;
};

describe('a signed body under a topic that it does not belong to', () => {
  const pairs = Object.entries(BODIES).flatMap(([own, body]) =>
    [...topicRoutes.keys(), ...eventRoutes.keys()].map((topic) => ({ own, topic, body })),
  );

  it('is read under its own', () => {
    for (const [topic, body] of Object.entries(BODIES)) {
      expect([topic, readUnder(topic, body)]).not.toEqual([topic, 'unreadable']);
    }
  });

  it('is unreadable, or only a reason to ask the store', () => {
    const accepted = pairs
      .filter(({ own, topic }) => family(own) !== family(topic))
      .map(({ own, topic, body }) => ({ own, topic, reading: readUnder(topic, body) }))
      .filter(({ reading }) => reading !== 'unreadable');
    expect(accepted.filter(({ reading }) => reading !== 'ask-store')).toEqual([]);
    // A bare number may be the id of anything: the store says what is gone.
    expect(accepted.map(({ own, topic }) => `${own} as ${topic}`).toSorted()).toEqual([
      'app/uninstalled as customers/delete',
      'customers/update as customers/delete',
      'disputes/create as customers/delete',
      'orders/delete as customers/delete',
      'orders/delete as products/delete',
    ]);
  });
});

const orderRoute: TopicRoute = { kind: 'order', claim: 'changed', carries: 'entity' };
const bytes = (text: string) => new TextEncoder().encode(text);
const identify = (text: string, route = orderRoute) => identifyEntity(route, bytes(text), SHOP);

const gid = fc
  .tuple(fc.constantFrom('Order', 'Product', 'DraftOrder'), fc.bigInt({ min: 1n, max: 10n ** 24n }))
  .map(([type, id]) => `gid://shopify/${type}/${id}`);
const anyId = fc.oneof(fc.nat(), fc.constant(null), fc.string());

describe('the id under which an event is queued', () => {
  it('is the same at the head of the body and anywhere inside', () => {
    fc.assert(
      fc.property(
        fc.record({ id: anyId, admin_graphql_api_id: fc.oneof(gid, anyId), note: fc.string() }),
        fc.constantFrom(0, 1, '\t'),
        fc.boolean(),
        (payload, spaces, escapesSlashes) => {
          const { note, ...ids } = payload;
          const write = (fields: object) => {
            const text = JSON.stringify(fields, null, spaces);
            return escapesSlashes ? text.replaceAll('/', '\\/') : text;
          };
          const inside = write({ note, ...ids });
          const atHead = write({ ...ids, note });
          const found = identify(inside);
          expect(identify(atHead)).toBe(
            found === hashBody(bytes(inside)) ? hashBody(bytes(atHead)) : found,
          );
        },
      ),
    );
  });

  it('keeps every digit of an id that a number cannot hold', () => {
    const text =
      '{"id":820982911946154508,"admin_graphql_api_id":"gid://shopify/Order/820982911946154508"}';
    expect(identify(text)).toBe('820982911946154508');
    expect(identify('{"id": 820982911946154508}')).toBe('820982911946154508');
  });

  it('is never read from a text that only looks like a global id', () => {
    const line = '{"line_items":[{"admin_graphql_api_id":"gid://shopify/Order/1"}],"id":2}';
    expect(identify(line)).toBe('2');
    const text = '{"note":"{\\"admin_graphql_api_id\\":\\"gid://shopify/Order/1\\",","id":2}';
    expect(identify(text)).toBe('2');
    const product = '{"admin_graphql_api_id":"gid://shopify/Product/1","id":2}';
    expect(identify(product)).toBe('2');
    const nested =
      '{"id":{"n":1,"admin_graphql_api_id":"gid://shopify/Order/1"},"admin_graphql_api_id":"gid://shopify/Order/2"}';
    expect(identify(nested)).toBe('2');
    const inherited = '{"__proto__":{"id":1},"id":2}';
    expect(identify(inherited)).toBe('2');
    const escaped = '{"admin_graphql_api_id":"gid://shopify/Order/1\\u0030","id":2}';
    expect(identify(escaped)).toBe('10');
  });

  it('leads to a dead letter when the body names another id further inside', async () => {
    const connector = openConnector();
    const first = '"admin_graphql_api_id":"gid://shopify/Product/1"';
    const { admin_graphql_api_id: _, ...rest } = productAt(1, { id: 1 });
    const second = JSON.stringify({ ...rest, admin_graphql_api_id: 'gid://shopify/Product/2' });
    const payload = `{${first},${second.slice(1)}`;
    await connector.deliver({ topic: 'products/update', payload });
    await connector.drain();
    expect(connector.loyalty.journal).toEqual([]);
    const letters = connector.deadLetters();
    expect(letters).toHaveLength(1);
    expect(letters[0]?.body).toContain('"id":"1"');
  });

  it('is found without parsing a body of megabytes', () => {
    const head = '{"id":7,"admin_graphql_api_id":"gid://shopify/Order/7","line_items":[';
    // Not JSON: parsing would find no id.
    const rest = 'x'.repeat(6_000_000);
    expect(identify(head + rest)).toBe('7');
    expect(identify(head.replaceAll('/', '\\/') + rest)).toBe('7');
  });

  it.each([...topicRoutes])('%s: a body without an id is still queued', (_, route) => {
    const id = identify('nothing', route);
    expect(id).toBe(route.carries === 'shop' ? SHOP : hashBody(bytes('nothing')));
  });
});
