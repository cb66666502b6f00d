import { beforeEach, describe, expect, it } from 'vitest';
import { bodyFor, orderAt } from '../../../fixtures/order-life.ts';
import { openWebhookConnector, type WebhookConnector } from '../../../support/webhook-connector.ts';

const ID = '5512345678901';

let connector: WebhookConnector;
beforeEach(() => {
  connector = openWebhookConnector();
});

function expectCancelled(): void {
  expect(connector.loyalty.rows.orders.get(ID)).toMatchObject({ IsCancelledOrReturned: true });
  expect(connector.dead.size).toBe(0);
}

describe('an order that was deleted in the store', () => {
  it('is cancelled and gives its points back; an unknown one needs no call', async () => {
    await connector.handle('orders/fulfilled', orderAt(1, { fulfilledAfterDays: 1 }));
    expect(connector.loyalty.rows.points.size).toBe(1);
    await connector.deliver({ topic: 'orders/delete', payload: { id: 2 } });
    await connector.handle('orders/delete', { id: Number(ID) });
    expectCancelled();
    expect(connector.loyalty.rows.points.size).toBe(0);
    expect(connector.loyalty.rows.orders.size).toBe(1);
  });

  it.each(['refunds/create', 'orders/edited'])(
    'is cancelled when its deletion is announced, although %s waits behind it',
    async (topic) => {
      await connector.handle('orders/paid', orderAt(1));
      await connector.deliver({ topic: 'orders/delete', payload: { id: Number(ID) } });
      await connector.deliver({ topic, payload: bodyFor(topic, orderAt(1)) });
      expect(await connector.work('orders')).toEqual({ received: 2, left: 0 });
      expectCancelled();
    },
  );

  it('is not cancelled because it is not found, unless its deletion was announced', async () => {
    await connector.handle('orders/paid', orderAt(1));
    await connector.deliver({ topic: 'refunds/create', payload: { id: 9, order_id: Number(ID) } });
    expect(await connector.work('orders')).toEqual({ received: 1, left: 1 });
    expect(connector.loyalty.rows.orders.get(ID)).toMatchObject({ IsCancelledOrReturned: false });

    // Its deletion arrives: that settles it, and the question with it.
    await connector.handle('orders/delete', { id: Number(ID) });
    expectCancelled();
  });

  it('is cancelled within an hour behind 11 references, not after the 4 days of the retry window', async () => {
    await connector.handle('orders/paid', orderAt(1));
    for (let id = 1; id <= 11; id += 1) {
      await connector.deliver({ topic: 'refunds/create', payload: { id, order_id: Number(ID) } });
    }
    await connector.deliver({ topic: 'orders/delete', payload: { id: Number(ID) } });
    const start = connector.clock.ms;
    await connector.drain();
    expect(connector.clock.ms - start).toBeLessThan(3_600_000);
    expectCancelled();
  });
});
