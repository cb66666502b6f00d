import { describe, expect, it } from 'vitest';
import type { Claim, StoreEvent } from '../../../shared/core/events/event.ts';
import { encodeSnapshot } from '../../../shared/core/events/snapshot-body.ts';
import { createEventReader } from '../../../shared/shopify/webhooks/read-event.ts';
import { meaningOf, topicOf, topicRoutes } from '../../../shared/shopify/webhooks/topics.ts';
import { storeOrder } from '../../fixtures/store-entities.ts';
import { storeEvent } from '../../fixtures/store-event.ts';

const SHOP = 'example.myshopify.com';
const read = createEventReader(new Set([SHOP]));

describe('a topic', () => {
  it.each([
    ['orders/create', 'changed'],
    ['orders/cancelled', 'changed'],
    ['orders/edited', 'changed'],
    ['refunds/create', 'changed'],
    ['orders/delete', 'deleted'],
    ['products/delete', 'deleted'],
    ['discounts/delete', 'deleted'],
    ['discounts/redeemcode_added', 'code-added'],
    ['discounts/redeemcode_removed', 'code-removed'],
    ['customers/data_request', 'data-requested'],
    ['customers/redact', 'customer-redaction'],
    ['shop/redact', 'shop-redaction'],
    ['app/uninstalled', 'app-removed'],
  ] as const)('of version 0.1.0, %s, claims "%s" and came by webhook', (topic, claim) => {
    const kind = topicRoutes.get(topic)?.kind ?? 'order';
    expect(meaningOf({ kind, topic })).toEqual({ claim, origin: 'webhook' });
  });

  it('of version 0.1.0 shows which feeder sent the message', () => {
    expect(meaningOf({ kind: 'order', topic: 'backfill/order' })).toEqual({
      claim: 'changed',
      origin: 'backfill',
    });
    expect(meaningOf({ kind: 'coupon', topic: 'discounts/delete' })).toEqual({
      claim: 'deleted',
      origin: 'fan-out',
    });
  });

  it.each<[StoreEvent['kind'], Claim, string]>([
    ['order', 'changed', 'orders/updated'],
    ['product', 'changed', 'products/update'],
    ['coupon', 'changed', 'discounts/update'],
    ['order', 'deleted', 'orders/delete'],
    ['product', 'deleted', 'products/delete'],
    ['discount', 'deleted', 'discounts/delete'],
    ['coupon', 'code-removed', 'discounts/redeemcode_removed'],
  ])(
    'for a %s that reconcile finds %s is one that version 0.1.0 understands',
    (kind, claim, topic) => {
      expect(topicOf(kind, claim)).toBe(topic);
      expect(meaningOf({ kind, topic }).claim).toBe(claim);
    },
  );
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

  it('of an earlier release is read from the store: it lacks what the amount needs', () => {
    const { refunded: _, ...shipping } = order.shipping;
    const entity = { kind: 'order', order: { ...order, shipping } } as never;
    const reading = read({ ...event, body: encodeSnapshot(entity, new Date(event.receivedAt)) });
    expect(reading).toEqual({ kind: 'ask-store' });
  });
});
