import { batchesOf } from '../core/batch/in-batches.ts';
import type { ReceivedMessage, SourceQueue } from '../core/events/queues.ts';
import type { SqsCalls } from './aws-calls.ts';

/** SQS, ChangeMessageVisibilityBatch. */
const MESSAGES_PER_CALL = 10;

/**
 * SQS allows 12 hours, counted from the receipt and not from now, and refuses more. A function may have
 * held the message for up to 15 minutes.
 */
const MAX_DELAY_SECONDS = 12 * 60 * 60 - 15 * 60;

export function createSqsSourceQueue(sqs: SqsCalls, queueUrl: string): SourceQueue {
  return {
    async delay(messages, afterSeconds) {
      const seconds = Math.min(Math.max(Math.ceil(afterSeconds), 0), MAX_DELAY_SECONDS);
      const calls = batchesOf(messages, MESSAGES_PER_CALL).map((chunk) =>
        delayChunk(sqs, queueUrl, chunk, seconds),
      );
      // All calls end before an error is thrown, so that one failure does not affect other messages.
      const faults = (await Promise.allSettled(calls)).filter((call) => call.status === 'rejected');
      if (faults.length > 0) {
        throw new AggregateError(
          faults.map((fault) => fault.reason),
          'some messages keep their old visibility',
        );
      }
    },
  };
}

async function delayChunk(
  sqs: SqsCalls,
  queueUrl: string,
  messages: readonly ReceivedMessage[],
  seconds: number,
): Promise<void> {
  const { Failed: failed = [] } = await sqs.changeMessageVisibilityBatch({
    QueueUrl: queueUrl,
    Entries: messages.map(({ receiptHandle }, index) => ({
      Id: String(index),
      ReceiptHandle: receiptHandle,
      VisibilityTimeout: seconds,
    })),
  });
  if (failed.length === 0) return;
  const codes = [...new Set(failed.map(({ Code }) => Code))].join(', ');
  throw new Error(`SQS left the visibility of ${failed.length} messages as it was: ${codes}`);
}
