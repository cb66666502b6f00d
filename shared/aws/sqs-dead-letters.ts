import type { Message, MessageAttributeValue, SQS } from '@aws-sdk/client-sqs';
import type { DeadLetter, DeadLetters, LetterQueue } from '../core/batch/dead-letter.ts';
import { batchesOf } from '../core/batch/run-batch.ts';
import { letterIdOf, type QueueFamily } from '../core/events/event.ts';
import { escapeToAscii } from '../core/events/message-body.ts';
import {
  type DeadLetterReason,
  LETTER_REASONS,
  type LetterReason,
} from '../core/events/outcome.ts';
import type { SqsCalls } from './aws-calls.ts';

/**
 * Attributes count towards the 1 MiB of a message, of which an envelope leaves 48 KB. SQS refuses to
 * park a larger message of another sender; the queue's own redrive moves it in the end.
 */
const ATTRIBUTE_MAX_CHARS = 1_000;

export function createSqsDeadLetters(
  sqs: SqsCalls,
  queueUrl: string,
  family: QueueFamily,
): DeadLetters {
  return {
    family,

    async park(source, reason) {
      await sqs.sendMessage({
        QueueUrl: queueUrl,
        MessageBody: source.body,
        MessageDeduplicationId: letterIdOf(source),
        MessageGroupId: letterIdOf(source),
        MessageAttributes: attributesOf(reason),
      });
    },
  };
}

function attributesOf(reason: DeadLetterReason): Record<string, MessageAttributeValue> {
  const { attempts, ...texts } = reason;
  const attributes: Record<string, MessageAttributeValue> = {
    attempts: { DataType: 'Number', StringValue: String(attempts) },
  };
  for (const [name, text] of Object.entries(texts)) {
    const value = escapeToAscii(text).slice(0, ATTRIBUTE_MAX_CHARS);
    // SQS refuses an empty value.
    if (value !== '') attributes[name] = { DataType: 'String', StringValue: value };
  }
  return attributes;
}

/** SQS, for receiving, deleting and changing visibility. */
const MESSAGES_PER_CALL = 10;
/** Long polling queries all servers of SQS, so an empty answer means an empty queue. */
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
        const { Failed: failed = [] } = await client.changeMessageVisibilityBatch({
          QueueUrl: queueUrl,
          Entries: handles.map((ReceiptHandle, index) => ({
            Id: String(index),
            ReceiptHandle,
            VisibilityTimeout: 0,
          })),
        });
        // Called the sender's fault: letters whose time-out has passed. They are visible again anyway.
        const [unknown] = failed.filter(({ SenderFault: isOurs }) => !isOurs);
        if (unknown) throw new Error(`SQS did not give letters back: ${unknown.Code}`);
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

/** A message that SQS moved after `maxReceiveCount` has no reason attribute. */
const CRASHED = {
  reason: 'crashed',
  why: 'the worker crashed every time, until SQS moved the message here',
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
  const messageId = message.MessageId ?? '';
  // Only a parked letter has a group of its own.
  const isParked = text('reason') !== undefined;
  return {
    family,
    letterId: (isParked ? facts.MessageGroupId : undefined) ?? messageId,
    messageId,
    receiptHandle: message.ReceiptHandle ?? '',
    body: message.Body ?? '',
    sequenceNumber: facts.SequenceNumber ?? '0',
    ...reasonOf(text('reason'), text('why') ?? ''),
    code: text('code'),
    attempts: Number.isFinite(attempts) ? attempts : undefined,
    at: Number.isFinite(parkedAt) ? parkedAt : Number(facts.SentTimestamp ?? 0),
  };
}
