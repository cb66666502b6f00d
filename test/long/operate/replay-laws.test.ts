import { DeleteMessageCommand } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSqsClient } from '../../../local/harness/sdk-clients.ts';
import { type Emulator, startSqs } from '../../../local/stack/emulators.ts';
import type { LetterFilter } from '../../../scripts/connector/ground/letters/read-letters.ts';
import {
  letterReaderOf,
  newTally,
  type ReplayChoice,
  replayLetters,
} from '../../../scripts/connector/ground/letters/replay-letters.ts';
import { createSqsDeadLetterQueue, createSqsEventQueue } from '../../../shared/aws/sqs-queues.ts';
import { decodeEvent } from '../../../shared/core/events/decode-event.ts';
import type { StoreEvent, StoreQueueFamily } from '../../../shared/core/events/event.ts';
import { countMessages, createConnectorQueues, receive } from '../../support/event-source.ts';
import {
  LETTER_SHOP,
  letterEvent,
  letterIdsIn,
  letterReason,
  type ParkedLetter,
  parkLetters,
} from '../../support/parked-letters.ts';

const MANY = 3_000;
const budget = { connectMs: 10_000, attemptMs: 30_000, attempts: 2 };

let emulator: Emulator;
let sqs: ReturnType<typeof createSqsClient>;
let opened = 0;

beforeAll(async () => {
  emulator = await startSqs();
  sqs = createSqsClient({ budget, emulator });
});
afterAll(async () => {
  sqs.destroy();
  await emulator.stop();
});

async function openQueues() {
  opened += 1;
  const { urls } = await createConnectorQueues(sqs, emulator.endpoint, `laws-${opened}`);
  const families: readonly StoreQueueFamily[] = ['orders', 'products', 'coupons'];
  const world = {
    queues: families.map((family) =>
      createSqsDeadLetterQueue(sqs, urls[family].deadLetterUrl, family),
    ),
    replayQueue: createSqsEventQueue(sqs, {
      orders: urls.orders.url,
      products: urls.products.url,
      coupons: urls.coupons.url,
    }),
    retire: async () => {},
    ...letterReaderOf([{ domain: LETTER_SHOP, platform: 'shopify' }]),
    now: () => new Date('2026-10-10T00:00:00.000Z'),
    signal: new AbortController().signal,
    onReplayed: () => {},
  };
  return {
    urls,
    async replay(choice: Partial<ReplayChoice> = {}, changes: Partial<typeof world> = {}) {
      const tally = newTally();
      const letterIds = choice.letterIds ?? new Set(await letterIdsIn(world.queues));
      const all = { letterIds, by: 'ops@desk' };
      await replayLetters({ ...all, ...choice }, { ...world, ...changes }, tally);
      return tally;
    },
    letterIds: async (filter: LetterFilter = {}) => letterIdsIn(world.queues, filter),
  };
}

/** Everything a queue can show, in its order, taken off it. */
async function drain(url: string) {
  const events: StoreEvent[] = [];
  for (;;) {
    const messages = await receive(sqs, url, 600);
    if (messages.length === 0) return events;
    for (const { Body = '' } of messages) {
      const decoded = decodeEvent(Body);
      if (decoded.kind === 'event') events.push(decoded.event as StoreEvent);
    }
  }
}

const orderLetter = (index: number): ParkedLetter => ({
  event: letterEvent({ id: String(index), deliveryId: `delivery-${index}` }),
  reason: letterReason(index % 3 === 0 ? { code: 'Order_InvalidTotal' } : {}),
});

describe('a replay of thousands', () => {
  it('sends exactly what matches and leaves the rest exactly as it was', async () => {
    const { urls, replay, letterIds } = await openQueues();
    const letters = Array.from({ length: MANY }, (_, index) => orderLetter(index));
    await parkLetters(sqs, urls.orders.deadLetterUrl, letters);

    const chosen = new Set(await letterIds({ code: 'Order_InvalidTotal' }));
    const tally = await replay({ letterIds: chosen });
    expect(tally).toMatchObject({ replayed: MANY / 3, found: MANY / 3 });
    const sent = await drain(urls.orders.url);
    expect(sent).toHaveLength(MANY / 3);
    expect(sent.every(({ id }) => Number(id) % 3 === 0)).toBe(true);
    expect(sent[0]?.replays).toEqual([{ at: '2026-10-10T00:00:00.000Z', by: 'ops@desk' }]);

    // At once: they were given back, not left to their time-out.
    const left = await drain(urls.orders.deadLetterUrl);
    expect(left).toHaveLength((MANY / 3) * 2);
    expect(left.some(({ replays }) => replays)).toBe(false);
  }, 180_000);

  it('keeps the order of the dead letters of one entity, and takes groups apart that SQS moved', async () => {
    const { urls, replay } = await openQueues();
    const letters = Array.from({ length: 300 }, (_, index): ParkedLetter => {
      const entity = String(index % 20);
      const crashed = index % 20 < 5;
      return {
        event: letterEvent({ id: entity, deliveryId: `${index}` }),
        reason: crashed ? undefined : letterReason(),
        ...(crashed && { group: `entity-${entity}` }),
      };
    });
    await parkLetters(sqs, urls.orders.deadLetterUrl, letters);
    // SQS shows the first of a group: the list of the next run has the second.
    let replayed = 0;
    for (let run = 0; run < 15; run += 1) replayed += (await replay()).replayed;
    expect(replayed).toBe(300);
    expect(await countMessages(sqs, urls.orders.deadLetterUrl)).toBe(0);

    const order = new Map<string, number[]>();
    // The emulator gives one message of a group at a time: the next only when that one is deleted.
    for (let round = 0; round < 15; round += 1) {
      for (const { id, deliveryId } of await takeHeads(urls.orders.url)) {
        order.set(id, [...(order.get(id) ?? []), Number(deliveryId)]);
      }
    }
    expect(order.size).toBe(20);
    for (const [id, deliveries] of order) {
      expect(deliveries, `entity ${id}`).toHaveLength(15);
      expect(deliveries, `entity ${id}`).toEqual(deliveries.toSorted((a, b) => a - b));
    }
  }, 120_000);

  it('stops when it has sent all, and when it is interrupted, without letting go of a dead letter', async () => {
    const { urls, replay, letterIds } = await openQueues();
    const letters = Array.from({ length: 100 }, (_, index) => orderLetter(index));
    await parkLetters(sqs, urls.orders.deadLetterUrl, letters);
    const some = new Set((await letterIds()).slice(0, 15));
    expect((await replay({ letterIds: some })).replayed).toBe(15);

    const interruption = new AbortController();
    let replayed = 0;
    const interrupted = await replay(
      {},
      {
        signal: interruption.signal,
        onReplayed: () => {
          replayed += 1;
          if (replayed === 7) interruption.abort();
        },
      },
    );
    expect(interrupted.replayed).toBeLessThan(85);
    const sent = await drain(urls.orders.url);
    const left = await drain(urls.orders.deadLetterUrl);
    expect(sent).toHaveLength(15 + interrupted.replayed);
    expect(new Set([...sent, ...left].map(({ id }) => id)).size).toBe(100);
    expect(sent.length + left.length).toBe(100);
  });

  it('does not send again what comes back while it runs, so it ends', async () => {
    const { urls, replay } = await openQueues();
    const letters = Array.from({ length: 20 }, (_, index) => orderLetter(index));
    await parkLetters(sqs, urls.orders.deadLetterUrl, letters);
    let isBack = false;
    const retire = async () => {
      if (isBack) return;
      isBack = true;
      await parkLetters(sqs, urls.orders.deadLetterUrl, [orderLetter(0)]);
    };
    expect(await replay({}, { retire })).toMatchObject({ replayed: 20, found: 20 });
    expect(await countMessages(sqs, urls.orders.deadLetterUrl)).toBe(1);
  });

  it('puts everything back when SQS stops taking messages', async () => {
    const { urls, replay } = await openQueues();
    const letters = Array.from({ length: 40 }, (_, index) => orderLetter(index));
    await parkLetters(sqs, urls.orders.deadLetterUrl, letters);
    const refusing = createSqsEventQueue(sqs, {
      orders: `${urls.orders.url}-gone`,
      products: '',
      coupons: '',
    });
    await expect(replay({}, { replayQueue: refusing })).rejects.toThrow();
    expect(await drain(urls.orders.deadLetterUrl)).toHaveLength(40);
  });
});

/** The first message of every group, deleted, so that the next one shows. */
async function takeHeads(url: string): Promise<readonly StoreEvent[]> {
  const events: StoreEvent[] = [];
  const handles: string[] = [];
  for (;;) {
    const messages = await receive(sqs, url, 600);
    if (messages.length === 0) break;
    for (const { Body = '', ReceiptHandle = '' } of messages) {
      const decoded = decodeEvent(Body);
      if (decoded.kind === 'event') events.push(decoded.event as StoreEvent);
      handles.push(ReceiptHandle);
    }
  }
  for (const ReceiptHandle of handles) {
    await sqs.send(new DeleteMessageCommand({ QueueUrl: url, ReceiptHandle }));
  }
  return events;
}
