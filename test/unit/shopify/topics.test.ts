import { describe, expect, it } from 'vitest';
import type { Claim, StoreEvent } from '../../../shared/core/events/event.ts';
import { encodeSnapshot } from '../../../shared/core/store/store.ts';
import { createEventReader } from '../../../shared/shopify/webhooks/read-event.ts';
import { topicOf, topicRoutes } from '../../../shared/shopify/webhooks/topics.ts';
import { storeOrder } from '../../fixtures/store-entities.ts';
import { storeEvent } from '../../fixtures/store-event.ts';

const SHOP = 'example.myshopify.com';
const read = createEventReader(new Set([SHOP]));

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
    expect(topicOf(kind, claim)).toBe(topic);
    expect(topicRoutes.get(topic)?.claim).toBe(claim);
  });
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
