import { beforeEach, describe, expect, it } from 'vitest';
import type { DeadLetters } from '../../shared/core/batch/dead-letter.ts';
import { decodeEvent } from '../../shared/core/events/decode-event.ts';
import type {
  EventQueue,
  QueueDepth,
  ReceivedMessage,
  SourceQueue,
  StoreEvent,
  StoreQueueFamily,
} from '../../shared/core/events/event.ts';
import { incompressible } from '../fixtures/incompressible.ts';

export interface QueuesUnderTest {
  readonly events: EventQueue;
  readonly deadLetters: DeadLetters;
  /** The source interface over the orders queue. */
  readonly source: SourceQueue;
  readonly depth: QueueDepth;
  /** Up to `max` messages, which are then hidden for `visibilitySeconds` (default: 30). */
  receive(
    from: StoreQueueFamily | 'dead',
    limits?: { readonly max?: number; readonly visibilitySeconds?: number },
  ): Promise<readonly ReceivedWithAttributes[]>;
  remove(from: StoreQueueFamily | 'dead', message: ReceivedMessage): Promise<void>;
  pass(seconds: number): Promise<void>;
}

interface ReceivedWithAttributes extends ReceivedMessage {
  readonly attributes: Readonly<Record<string, string>>;
}

/** `create` returns empty queues. */
export function describeEventQueueContract(
  name: string,
  create: () => Promise<QueuesUnderTest>,
): void {
  describe(`the event queue contract, kept by ${name}`, () => {
    let queues: QueuesUnderTest;
    beforeEach(async () => {
      queues = await create();
    });

    it('delivers an event unchanged', async () => {
      await queues.events.send(order('1', { body: new Uint8Array([0, 255, 239, 187, 191, 13]) }));
      expect(events(await queues.receive('orders'))).toStrictEqual([
        order('1', { body: new Uint8Array([0, 255, 239, 187, 191, 13]) }),
      ]);
    });

    it.each([
      ['orders', ['order', 'customer', 'shop']],
      ['products', ['product']],
      ['coupons', ['coupon', 'discount']],
    ] as const)('sends to %s what belongs there and nothing else', async (family, kinds) => {
      const all = ['order', 'product', 'coupon', 'discount', 'customer', 'shop'] as const;
      for (const kind of all) await queues.events.send({ ...order(kind), kind });
      const received = events(await queues.receive(family));
      expect(received.map(({ kind }) => kind).sort()).toEqual([...kinds].sort());
    });

    it('counts the messages that wait and those that are with a worker', async () => {
      expect(await queues.depth.of('orders')).toEqual({ ready: 0, hidden: 0 });
      for (const id of ['1', '2', '3']) await queues.events.send(order(id));
      await queues.events.send({ ...order('4'), kind: 'product' });
      expect(await queues.depth.of('orders')).toEqual({ ready: 3, hidden: 0 });
      const [first] = await queues.receive('orders', { max: 1 });
      expect(await queues.depth.of('orders')).toEqual({ ready: 2, hidden: 1 });
      if (first) await queues.remove('orders', first);
      expect(await queues.depth.of('orders')).toEqual({ ready: 2, hidden: 0 });
      expect(await queues.depth.of('products')).toEqual({ ready: 1, hidden: 0 });
      expect(await queues.depth.of('coupons')).toEqual({ ready: 0, hidden: 0 });
    });

    it('carries bodies with characters that SQS refuses', async () => {
      const body = bytes('{"note":"\u0000\u0001\ufffe\uffff\u{1f381}"}');
      await queues.events.send(order('1', { body }));
      expect(events(await queues.receive('orders'))[0]?.body).toEqual(body);
    });

    it('carries an order of 6 MB', async () => {
      const line = '{"sku":"#","title":"Camiseta de algodón","price":"19.90","quantity":1},';
      const lines = Array.from({ length: 80_000 }, (_, index) => line.replace('#', `${index}`));
      const body = bytes(`{"id":1,"line_items":[${lines.join('')}{}]}`.slice(0, 6_000_000));
      expect(body.length).toBeGreaterThan(5_900_000);
      await queues.events.send(order('1', { body }));
      const [received] = events(await queues.receive('orders'));
      expect(Buffer.from(received?.body ?? []).equals(body)).toBe(true);
    });

    it('omits a body that is too large for a message, and keeps the key of the entity', async () => {
      await queues.events.send(order('1', { body: incompressible(3_000_000) }));
      expect(events(await queues.receive('orders'))).toStrictEqual([order('1')]);
    });

    it.each(['SUMMER 10% off', '🎁', 'a'.repeat(300), 'çã', 'x\ud800'])(
      'accepts the coupon code %j',
      async (id) => {
        await queues.events.send({ ...order(id), kind: 'coupon' });
        expect(events(await queues.receive('coupons'))).toStrictEqual([
          { ...order(id), kind: 'coupon' },
        ]);
      },
    );

    it('ignores the retry of a delivery', async () => {
      await queues.events.send(order('1'));
      await queues.events.send(order('1', { receivedAt: '2026-10-01T10:00:09.000Z' }));
      const [first] = await queues.receive('orders');
      if (first) await queues.remove('orders', first);
      expect(await queues.receive('orders')).toEqual([]);
    });

    it('keeps the replay of a recent delivery', async () => {
      await queues.events.send(order('1'));
      const [first] = await queues.receive('orders');
      if (first) await queues.remove('orders', first);
      const replayed = order('1', {
        replays: [{ at: '2026-10-01T10:01:00.000Z', by: 'operator' }],
      });
      await queues.events.send(replayed);
      expect(events(await queues.receive('orders'))).toStrictEqual([replayed]);
    });

    it('keeps each topic of one delivery id', async () => {
      const deliveryId = 'one-action';
      await queues.events.send(order('1', { topic: 'orders/create', deliveryId }));
      await queues.events.send(order('2', { topic: 'orders/paid', deliveryId }));
      expect(await queues.receive('orders')).toHaveLength(2);
    });

    it('returns the events of one entity in order, and never to two workers at once', async () => {
      for (const deliveryId of ['a', 'b', 'c'])
        await queues.events.send(order('1', { deliveryId }));
      const seen: string[] = [];
      for (let left = 3; left > 0; left -= 1) {
        const [held] = await queues.receive('orders', { max: 1 });
        expect(await queues.receive('orders', { max: 1 })).toEqual([]);
        seen.push(...events(held ? [held] : []).map(({ deliveryId }) => deliveryId));
        if (held) await queues.remove('orders', held);
      }
      expect(seen).toEqual(['a', 'b', 'c']);
    });

    it('returns other entities while one is with a worker', async () => {
      await queues.events.send(order('1'));
      await queues.receive('orders');
      await queues.events.send(order('2', { deliveryId: 'other' }));
      expect(events(await queues.receive('orders')).map(({ id }) => id)).toEqual(['2']);
    });

    it('hides delayed messages for the given time, then returns them with a higher count', async () => {
      await queues.events.send(order('1'));
      const held = await queues.receive('orders', { visibilitySeconds: 2 });
      await queues.source.delay(held, 4);
      await queues.pass(2.2);
      expect(await queues.receive('orders')).toEqual([]);
      await queues.pass(2);
      const again = await queues.receive('orders');
      expect(again.map(({ attempts }) => attempts)).toEqual([2]);
      expect(again[0]?.messageId).toBe(held[0]?.messageId);
    });

    it('returns a message at once after a delay of zero', async () => {
      await queues.events.send(order('1'));
      await queues.source.delay(await queues.receive('orders'), -5);
      expect(await queues.receive('orders')).toHaveLength(1);
    });

    it('delays more messages than fit into one request, and limits the delay', async () => {
      for (let index = 0; index < 23; index += 1) {
        await queues.events.send(order(`${index}`, { deliveryId: `${index}` }));
      }
      const held = [
        ...(await queues.receive('orders')),
        ...(await queues.receive('orders')),
        ...(await queues.receive('orders')),
      ];
      expect(held).toHaveLength(23);
      await queues.source.delay(held, 0.2);
      await queues.pass(1.2);
      const again = [
        ...(await queues.receive('orders')),
        ...(await queues.receive('orders')),
        ...(await queues.receive('orders')),
      ];
      expect(again).toHaveLength(23);
      await expect(queues.source.delay(again, 10 ** 9)).resolves.toBeUndefined();
      await expect(queues.source.delay([], 10)).resolves.toBeUndefined();
    });

    it('reports a message that could not be delayed, and delays the others', async () => {
      await queues.events.send(order('1'));
      await queues.events.send(order('2', { deliveryId: 'other' }));
      const [gone, held] = await queues.receive('orders', { visibilitySeconds: 2 });
      if (!gone || !held) throw new Error('two messages were sent');
      await queues.remove('orders', gone);
      await expect(queues.source.delay([gone, held], 30)).rejects.toThrow();
      await queues.pass(2.2);
      expect(await queues.receive('orders')).toEqual([]);
    });

    describe('dead letters', () => {
      const reason = {
        reason: 'rejected',
        why: 'The service refuses the coupon.',
        code: 'CouponNotFound',
        attempts: 3,
        at: '2026-10-01T10:00:05.000Z',
      } as const;

      it('hold the message unchanged, together with its reason', async () => {
        const body = 'not {JSON — at all';
        await queues.deadLetters.park({ messageId: 'source-1', body }, reason);
        const [letter] = await queues.receive('dead');
        expect(letter?.body).toBe(body);
        expect(letter?.attributes).toEqual({ ...reason, attempts: '3' });
      });

      it('hold the largest message of an event', async () => {
        const body = incompressible(740_000);
        await queues.events.send(order('1', { body }));
        const [source] = await queues.receive('orders');
        if (!source) throw new Error('one message was sent');
        await queues.deadLetters.park(source, reason);
        const letters = await queues.receive('dead');
        expect(letters[0]?.body).toBe(source.body);
        expect(Buffer.from(events(letters)[0]?.body ?? []).equals(body)).toBe(true);
      });

      it('ignore the second parking of one message', async () => {
        await queues.deadLetters.park({ messageId: 'source-1', body: 'x' }, reason);
        await queues.deadLetters.park({ messageId: 'source-1', body: 'x' }, reason);
        expect(await queues.receive('dead')).toHaveLength(1);
      });

      it('keep the second rejection of a replayed message within five minutes', async () => {
        await queues.events.send(order('1'));
        const [first] = await queues.receive('orders');
        if (!first) throw new Error('one message was sent');
        await queues.deadLetters.park(first, reason);
        await queues.remove('orders', first);
        // The operator replays the event at once, and it is rejected again.
        const [event] = events(await queues.receive('dead'));
        if (!event) throw new Error('one dead letter was parked');
        const replays = [{ at: '2026-10-01T10:02:00.000Z', by: 'operator' }];
        await queues.events.send({ ...event, replays });
        const [second] = await queues.receive('orders');
        if (!second) throw new Error('one message was replayed');
        await queues.deadLetters.park(second, reason);
        expect(events(await queues.receive('dead'))[0]?.replays).toEqual(replays);
      });

      it('never hide each other, even those of one entity', async () => {
        await queues.deadLetters.park({ messageId: 'source-1', body: 'x' }, reason);
        await queues.deadLetters.park({ messageId: 'source-2', body: 'x' }, reason);
        expect(await queues.receive('dead', { max: 1 })).toHaveLength(1);
        expect(await queues.receive('dead', { max: 1 })).toHaveLength(1);
      });
    });
  });
}

function order(id: string, changes: Partial<StoreEvent> = {}): StoreEvent {
  return {
    shop: 'example.myshopify.com',
    kind: 'order',
    id,
    claim: 'changed',
    origin: 'webhook',
    topic: 'orders/updated',
    deliveryId: `delivery-of-${id}`,
    receivedAt: '2026-10-01T10:00:00.000Z',
    triggeredAt: '2026-10-01T09:59:59.123Z',
    body: undefined,
    ...changes,
  };
}

function events(messages: readonly ReceivedMessage[]): StoreEvent[] {
  return messages.map(({ body }) => {
    const decoded = decodeEvent(body);
    if (decoded.kind !== 'event') throw new Error(decoded.why);
    return decoded.event as StoreEvent;
  });
}

function bytes(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}
