import {
  ChangeMessageVisibilityCommand,
  DeleteMessageCommand,
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
  SetQueueAttributesCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, vi } from 'vitest';
import { createFifoQueue } from '../../local/harness/sdk-clients.ts';
import { type Emulator, startSqs } from '../../local/stack/emulators.ts';
import { describeFifoQueueContract } from '../contract/fifo-queue-contract.ts';

let emulator: Emulator;
let client: SQSClient;
let sets = 0;

beforeAll(async () => {
  // The emulator runs in this process and reads the same clock.
  vi.useFakeTimers({ toFake: ['Date'] });
  emulator = await startSqs();
  client = new SQSClient({
    endpoint: emulator.endpoint,
    region: 'us-east-1',
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
  });
});

afterAll(async () => {
  client.destroy();
  await emulator.stop();
  vi.useRealTimers();
});

describeFifoQueueContract('SQS over HTTP', 'first', async () => {
  sets += 1;
  const QueueUrl = await createFifoQueue(client, `raw-${sets}`);
  const deadUrl = await createFifoQueue(client, `raw-dead-${sets}`);
  const { Attributes: dead } = await client.send(
    new GetQueueAttributesCommand({ QueueUrl: deadUrl, AttributeNames: ['QueueArn'] }),
  );
  const redrive = { deadLetterTargetArn: dead?.QueueArn, maxReceiveCount: 2 };
  await client.send(
    new SetQueueAttributesCommand({
      QueueUrl,
      Attributes: { RedrivePolicy: JSON.stringify(redrive) },
    }),
  );

  async function receive(url: string, max = 10, visibilitySeconds?: number) {
    const { Messages: messages = [] } = await client.send(
      new ReceiveMessageCommand({
        QueueUrl: url,
        MaxNumberOfMessages: max,
        VisibilityTimeout: visibilitySeconds,
        MessageSystemAttributeNames: ['All'],
      }),
    );
    return messages.map((message) => ({
      messageId: message.MessageId ?? '',
      receiptHandle: message.ReceiptHandle ?? '',
      body: message.Body ?? '',
      attempts: Number(message.Attributes?.ApproximateReceiveCount),
    }));
  }
  return {
    async send(groupId, body, deduplicationId = body) {
      await client.send(
        new SendMessageCommand({
          QueueUrl,
          MessageBody: body,
          MessageGroupId: groupId,
          MessageDeduplicationId: deduplicationId,
        }),
      );
    },
    receive: ({ max, visibilitySeconds } = {}) => receive(QueueUrl, max, visibilitySeconds),
    async remove({ receiptHandle }) {
      await client.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle: receiptHandle }));
    },
    async hide({ receiptHandle }, seconds) {
      await client.send(
        new ChangeMessageVisibilityCommand({
          QueueUrl,
          ReceiptHandle: receiptHandle,
          VisibilityTimeout: seconds,
        }),
      );
    },
    receiveDead: () => receive(deadUrl),
    async pass(seconds) {
      vi.setSystemTime(Date.now() + seconds * 1000);
    },
  };
});
