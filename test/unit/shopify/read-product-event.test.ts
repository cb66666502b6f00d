import { describe, expect, it } from 'vitest';
import { productAt, productEventAt } from '../../../local/harness/product-payload.ts';
import type { StoreEvent } from '../../../shared/core/events/event.ts';
import { createEventReader } from '../../../shared/shopify/webhooks/read-event.ts';
import { identifyEntity, routeOf } from '../../../shared/shopify/webhooks/topics.ts';

const SHOP = 'example-store.myshopify.com';
const ID = '8012345678901';
const read = createEventReader(new Set([SHOP]));

function readUnder(topic: string, payload: unknown, given: Partial<StoreEvent> = {}) {
  const route = routeOf(topic);
  if (!route) throw new Error(`no topic ${topic}`);
  const body = Buffer.from(JSON.stringify(payload));
  const id = identifyEntity(route, body, SHOP);
  const { kind, claim } = route;
  return read({
    ...{ shop: SHOP, kind, claim, topic, id, body, origin: 'webhook', deliveryId: 'one' },
    ...{ receivedAt: '2026-10-09T11:00:09Z', apiVersion: '2026-10', ...given },
  });
}

describe('an Event of a product', () => {
  it('is read into the same product, under the same id and version, as the webhook', () => {
    for (const topic of ['Product/update', 'Product/create']) {
      const action = topic === 'Product/create' ? 'create' : 'update';
      expect(readUnder(topic, productEventAt(7, action))).toEqual({
        ...readUnder('products/update', productAt(7)),
        partial: undefined,
      });
    }
  });

  it('that is a deletion names the product, and the store is asked', () => {
    const deletion = productEventAt(7, 'delete');
    expect(readUnder('Product/delete', deletion)).toEqual({ kind: 'ask-store' });
    const { query_variables, ...pathsOnly } = deletion;
    expect(readUnder('Product/delete', pathsOnly)).toEqual({ kind: 'ask-store' });
    const route = routeOf('Product/delete');
    expect(route?.claim).toBe('deleted');
    if (!route) return;
    const bytes = Buffer.from(JSON.stringify(pathsOnly));
    expect(identifyEntity(route, bytes, SHOP)).toBe(ID);
  });

  it.each([
    ['no data', { data: undefined }],
    ['a product that is gone meanwhile', { data: { product: null } }],
    ['errors of the query', { query_errors: [{ message: 'Access denied' }] }],
    ['errors beside the data', { errors: [{ message: 'Access denied' }] }],
    ['data of another query', { data: { shop: { id: 'gid://shopify/Shop/1' } } }],
    ['a product without the fields of the subscription', { data: { product: { id: 'x' } } }],
    ['data that is a text', { data: 'https://example.com/payload' }],
  ])('with %s makes the worker ask the store', (_, changes) => {
    expect(readUnder('Product/update', { ...productEventAt(7), ...changes })).toEqual({
      kind: 'ask-store',
    });
  });

  it('with the data of another product is unreadable', () => {
    const other = productEventAt(7, 'update', { id: 'gid://shopify/Product/1' });
    expect(readUnder('Product/update', other).kind).toBe('unreadable');
    expect(readUnder('Product/update', productEventAt(7), { id: '1' }).kind).toBe('unreadable');
  });
});
