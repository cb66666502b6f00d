import { beforeEach, describe, expect, it } from 'vitest';
import {
  recordBegin,
  recordEnd,
} from '../../../../scripts/connector/ground/session/audit-records.ts';
import { openBackfills } from '../../../../scripts/connector/set-up/backfill.ts';
import { momentAt, orderAt } from '../../../fixtures/order-life.ts';
import { persons } from '../../../fixtures/persons.ts';
import { refusal } from '../../../fixtures/service-answers.ts';
import { storeCoupon } from '../../../fixtures/store-entities.ts';
import { sendEvent } from '../../../support/change-order.ts';
import { SHOP } from '../../../support/in-process-connector.ts';
import { createMemoryLedger } from '../../../support/memory-ledger.ts';
import { openWebhookConnector, type WebhookConnector } from '../../../support/webhook-connector.ts';

const ID = '5512345678901';
const DAY = 86_400_000;
const product = (second: number, title = 'Shirt') => ({
  ...{ id: 8, title, status: 'active', updated_at: momentAt(second) },
  variants: [{ id: 1, price: '9.00' }],
});

let connector: WebhookConnector;
beforeEach(() => {
  connector = openWebhookConnector();
});

describe('what the ledger forgets, and when', () => {
  it('orders expire after the retention of the settings, products only once they are gone', async () => {
    await connector.deliver({ topic: 'orders/paid', payload: orderAt(1) });
    await connector.handle('products/create', product(1));
    const { expiresAt = 0 } = connector.entry('order', ID) ?? {};
    const days = (expiresAt * 1000 - connector.clock.ms) / DAY;
    expect(Math.round(days)).toBe(400);
    await connector.handle('products/update', product(2));
    expect(connector.telemetry.total('unchanged', { kind: 'product' })).toBe(1);
    expect(connector.entry('product', '8')?.expiresAt).toBeUndefined();
    await connector.handle('products/delete', { id: 8 });
    expect(connector.entry('product', '8')?.expiresAt).toBeDefined();
  });

  it('a code once it is over', async () => {
    const key = { shop: SHOP, kind: 'coupon', id: 'AUTUMN10' } as const;
    const expiry = async (second: number, status: 'active' | 'expired') => {
      connector.store.putCoupon(SHOP, storeCoupon({ updatedAt: momentAt(second), status }));
      await sendEvent(connector, key, { claim: 'code-added', deliveryId: `${second}` });
      await connector.drain();
      return connector.entry('coupon', 'AUTUMN10')?.expiresAt;
    };
    expect(await expiry(1, 'active')).toBeUndefined();
    expect(await expiry(2, 'expired')).toBeDefined();
  });

  it('a notice of the store, and what is left of a redacted person, after the retention of the settings', async () => {
    const { id } = persons.quillane;
    await connector.handle('orders/paid', orderAt(1, {}, { customer: persons.quillane }));
    connector.clock.ms += DAY;
    const person = { shop_domain: SHOP, customer: { id } };
    const orders = { orders_to_redact: [Number(ID)], orders_requested: [] };
    await connector.handle('customers/redact', { ...person, ...orders });
    await connector.handle('customers/data_request', { ...person, data_request: { id: 77 } });
    const expected = Math.floor(connector.clock.ms / 1000) + 400 * 86_400;
    expect(connector.entry('order', ID)?.expiresAt).toBe(expected);
    expect(connector.entry('notice', 'data-request/77')?.expiresAt).toBe(expected);
  });

  it('what an operator did, and how far a backfill has come, after 400 days', async () => {
    const now = new Date(connector.clock.ms);
    const ledger = createMemoryLedger();
    const caller = { arn: 'arn:aws:iam::000000000000:user/robin', userId: 'AIDA' };
    const change = { command: 'send', arguments: {}, version: '1' };
    const key = await recordBegin(ledger, caller, change, now);
    await recordEnd(ledger, key, { result: 'finished', counts: {} }, now);
    const at = now.toISOString();
    const state = { shop: SHOP, kind: 'orders', run: 1, place: {}, sent: 0 } as const;
    const kept = { ...state, startedAt: at, savedAt: at };
    await openBackfills(ledger, SHOP, () => now).save(kept, undefined);
    const expected = Math.floor(now.getTime() / 1000) + 400 * 86_400;
    const expiries = [...ledger.entries.values()].map(({ expiresAt }) => expiresAt);
    expect(expiries).toEqual([expected, expected, expected]);
  });

  it('nothing sooner because a change of it was refused, and not later', async () => {
    const metadata = () => {
      throw new Error('a mistake of the merchant');
    };
    connector = openWebhookConnector({ rules: { metadata } });
    await connector.handle('orders/paid', orderAt(1));
    await connector.handle('products/create', product(1));
    connector.loyalty.world.interfere = () => refusal(30);
    await connector.handle('products/update', product(2, 'Coat'));
    expect(connector.dead.size).toBe(2);
    expect(connector.entry('order', ID)?.expiresAt).toBeDefined();
    expect(connector.entry('product', '8')?.expiresAt).toBeUndefined();
  });
});
