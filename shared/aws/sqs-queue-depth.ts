import type { QueueDepth } from '../core/events/queue-depth.ts';
import type { SqsCalls } from './aws-calls.ts';
import type { QueueUrls } from './sqs-event-queue.ts';

/** SQS counts about a minute behind; nothing is decided by it but the pace. */
export function createSqsQueueDepth(sqs: SqsCalls, urls: QueueUrls): QueueDepth {
  return {
    async of(family) {
      const { Attributes: counts = {} } = await sqs.getQueueAttributes({
        QueueUrl: urls[family],
        AttributeNames: [
          'ApproximateNumberOfMessages',
          'ApproximateNumberOfMessagesNotVisible',
          'ApproximateNumberOfMessagesDelayed',
        ],
      });
      const count = (name: keyof typeof counts) => Number(counts[name] ?? 0);
      return {
        ready: count('ApproximateNumberOfMessages'),
        hidden:
          count('ApproximateNumberOfMessagesNotVisible') +
          count('ApproximateNumberOfMessagesDelayed'),
      };
    },
  };
}
