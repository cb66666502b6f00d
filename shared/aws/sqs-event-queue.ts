import { encodeEvent } from '../core/events/encode-event.ts';
import { deduplicationIdOf, groupIdOf } from '../core/events/message-ids.ts';
import { type QueueFamily, queueFamilyOf } from '../core/events/queue-family.ts';
import type { EventQueue } from '../core/events/store-event.ts';
import type { SqsCalls } from './aws-calls.ts';

export type QueueUrls = Readonly<Record<QueueFamily, string>>;

/** Rejects when SQS did not take the event: the checksum of what SQS holds is compared. */
export function createSqsEventQueue(sqs: SqsCalls, urls: QueueUrls): EventQueue {
  return {
    async send(event) {
      await sqs.sendMessage({
        QueueUrl: urls[queueFamilyOf(event.kind)],
        MessageBody: encodeEvent(event),
        MessageGroupId: groupIdOf(event),
        MessageDeduplicationId: deduplicationIdOf(event),
      });
    },
  };
}
