import { beforeEach, describe, expect, it, vi } from 'vitest';
import { orderWithId } from '../../../fixtures/order-life.ts';
import { refusal, UNREACHABLE } from '../../../fixtures/service-answers.ts';
import { openWebhookConnector, type WebhookConnector } from '../../../support/webhook-connector.ts';

let connector: WebhookConnector;
beforeEach(() => {
  connector = openWebhookConnector();
});

describe('the groups of a batch', () => {
  it('never lets one group affect another', async () => {
    connector.loyalty.world.interfere = ({ body }, pass) => {
      const { OriginalId } = body as { OriginalId: string };
      if (OriginalId === '1') return UNREACHABLE;
      if (OriginalId === '2') return refusal(50);
      return pass();
    };
    await connector.deliverOrders(1, 2, 3);
    expect(await connector.work('orders')).toEqual({ received: 3, left: 1 });
    expect(connector.orderIds()).toEqual(['3']);
    expect(connector.dead.size).toBe(1);
  });

  it('never acknowledges or sends a message behind a failure in its own group', async () => {
    const interfere = vi.fn(() => UNREACHABLE);
    connector.loyalty.world.interfere = interfere;
    for (const second of [1, 2, 3]) {
      await connector.deliver({ topic: 'orders/updated', payload: orderWithId(1, second) });
    }
    expect(await connector.work('orders')).toEqual({ received: 3, left: 3 });
    expect(interfere).toHaveBeenCalledOnce();
  });

  it('applies the newest of a group with one call, whatever order they came in', async () => {
    for (const second of [2, 3, 1]) {
      const payload = orderWithId(1, second, { name: `#${second}` });
      await connector.deliver({ topic: 'orders/updated', payload });
    }
    expect(await connector.work('orders')).toEqual({ received: 3, left: 0 });
    expect(connector.loyalty.journal).toHaveLength(1);
    expect(connector.telemetry.total('applied')).toBe(1);
    expect(connector.telemetry.total('superseded')).toBe(2);
  });

  it('reads the ledger once for all its groups and their customers, and writes twice for what it sends', async () => {
    const readMany = vi.fn(connector.ledger.readMany);
    const write = vi.fn(connector.ledger.write);
    connector.parts.ledger = { ...connector.ledger, readMany, write };
    const readsAndWrites = () => [readMany.mock.calls.length, write.mock.calls.length];
    await connector.deliverOrders(1, 2, 3, 4, 5);
    await connector.work('orders');
    expect(readsAndWrites()).toEqual([1, 10]);

    // One write to mark it and one to record it. An unchanged event: one.
    const payload = orderWithId(1, 2, { financial_status: 'pending' });
    await connector.deliver({ topic: 'orders/updated', payload });
    await connector.deliver({ topic: 'orders/updated', payload: orderWithId(2, 2) });
    await connector.work('orders');
    expect(readsAndWrites()).toEqual([2, 13]);
    expect(connector.telemetry.total('unchanged')).toBe(1);

    // The same version again: none.
    await connector.deliver({ topic: 'orders/paid', payload: orderWithId(2, 2) });
    await connector.work('orders');
    expect(readsAndWrites()).toEqual([3, 13]);
  });

  it('leaves everything on the queue when the ledger cannot be read', async () => {
    const readMany = async () => Promise.reject(new Error('down'));
    connector.parts.ledger = { ...connector.ledger, readMany };
    await connector.deliverOrders(1, 2);
    expect(await connector.work('orders')).toEqual({ received: 2, left: 2 });
    expect(connector.loyalty.journal).toEqual([]);
  });
});
