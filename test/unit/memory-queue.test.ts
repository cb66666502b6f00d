import { beforeEach, describe, expect, it } from 'vitest';
import {
  createMemoryDeadLetters,
  createMemoryEventQueue,
  createMemoryQueue,
  createMemoryQueueDepth,
  createMemorySourceQueue,
  type MemoryQueue,
} from '../../local/harness/memory-queue.ts';
import { describeEventQueueContract } from '../contract/event-queue-contract.ts';

describeEventQueueContract('the queues in memory', async () => {
  let milliseconds = 0;
  const now = () => milliseconds;
  const queues = {
    orders: createMemoryQueue({ now, name: 'orders' }),
    products: createMemoryQueue({ now, name: 'products' }),
    coupons: createMemoryQueue({ now, name: 'coupons' }),
    dead: createMemoryQueue({ now, name: 'dead' }),
  };
  return {
    events: createMemoryEventQueue(queues),
    deadLetters: createMemoryDeadLetters(queues.dead),
    source: createMemorySourceQueue(queues.orders),
    depth: createMemoryQueueDepth(queues),
    receive: async (from, limits) => queues[from].receive(limits),
    remove: async (from, message) => queues[from].delete(message.receiptHandle),
    pass: async (seconds) => {
      milliseconds += seconds * 1000;
    },
  };
});

describe('the queue in memory, where the emulator differs from the real service', () => {
  let milliseconds: number;
  let queue: MemoryQueue;
  const send = (groupId: string, body: string) =>
    queue.send({ groupId, body, deduplicationId: `${groupId}-${body}` });
  const bodies = (max?: number) => queue.receive(max ? { max } : {}).map(({ body }) => body);

  beforeEach(() => {
    milliseconds = 0;
    queue = createMemoryQueue({ now: () => milliseconds, visibilitySeconds: 30 });
  });

  it('hands out several messages of one group at once, in order', () => {
    for (const body of ['1', '2', '3']) send('a', body);
    send('b', '4');
    expect(bodies()).toEqual(['1', '2', '3', '4']);
    expect(bodies()).toEqual([]);
  });

  it('hands out a group again up to its first message that is still invisible', () => {
    for (const body of ['1', '2', '3']) send('a', body);
    const [first, second] = queue.receive();
    if (!first || !second) throw new Error('three messages were sent');
    queue.changeVisibility(second.receiptHandle, 60);
    milliseconds = 31_000;
    expect(bodies()).toEqual(['1']);
    milliseconds = 62_000;
    expect(bodies()).toEqual(['1', '2', '3']);
  });

  it('keeps a group locked behind a message in flight whose predecessor is done', () => {
    for (const body of ['1', '2', '3']) send('a', body);
    const [first] = queue.receive({ max: 2 });
    if (!first) throw new Error('three messages were sent');
    queue.delete(first.receiptHandle);
    expect(bodies()).toEqual([]);
    milliseconds = 31_000;
    expect(bodies()).toEqual(['2', '3']);
  });

  it('refuses the receipt of a message that was given to another worker', () => {
    send('a', '1');
    const [late] = queue.receive();
    milliseconds = 31_000;
    const [again] = queue.receive();
    if (!late || !again) throw new Error('one message was sent');
    expect(again.attempts).toBe(2);
    expect(() => queue.delete(late.receiptHandle)).toThrow();
    expect(() => queue.changeVisibility(late.receiptHandle, 1)).toThrow();
    queue.delete(again.receiptHandle);
    expect(queue.size).toBe(0);
  });

  it('takes a deduplication id again after five minutes, not before', () => {
    const first = send('a', '1');
    milliseconds = 299_999;
    expect(send('a', '1')).toEqual(first);
    milliseconds = 300_000;
    expect(send('a', '1')).not.toEqual(first);
    expect(queue.size).toBe(2);
  });

  it.each([
    ['a body above 1 MiB', { body: 'x'.repeat(1_048_577) }],
    ['a character that SQS refuses', { body: '\u0000' }],
    ['an empty body', { body: '' }],
    ['a group id with a space', { groupId: 'a b' }],
    ['a group id that is too long', { groupId: 'a'.repeat(129) }],
    ['a deduplication id with an emoji', { deduplicationId: '🎁' }],
    ['an empty attribute', { attributes: { why: '' } }],
  ])('refuses %s', (_, changes) => {
    const message = { body: 'x', groupId: 'a', deduplicationId: 'd' };
    expect(() => queue.send({ ...message, ...changes })).toThrow();
  });
});
