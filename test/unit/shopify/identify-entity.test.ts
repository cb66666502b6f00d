import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openConnector } from '../../../local/harness/in-process-connector.ts';
import { productAt } from '../../../local/harness/product-payload.ts';
import { hashBody } from '../../../shared/core/events/event.ts';
import {
  identifyEntity,
  type TopicRoute,
  topicRoutes,
} from '../../../shared/shopify/webhooks/topics.ts';

const SHOP = 'example-store.myshopify.com';
const order: TopicRoute = { kind: 'order', claim: 'changed', carries: 'entity' };
const bytes = (text: string) => new TextEncoder().encode(text);
const identify = (text: string, route = order) => identifyEntity(route, bytes(text), SHOP);

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
