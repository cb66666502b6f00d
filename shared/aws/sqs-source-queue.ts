import { batchesOf } from '../core/batch/run-batch.ts';
import type { ReceivedMessage, SourceQueue } from '../core/events/event.ts';
import type { SqsCalls } from './aws-calls.ts';

/** SQS, ChangeMessageVisibilityBatch. */
const MESSAGES_PER_CALL = 10;

/**
 * SQS allows 12 hours, counted from the receipt and not from now, and refuses more. A function may have
 * held the message for up to 15 minutes.
 */
const MAX_DELAY_SECONDS = 12 * 60 * 60 - 15 * 60;

/**
 * SQS hands out no more than 120,000 messages of a FIFO queue before some are deleted, and looks no further
 * than that for a group that is free ("Avoid large message backlogs with the same message group ID").
 */
const MOST_HIDDEN = 100_000;
/** The number that SQS gives is an estimate, which settles within a minute. */
const ESTIMATE_MS = 60_000;

export function createSqsSourceQueue(sqs: SqsCalls, queueUrl: string): SourceQueue {
  let askedAt = Number.NEGATIVE_INFINITY;
  let hidden: Promise<number> = Promise.resolve(0);

  async function readHidden(): Promise<number> {
    const name = 'ApproximateNumberOfMessagesNotVisible';
    // Without an answer nothing is given up.
    const answer = await sqs
      .getQueueAttributes({ QueueUrl: queueUrl, AttributeNames: [name] })
      .catch(() => undefined);
    return Number(answer?.Attributes?.[name] ?? 0);
  }

  return {
    async isCrowded() {
      if (Date.now() - askedAt >= ESTIMATE_MS) {
        askedAt = Date.now();
        hidden = readHidden();
      }
      return (await hidden) >= MOST_HIDDEN;
    },

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
