import { SendMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { encodeEvent } from '../sync/encode-event.ts';
import { deduplicationIdOf, groupIdOf } from '../sync/message-ids.ts';
import { type QueueFamily, queueFamilyOf } from '../sync/queue-family.ts';
import type { EventQueue } from '../sync/store-event.ts';

export type QueueUrls = Readonly<Record<QueueFamily, string>>;

/** Rejects when SQS did not take the event: the SDK compares the checksum of what SQS holds. */
export function createSqsEventQueue(client: SQSClient, urls: QueueUrls): EventQueue {
  return {
    async send(event) {
      await client.send(
        new SendMessageCommand({
          QueueUrl: urls[queueFamilyOf(event.kind)],
          MessageBody: encodeEvent(event),
          MessageGroupId: groupIdOf(event),
          MessageDeduplicationId: deduplicationIdOf(event),
        }),
      );
    },
  };
}
