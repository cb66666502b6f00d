import { beforeEach, describe, expect, it } from 'vitest';
import type { EventReading } from '../../../../shared/core/store/store.ts';
import { orderWithId } from '../../../fixtures/order-life.ts';
import { openWebhookConnector, type WebhookConnector } from '../../../support/webhook-connector.ts';

function breakOff(): never {
  throw new RangeError('a bug with robin.sample@example.com in its text');
}

/** Read without an error, with an order that cannot be looked at. */
const brokenSnapshot = (): EventReading => ({
  kind: 'snapshot',
  version: 1,
  entity: {
    kind: 'order',
    get order() {
      return breakOff();
    },
  },
});

let connector: WebhookConnector;
beforeEach(() => {
  connector = openWebhookConnector();
});

describe('a batch with a faulty message', () => {
  it('parks what is no message of the connector, and carries on with the others', async () => {
    connector.queues.orders.send({ body: 'nonsense', groupId: 'any', deduplicationId: 'any' });
    await connector.deliverOrders(1);
    expect(await connector.work('orders')).toEqual({ received: 2, left: 0 });
    expect(connector.orderIds()).toEqual(['1']);
    expect(connector.deadLetters()).toMatchObject([{ attributes: { reason: 'unreadable' } }]);
    expect(connector.telemetry.total('rejected', { code: 'unreadable' })).toBe(1);
  });

  it('parks a message of a shop that left the settings, without any call', async () => {
    const shop = 'gone-store.myshopify.com';
    await connector.deliver({ topic: 'orders/create', payload: orderWithId(1), shop });
    expect(await connector.work('orders')).toEqual({ received: 1, left: 0 });
    const [letter] = connector.deadLetters();
    expect(letter?.attributes).toMatchObject({ why: expect.stringContaining('connector.config') });
  });

  it('keeps what it could not park', async () => {
    await connector.deliver({ topic: 'orders/create', payload: '{"id": 1}' });
    const { send } = connector.dead;
    connector.dead.send = () => {
      throw new Error('down');
    };
    expect(await connector.work('orders')).toEqual({ received: 1, left: 1 });
    connector.dead.send = send;
    await connector.drain();
    expect(connector.dead.size).toBe(1);
  });

  it('carries on with the other groups when a bug breaks one', async () => {
    const { ledger } = connector;
    const write: typeof ledger.write = async (key, ...rest) =>
      key.id === '1' ? breakOff() : ledger.write(key, ...rest);
    connector.parts.ledger = { ...ledger, write };
    await connector.deliverOrders(1, 2);
    expect(await connector.work('orders')).toEqual({ received: 2, left: 1 });
    expect(connector.telemetry.total('crash')).toBe(1);
    expect(JSON.stringify(connector.telemetry.logged)).not.toContain('robin');
  });

  it.each([
    ['at once', breakOff],
    ['when its customer is looked for', brokenSnapshot],
  ])(
    'parks what a bug keeps from being read %s, and carries on with the others',
    async (_, bug) => {
      const { read } = connector.parts;
      connector.parts.read = (event) => (event.id === '1' ? bug() : read(event));
      await connector.deliverOrders(1, 2);
      expect(await connector.work('orders')).toEqual({ received: 2, left: 0 });
      expect(connector.orderIds()).toEqual(['2']);
      const [letter] = connector.deadLetters();
      expect(letter?.attributes).toMatchObject({ reason: 'unreadable' });
      expect(connector.telemetry.total('crash')).toBe(1);
      expect(JSON.stringify(connector.telemetry.logged)).not.toContain('robin');
    },
  );
});
