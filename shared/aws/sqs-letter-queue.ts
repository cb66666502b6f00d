import {
  ChangeMessageVisibilityBatchCommand,
  DeleteMessageBatchCommand,
  GetQueueAttributesCommand,
  type Message,
  ReceiveMessageCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import type { DeadLetter, LetterQueue } from '../core/events/dead-letter.ts';
import type { AnyQueueFamily } from '../core/events/queue-family.ts';

/** SQS, for receiving, deleting and changing visibility. */
const MESSAGES_PER_CALL = 10;
/** Long polling asks all of SQS's servers, so an empty answer means an empty queue. */
const WAIT_SECONDS = 1;

export function createSqsLetterQueue(
  client: SQSClient,
  queueUrl: string,
  family: AnyQueueFamily,
): LetterQueue {
  return {
    family,

    async receive(hiddenSeconds) {
      const { Messages: messages = [] } = await client.send(
        new ReceiveMessageCommand({
          QueueUrl: queueUrl,
          MaxNumberOfMessages: MESSAGES_PER_CALL,
          VisibilityTimeout: hiddenSeconds,
          WaitTimeSeconds: WAIT_SECONDS,
          MessageSystemAttributeNames: ['All'],
          MessageAttributeNames: ['All'],
        }),
      );
      return messages.map((message) => toLetter(message, family));
    },

    async giveBack(receiptHandles) {
      for (const handles of chunksOf(receiptHandles)) {
        // Entries that fail are of letters whose time was over: those are back already.
        await client.send(
          new ChangeMessageVisibilityBatchCommand({
            QueueUrl: queueUrl,
            Entries: handles.map((ReceiptHandle, index) => ({
              Id: String(index),
              ReceiptHandle,
              VisibilityTimeout: 0,
            })),
          }),
        );
      }
    },

    async remove(receiptHandles) {
      for (const handles of chunksOf(receiptHandles)) {
        const { Failed: failed = [] } = await client.send(
          new DeleteMessageBatchCommand({
            QueueUrl: queueUrl,
            Entries: handles.map((ReceiptHandle, index) => ({ Id: String(index), ReceiptHandle })),
          }),
        );
        if (failed.length === 0) continue;
        throw new Error(`SQS did not remove ${failed.length} letters: ${failed[0]?.Code}`);
      }
    },

    async counts() {
      const { Attributes: counts = {} } = await client.send(
        new GetQueueAttributesCommand({ QueueUrl: queueUrl, AttributeNames: ['All'] }),
      );
      return {
        visible: Number(counts.ApproximateNumberOfMessages ?? 0),
        inFlight: Number(counts.ApproximateNumberOfMessagesNotVisible ?? 0),
        retentionSeconds: Number(counts.MessageRetentionPeriod ?? 0),
      };
    },
  };
}

function chunksOf(handles: readonly string[]): readonly (readonly string[])[] {
  return Array.from({ length: Math.ceil(handles.length / MESSAGES_PER_CALL) }, (_, index) =>
    handles.slice(index * MESSAGES_PER_CALL, (index + 1) * MESSAGES_PER_CALL),
  );
}

/** What SQS moves by itself, after `maxReceiveCount`, has no word on why. */
const CRASHED = {
  reason: 'crashed',
  why: 'the worker died on it every time, until SQS moved it here by itself',
};

function toLetter(message: Message, family: AnyQueueFamily): DeadLetter {
  const { Attributes: facts = {}, MessageAttributes: attributes = {} } = message;
  const text = (name: string) => attributes[name]?.StringValue;
  const reason = text('reason');
  const parkedAt = Date.parse(text('at') ?? '');
  const attempts = Number(text('attempts'));
  return {
    family,
    messageId: message.MessageId ?? '',
    receiptHandle: message.ReceiptHandle ?? '',
    body: message.Body ?? '',
    sequenceNumber: facts.SequenceNumber ?? '0',
    ...(reason === undefined ? CRASHED : { reason, why: text('why') ?? '' }),
    code: text('code'),
    attempts: Number.isFinite(attempts) ? attempts : undefined,
    at: Number.isFinite(parkedAt) ? parkedAt : Number(facts.SentTimestamp ?? 0),
  };
}
