import { beforeEach, describe, expect, it, vi } from 'vitest';
import { SHOP } from '../../../../local/harness/in-process-connector.ts';
import { orderWithId } from '../../../fixtures/order-life.ts';
import { answerOf, UNREACHABLE } from '../../../fixtures/service-answers.ts';
import { storeOrder } from '../../../fixtures/store-entities.ts';
import { openWebhookConnector, type WebhookConnector } from '../../../support/webhook-connector.ts';

let connector: WebhookConnector;
beforeEach(() => {
  connector = openWebhookConnector();
});

async function workForADay(): Promise<void> {
  for (const end = connector.clock.ms + 86_400_000; connector.clock.ms < end; ) {
    await connector.work('orders');
    connector.clock.ms += 300_000;
  }
}

describe('retries', () => {
  it('wait as long as the service asks', async () => {
    connector.loyalty.world.interfere = () => answerOf({}, 429, { 'retry-after': '120' });
    await connector.deliverOrders(1);
    await connector.work('orders');
    connector.loyalty.world.interfere = undefined;
    connector.clock.ms += 119_000;
    expect(await connector.work('orders')).toMatchObject({ received: 0 });
    connector.clock.ms += 5_000;
    expect(await connector.work('orders')).toEqual({ received: 1, left: 0 });
  });

  it('outlast a day without the service and cost no dead letter', async () => {
    connector.loyalty.world.interfere = () => UNREACHABLE;
    await connector.deliverOrders(1, 2, 3);
    await workForADay();
    connector.loyalty.world.interfere = undefined;
    await connector.drain();
    expect(connector.orderIds()).toEqual(['1', '2', '3']);
    expect(connector.dead.size).toBe(0);
  });

  it('end when the event is too old, with the reason, where a person finds it', async () => {
    connector.loyalty.world.interfere = () => UNREACHABLE;
    // After two days without an entry in the ledger the store is asked what the order is now.
    connector.store.putOrder(SHOP, { ...storeOrder(), id: '1' });
    await connector.handle('orders/create', orderWithId(1));
    const [letter] = connector.deadLetters();
    expect(letter?.attributes).toMatchObject({
      reason: 'retry-window-over',
      why: expect.stringContaining('4 days'),
    });
    expect(letter?.attempts).toBeDefined();
  });

  it('do not hammer a service that is down: few calls for many orders', async () => {
    const interfere = vi.fn(() => UNREACHABLE);
    connector.loyalty.world.interfere = interfere;
    await connector.deliverOrders(...Array.from({ length: 40 }, (_, n) => n + 1));
    for (let n = 0; n < 4; n += 1) await connector.work('orders');
    expect(interfere.mock.calls.length).toBeLessThanOrEqual(8);
    const retried = connector.telemetry.total('retried', { why: 'loyalty-unavailable' });
    expect(retried).toBeGreaterThan(30);
  });

  it('wait for a person, without dead letters, when the credentials are refused', async () => {
    connector.loyalty.world.interfere = () => answerOf({}, 401);
    await connector.deliverOrders(1, 2, 3, 4, 5, 6);
    await workForADay();
    expect(connector.telemetry.total('misconfigured')).toBeGreaterThan(0);
    connector.loyalty.world.interfere = undefined;
    await connector.drain();
    expect(connector.orderIds()).toHaveLength(6);
    expect(connector.dead.size).toBe(0);
  });
});
