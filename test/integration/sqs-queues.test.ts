import { DeleteMessageCommand, ReceiveMessageCommand, type SQS } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, vi } from 'vitest';
import { createFifoQueue, createSqsClient } from '../../local/harness/sdk-clients.ts';
import { type Emulator, startSqs } from '../../local/stack/emulators.ts';
import { createSqsDeadLetters } from '../../shared/aws/sqs-dead-letters.ts';
import { createSqsEventQueue, createSqsQueueDepth } from '../../shared/aws/sqs-event-queue.ts';
import { createSqsSourceQueue } from '../../shared/aws/sqs-source-queue.ts';
import { describeEventQueueContract } from '../contract/event-queue-contract.ts';
import { CLIENTS } from '../support/both-clients.ts';

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
  describeEventQueueContract(`SQS (fauxqs over HTTP) through ${name}`, async () => {
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
      deadLetters: createSqsDeadLetters(sqs, urls.dead),
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
