import type { Message, SQS } from '@aws-sdk/client-sqs';
import { batchesOf } from '../core/batch/in-batches.ts';
import {
  type DeadLetter,
  LETTER_REASONS,
  type LetterQueue,
  type LetterReason,
} from '../core/events/dead-letter.ts';
import type { QueueFamily } from '../core/events/event.ts';

/** SQS, for receiving, deleting and changing visibility. */
const MESSAGES_PER_CALL = 10;
/** Long polling asks all of SQS's servers, so an empty answer means an empty queue. */
const WAIT_SECONDS = 1;

export function createSqsLetterQueue(
  client: Pick<
    SQS,
    'receiveMessage' | 'changeMessageVisibilityBatch' | 'deleteMessageBatch' | 'getQueueAttributes'
  >,
  queueUrl: string,
  family: QueueFamily,
): LetterQueue {
  return {
    family,

    async receive(hiddenSeconds) {
      const { Messages: messages = [] } = await client.receiveMessage({
        QueueUrl: queueUrl,
        MaxNumberOfMessages: MESSAGES_PER_CALL,
        VisibilityTimeout: hiddenSeconds,
        WaitTimeSeconds: WAIT_SECONDS,
        MessageSystemAttributeNames: ['All'],
        MessageAttributeNames: ['All'],
      });
      return messages.map((message) => toLetter(message, family));
    },

    async giveBack(receiptHandles) {
      for (const handles of batchesOf(receiptHandles, MESSAGES_PER_CALL)) {
        // Entries that fail are of letters whose time was over: those are back already.
        await client.changeMessageVisibilityBatch({
          QueueUrl: queueUrl,
          Entries: handles.map((ReceiptHandle, index) => ({
            Id: String(index),
            ReceiptHandle,
            VisibilityTimeout: 0,
          })),
        });
      }
    },

    async remove(receiptHandles) {
      for (const handles of batchesOf(receiptHandles, MESSAGES_PER_CALL)) {
        const { Failed: failed = [] } = await client.deleteMessageBatch({
          QueueUrl: queueUrl,
          Entries: handles.map((ReceiptHandle, index) => ({ Id: String(index), ReceiptHandle })),
        });
        if (failed.length === 0) continue;
        throw new Error(`SQS did not remove ${failed.length} letters: ${failed[0]?.Code}`);
      }
    },

    async counts() {
      const { Attributes: counts = {} } = await client.getQueueAttributes({
        QueueUrl: queueUrl,
        AttributeNames: ['All'],
      });
      return {
        visible: Number(counts.ApproximateNumberOfMessages ?? 0),
        inFlight: Number(counts.ApproximateNumberOfMessagesNotVisible ?? 0),
        retentionSeconds: Number(counts.MessageRetentionPeriod ?? 0),
      };
    },
  };
}

/** What SQS moves by itself, after `maxReceiveCount`, has no word on why. */
const CRASHED = {
  reason: 'crashed',
  why: 'the worker died on it every time, until SQS moved it here by itself',
} as const;

function reasonOf(
  written: string | undefined,
  why: string,
): { readonly reason: LetterReason; readonly why: string } {
  if (written === undefined) return CRASHED;
  const reason = LETTER_REASONS.find((one) => one === written);
  return reason ? { reason, why } : { reason: 'unknown', why: `${written}: ${why}` };
}

function toLetter(message: Message, family: QueueFamily): DeadLetter {
  const { Attributes: facts = {}, MessageAttributes: attributes = {} } = message;
  const text = (name: string) => attributes[name]?.StringValue;
  const parkedAt = Date.parse(text('at') ?? '');
  const attempts = Number(text('attempts'));
  return {
    family,
    messageId: message.MessageId ?? '',
    receiptHandle: message.ReceiptHandle ?? '',
    body: message.Body ?? '',
    sequenceNumber: facts.SequenceNumber ?? '0',
    ...reasonOf(text('reason'), text('why') ?? ''),
    code: text('code'),
    attempts: Number.isFinite(attempts) ? attempts : undefined,
    at: Number.isFinite(parkedAt) ? parkedAt : Number(facts.SentTimestamp ?? 0),
  };
}
