import { beforeEach, describe, expect, it, vi } from 'vitest';
import { runBatch } from '../../../../shared/core/batch/run-batch.ts';
import { controlKey } from '../../../../shared/core/calls/shop-pause.ts';
import { inBatches } from '../../../../shared/core/events/event.ts';
import { encodeEvent } from '../../../../shared/core/events/message-body.ts';
import type { EventReading } from '../../../../shared/core/store/store.ts';
import type { CallAnswer } from '../../../../shared/loyalty/result.ts';
import { orderWithId } from '../../../fixtures/order-life.ts';
import { refusal, UNREACHABLE } from '../../../fixtures/service-answers.ts';
import { createMemoryLedger } from '../../../support/memory-ledger.ts';
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
});

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

describe('a batch whose time is over', () => {
  let connector: WebhookConnector;
  let deadline: AbortController;
  beforeEach(() => {
    deadline = new AbortController();
    connector = openWebhookConnector();
  });

  it('returns before its time is over, with everything unfinished still on the queue', async () => {
    const hangs = vi.fn(() => new Promise<never>(() => {}));
    connector.loyalty.world.interfere = hangs;
    await connector.deliverOrders(1, 2, 3, 4, 5, 6);
    const work = connector.work('orders', { deadline: deadline.signal });
    // Side by side, and not one more after the time was over.
    await vi.waitFor(() => expect(hangs).toHaveBeenCalledTimes(4), { timeout: 20_000 });
    deadline.abort();
    expect(await work).toEqual({ received: 6, left: 6 });
    expect(hangs).toHaveBeenCalledTimes(4);
  });

  it('parks nothing that it has handed back, even if the service refuses it afterwards', async () => {
    const late = Promise.withResolvers<CallAnswer>();
    const slow = vi.fn(() => late.promise);
    connector.loyalty.world.interfere = slow;
    await connector.deliverOrders(1);
    const work = connector.work('orders', { deadline: deadline.signal });
    await vi.waitFor(() => expect(slow).toHaveBeenCalledOnce(), { timeout: 20_000 });
    deadline.abort();
    expect(await work).toEqual({ received: 1, left: 1 });
    late.resolve(refusal(30));
    const outcome = () => connector.entry('order', '1')?.outcomes.at(-1)?.outcome;
    await expect.poll(outcome, { timeout: 20_000 }).toBe('rejected');
    expect(connector.deadLetters()).toEqual([]);
  });
});

describe('items in batches', () => {
  it('are acted on by ten at once, and by no more', async () => {
    const sizes: number[] = [];
    let running = 0;
    await inBatches(Array.from({ length: 25 }), async () => {
      running += 1;
      sizes.push(running);
      await Promise.resolve();
      running -= 1;
    });
    expect([sizes.length, Math.max(...sizes)]).toEqual([25, 10]);
  });
});

describe('a batch with a busy shop', () => {
  it('begins the other shops before the busy one has its place', async () => {
    const [quiet, busy] = ['quiet.myshopify.com', 'busy.myshopify.com'];
    const messages = [busy, quiet].map((shop) => ({
      ...{ messageId: shop, receiptHandle: shop, groupId: shop, attempts: 1, sequenceNumber: '1' },
      body: encodeEvent({
        ...{ shop, kind: 'order', id: '1', topic: 'orders/updated', claim: 'changed' },
        ...{ origin: 'webhook', deliveryId: shop, receivedAt: '2026-10-09T12:00:00.000Z' },
        body: undefined,
      }),
    }));
    const place = Promise.withResolvers<ReadonlySet<string>>();
    const quietIsDone = Promise.withResolvers<void>();
    const begun: string[] = [];
    const visit = {
      ...{ keys: [], refused: new Set(), leave: async () => {} },
      needsPlace: (shop: string) => shop === busy,
      take: () => place.promise,
    };
    const deps = {
      ledger: createMemoryLedger(),
      load: { parallelOf: () => 5, enter: () => visit },
      pauses: { keyOf: (shop: string) => controlKey(shop), learn: () => {}, of: () => undefined },
      ...{ deadline: new AbortController().signal, now: () => new Date(), source: {} },
    };
    const running = runBatch(messages, deps as never, () => ({
      keys: [],
      begin: () => async (group) => {
        begun.push(group.items[0]?.event?.shop ?? '');
        group.unsettled.clear();
        quietIsDone.resolve();
        return undefined;
      },
    }));
    await quietIsDone.promise;
    expect(begun).toEqual([quiet]);
    place.resolve(new Set());
    expect(await running).toEqual([]);
    expect(begun).toEqual([quiet, busy]);
  });
});
