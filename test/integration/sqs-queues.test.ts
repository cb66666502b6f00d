import {
  DeleteMessageCommand,
  ReceiveMessageCommand,
  type SendMessageBatchCommand,
  type SQS,
} from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createFifoQueue, createSqsClient } from '../../local/harness/sdk-clients.ts';
import { type Emulator, startSqs } from '../../local/stack/emulators.ts';
import {
  createSqsDeadLetters,
  createSqsEventQueue,
  createSqsQueueDepth,
  createSqsSourceQueue,
} from '../../shared/aws/sqs-queues.ts';
import { decodeEvent } from '../../shared/core/events/decode-event.ts';
import type { StoreEvent } from '../../shared/core/events/event.ts';
import { describeEventQueueContract } from '../contract/event-queue-contract.ts';
import { CLIENTS } from '../support/both-clients.ts';
import { countMessages, receive } from '../support/event-source.ts';

let emulator: Emulator;
let client: SQS;
let sets = 0;
const budget = { connectMs: 10_000, attemptMs: 10_000, attempts: 1 };

beforeAll(async () => {
  // The emulator runs in this process and reads the same clock.
  vi.useFakeTimers({ toFake: ['Date'] });
  emulator = await startSqs();
  client = createSqsClient({ budget, emulator });
});

afterAll(async () => {
  client.destroy();
  await emulator.stop();
  vi.useRealTimers();
});

for (const { name, sqs: connect } of CLIENTS) {
  describeEventQueueContract(`SQS over HTTP through ${name}`, async () => {
    const sqs = connect(budget, emulator.endpoint);
    sets += 1;
    const urls = {
      orders: await createFifoQueue(client, `orders-${sets}`),
      products: await createFifoQueue(client, `products-${sets}`),
      coupons: await createFifoQueue(client, `coupons-${sets}`),
      dead: await createFifoQueue(client, `dead-${sets}`),
    };
    return {
      events: createSqsEventQueue(sqs, urls),
      deadLetters: createSqsDeadLetters(sqs, urls.dead, 'orders'),
      source: createSqsSourceQueue(sqs, urls.orders),
      depth: createSqsQueueDepth(sqs, urls),
      async receive(from, { max = 10, visibilitySeconds } = {}) {
        const { Messages: messages = [] } = await client.send(
          new ReceiveMessageCommand({
            QueueUrl: urls[from],
            MaxNumberOfMessages: max,
            VisibilityTimeout: visibilitySeconds,
            MessageSystemAttributeNames: ['All'],
            MessageAttributeNames: ['All'],
          }),
        );
        return messages.map((message) => ({
          messageId: message.MessageId ?? '',
          receiptHandle: message.ReceiptHandle ?? '',
          body: message.Body ?? '',
          groupId: message.Attributes?.MessageGroupId ?? '',
          attempts: Number(message.Attributes?.ApproximateReceiveCount),
          sequenceNumber: message.Attributes?.SequenceNumber ?? '',
          attributes: Object.fromEntries(
            Object.entries(message.MessageAttributes ?? {}).map(([name, { StringValue }]) => [
              name,
              StringValue ?? '',
            ]),
          ),
        }));
      },
      async remove(from, { receiptHandle }) {
        await client.send(
          new DeleteMessageCommand({ QueueUrl: urls[from], ReceiptHandle: receiptHandle }),
        );
      },
      async pass(seconds) {
        vi.setSystemTime(Date.now() + seconds * 1000);
      },
    };
  });
}

let opened = 0;

async function openQueue() {
  opened += 1;
  const orders = await createFifoQueue(client, `feeder-orders-${opened}`);
  const products = await createFifoQueue(client, `feeder-products-${opened}`);
  const coupons = await createFifoQueue(client, `feeder-coupons-${opened}`);
  const urls = { orders, products, coupons };
  return {
    urls,
    queue: createSqsEventQueue(client, urls, { requestsAtOnce: 4, pause: async () => {} }),
  };
}

const event = (n: number, changes: Partial<StoreEvent> = {}): StoreEvent => ({
  shop: 'example.myshopify.com',
  kind: 'order',
  id: String(n),
  claim: 'changed',
  origin: 'backfill',
  topic: 'backfill/order',
  deliveryId: `backfill/test/1/order/${n}`,
  receivedAt: '2026-10-09T12:00:00.000Z',
  history: true,
  body: new TextEncoder().encode(JSON.stringify({ n })),
  ...changes,
});
const events = (count: number) => Array.from({ length: count }, (_, n) => event(n));

describe('many events sent at once', () => {
  it('holds every event, in the queue of its kind', async () => {
    const { queue, urls } = await openQueue();
    const product = event(100, { kind: 'product' });
    await queue.sendAll([...events(25), product]);
    expect(await countMessages(client, urls.orders)).toBe(25);
    const [message] = await receive(client, urls.products, 1);
    expect(decodeEvent(message?.Body ?? '')).toEqual({ kind: 'event', event: product });
  });

  it('takes the same events again without holding them twice', async () => {
    const { queue, urls } = await openQueue();
    await queue.sendAll(events(12));
    await queue.sendAll(events(15));
    expect(await countMessages(client, urls.orders)).toBe(15);
  });

  it('sends again what was not taken, and nothing else', async () => {
    const { queue, urls } = await openQueue();
    const sizes: number[] = [];
    let refuse = 1;
    client.middlewareStack.add(
      (next) => async (args) => {
        const { Entries: entries = [] } = args.input as SendMessageBatchCommand['input'];
        const answer = await next(args);
        sizes.push(entries.length);
        if (refuse-- > 0) {
          Object.assign(answer.output, {
            Failed: [{ Id: entries[3]?.Id, Code: 'InternalError', SenderFault: false }],
          });
        }
        return answer;
      },
      { step: 'initialize', name: 'refuse-one' },
    );
    await queue.sendAll(events(10));
    client.middlewareStack.remove('refuse-one');
    expect(sizes).toEqual([10, 1]);
    expect(await countMessages(client, urls.orders)).toBe(10);
  });

  it('rejects when the queue cannot be reached', async () => {
    const { queue } = await openQueue();
    const nowhere = createSqsEventQueue(client, {
      orders: `${emulator.endpoint}/000000000000/none.fifo`,
      products: '',
      coupons: '',
    });
    await expect(nowhere.sendAll(events(3))).rejects.toThrow();
    await queue.sendAll([]);
  });
});
