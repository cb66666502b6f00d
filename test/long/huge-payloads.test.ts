import { expect, it } from 'vitest';
import { mapOrder } from '../../shared/core/mapping/map-order.ts';
import { mapProduct } from '../../shared/core/mapping/map-product.ts';
import { readOrderWebhook } from '../../shared/shopify/webhooks/read-event.ts';
import { readProductWebhook } from '../../shared/shopify/webhooks/read-product-webhook.ts';
import { buildOrder } from '../fixtures/order-payload.ts';
import { simpleOrder } from '../fixtures/order-spec.ts';
import { neverSent, rules } from '../fixtures/store-entities.ts';

it('lists longer than the arguments of any call are read and mapped', () => {
  const many = <T>(item: T) => Array.from({ length: 130_000 }, () => item);
  const line = { id: 1, quantity: 2, current_quantity: 1, price: '9000000' };
  const refund = { refund_line_items: many({ line_item_id: 1, quantity: 0, subtotal: 1 }) };
  const { payload } = buildOrder(simpleOrder, {
    line_items: [{ ...line, discount_allocations: many({ amount: '0.01' }) }, ...many(line)],
    refunds: [refund, ...many({})],
    shipping_lines: many({ price: '1', tax_lines: [{ price: '0.1' }] }),
  });
  const result = readOrderWebhook(payload);
  expect(result.kind === 'read' && mapOrder(result.order, rules, neverSent).kind).toBe('wanted');
  const product = { id: 1, title: 'x', updated_at: '2026-01-01T00:00:00Z' };
  expect(readProductWebhook({ ...product, variants: many({ price: '5' }) }).kind).toBe('read');
});

it('a category of a million levels is read and mapped', () => {
  const category = { full_name: Array.from({ length: 1_000_000 }, () => 'a').join(' > ') };
  const result = readProductWebhook({
    id: 1,
    title: 'x',
    updated_at: '2026-01-01T00:00:00Z',
    category,
  });
  expect(result.kind === 'read' && mapProduct(result.product, rules, 'x.myshopify.com').kind).toBe(
    'wanted',
  );
});
