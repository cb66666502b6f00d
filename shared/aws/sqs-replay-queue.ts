import { GetQueueAttributesCommand, SendMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import type { ReplayQueue } from '../sync/dead-letter.ts';
import { encodeEvent } from '../sync/encode-event.ts';
import { groupIdOf } from '../sync/message-ids.ts';
import { queueFamilyOf } from '../sync/queue-family.ts';
import type { QueueUrls } from './sqs-event-queue.ts';

/** Rejects when SQS did not take the event: the SDK compares the checksum of what SQS holds. */
export function createSqsReplayQueue(client: SQSClient, urls: QueueUrls): ReplayQueue {
  return {
    async send(event, name) {
      await client.send(
        new SendMessageCommand({
          QueueUrl: urls[queueFamilyOf(event.kind)],
          MessageBody: encodeEvent(event),
          MessageGroupId: groupIdOf(event),
          MessageDeduplicationId: name,
        }),
      );
    },

    async depth(family) {
      const { Attributes: counts = {} } = await client.send(
        new GetQueueAttributesCommand({ QueueUrl: urls[family], AttributeNames: ['All'] }),
      );
      const parts = [
        counts.ApproximateNumberOfMessages,
        counts.ApproximateNumberOfMessagesNotVisible,
        counts.ApproximateNumberOfMessagesDelayed,
      ];
      return parts.reduce((sum, part) => sum + Number(part ?? 0), 0);
    },
  };
}
