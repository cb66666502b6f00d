import { describe, expect, it } from 'vitest';
import { productAt, productEventAt } from '../../../local/harness/product-payload.ts';
import { createEventReader } from '../../../shared/shopify/webhooks/read-event.ts';
import {
  eventRoutes,
  identifyEntity,
  routeOf,
  topicRoutes,
} from '../../../shared/shopify/webhooks/topics.ts';
import { buildOrder } from '../../fixtures/order-payload.ts';
import { simpleOrder } from '../../fixtures/order-spec.ts';

const SHOP = 'example-store.myshopify.com';
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

const read = createEventReader(new Set([SHOP]));

function readUnder(topic: string, payload: unknown) {
  const route = routeOf(topic);
  if (!route) throw new Error(`no topic ${topic}`);
  const body = Buffer.from(JSON.stringify(payload));
  const { kind, claim } = route;
  const reading = read({
    ...{ shop: SHOP, kind, claim, topic, id: identifyEntity(route, body, SHOP), body },
    ...{ origin: 'webhook', deliveryId: 'captured', receivedAt: updated_at, apiVersion: '2026-10' },
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
