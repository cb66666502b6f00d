import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createPace } from '../../../scripts/connector/ground/compare/send.ts';
import { storeUnread } from '../../../scripts/connector/ground/session/services.ts';
import { openBackfills } from '../../../scripts/connector/set-up/backfill.ts';
import { createSqsEventQueue, packEntries } from '../../../shared/aws/sqs-queues.ts';
import type { StoreEvent } from '../../../shared/core/events/event.ts';
import { failure, unavailable } from '../../../shared/shopify/admin/client/admin-answer.ts';
import { createMemoryLedger } from '../../support/memory-ledger.ts';

describe('the pace of a backfill', () => {
  it('never exceeds its rate by more than one window, however its sends are timed', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 1_000 }),
        fc.array(fc.record({ lateMs: fc.nat({ max: 5_000 }), count: fc.nat({ max: 100 }) })),
        (rate, sends) => {
          const pace = createPace(rate);
          let nowMs = 0;
          let sent = 0;
          let last = 0;
          for (const { lateMs, count } of sends) {
            nowMs += lateMs;
            nowMs += pace.before(count, nowMs);
            expect(sent - last).toBeLessThanOrEqual((rate * nowMs) / 1000 + 0.001);
            sent += count;
            last = count;
          }
        },
      ),
    );
  });

  it('does not make up for time in which nothing could be sent', () => {
    const pace = createPace(10);
    expect(pace.before(10, 0)).toBe(0);
    expect(pace.before(10, 60_000)).toBe(0);
    expect(pace.before(10, 60_000)).toBe(1_000);
  });

  it('sends a second’s worth in one go, and never more than a hundred', () => {
    expect(createPace(1).window).toBe(1);
    expect(createPace(10).window).toBe(10);
    expect(createPace(1_000).window).toBe(100);
  });
});

describe('the requests to the queue', () => {
  it('hold ten messages and a megabyte at most, every message once and in order', () => {
    const anyEntries = fc.array(fc.integer({ min: 1, max: 999_999 }), { maxLength: 60 });
    fc.assert(
      fc.property(anyEntries, (sizes) => {
        const entries = sizes.map((length) => ({ MessageBody: { length } as unknown as string }));
        const packs = packEntries(entries);
        expect(packs.flat()).toEqual(entries);
        for (const pack of packs) {
          expect(pack.length).toBeGreaterThan(0);
          expect(pack.length).toBeLessThanOrEqual(10);
          const bytes = pack.reduce((sum, { MessageBody: { length } }) => sum + length, 0);
          expect(bytes).toBeLessThanOrEqual(1_000_000);
        }
      }),
    );
  });
});

describe('events that SQS did not accept', () => {
  type Entries = readonly { readonly Id?: string | undefined }[];
  const event = (id: string): StoreEvent => ({
    shop: 'example.myshopify.com',
    kind: 'order',
    id,
    claim: 'changed',
    origin: 'backfill',
    topic: 'backfill/order',
    deliveryId: `backfill/1/order/${id}`,
    receivedAt: '2026-10-09T12:00:00.000Z',
    body: undefined,
  });

  /** Sends three events; `answer` says what SQS answers to each request. */
  async function sendThree(answer: (entries: Entries, request: number) => object) {
    const sizes: number[] = [];
    const queue = createSqsEventQueue(
      {
        sendMessage: () => Promise.reject(new Error('not used here')),
        async sendMessageBatch({ Entries: entries = [] }) {
          sizes.push(entries.length);
          return { Successful: [], Failed: [], ...answer(entries, sizes.length) };
        },
      },
      { orders: 'orders' },
      { pause: async () => {} },
    );
    const refused = await queue.sendAll(['1', '2', '3'].map(event));
    return { sizes, refused: refused.map((one) => [one.event.id, one.code]) };
  }
  const successful = (entries: Entries) =>
    entries.map(({ Id }) => ({ Id, MessageId: 'm', MD5OfMessageBody: '' }));
  const failed = (entries: Entries, SenderFault: boolean) =>
    entries.map(({ Id }) => ({ Id, Code: 'InternalError', SenderFault }));

  it('are sent again where the fault is that of SQS, and then returned', async () => {
    const { sizes, refused } = await sendThree((entries, request) =>
      request === 1
        ? { Successful: successful(entries.slice(1)), Failed: failed(entries.slice(0, 1), false) }
        : { Failed: failed(entries, false) },
    );
    expect(sizes).toEqual([3, 1, 1, 1]);
    expect(refused).toEqual([['1', 'InternalError']]);
  });

  it('are returned at once where the fault is that of the sender', async () => {
    const { sizes, refused } = await sendThree((entries) => ({
      Successful: successful(entries.slice(1)),
      Failed: failed(entries.slice(0, 1), true),
    }));
    expect(sizes).toEqual([3]);
    expect(refused).toEqual([['1', 'InternalError']]);
  });

  it('include those of which the answer says nothing', async () => {
    const { sizes, refused } = await sendThree((entries, request) => ({
      Successful: request === 1 ? successful(entries.slice(0, 2)) : [],
    }));
    expect(sizes).toEqual([3, 1, 1, 1]);
    expect(refused).toEqual([['3', 'unknown']]);
  });
});

describe('a store that does not give what a command needs', () => {
  it.each([
    [failure('access-denied', { scope: 'read_all_orders' }), 'access scope read_all_orders.'],
    [failure('access-denied'), 'could not be read (access-denied)'],
    [failure('time-out'), 'could not be read (time-out)'],
  ])('%j is explained', (answer, text) => {
    expect(storeUnread(unavailable(answer)).message).toContain(text);
  });
});

describe('the backfills of a shop', () => {
  it('are reported as damaged instead of as none', async () => {
    const ledger = createMemoryLedger();
    const backfills = openBackfills(ledger, 'example-store.myshopify.com', () => new Date());
    expect(await backfills.load('orders')).toBeUndefined();
    await ledger.write(
      { shop: 'example-store.myshopify.com', kind: 'cursor', id: 'backfill/orders' },
      { version: 1, uncertain: false, outcomes: [], remembered: '["one"' },
      undefined,
    );
    await expect(backfills.load('orders')).rejects.toThrow('the backfill of orders is damaged');
  });
});
