import {
  GetQueueAttributesCommand,
  SendMessageBatchCommand,
  type SendMessageBatchRequestEntry,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import type { ReplayedEvent, ReplayQueue } from '../core/events/dead-letter.ts';
import { encodeEvent } from '../core/events/encode-event.ts';
import { groupIdOf } from '../core/events/message-ids.ts';
import { queueFamilyOf } from '../core/events/queue-family.ts';
import type { QueueUrls } from './sqs-event-queue.ts';

/** SQS, SendMessageBatch: 1 MiB in all; an envelope is ASCII, so characters are bytes. */
const BATCH_MAX_CHARS = 1_000_000;

export function createSqsReplayQueue(client: SQSClient, urls: QueueUrls): ReplayQueue {
  return {
    async send(events) {
      const held = new Set<string>();
      const byQueue = Map.groupBy(events, ({ event }) => urls[queueFamilyOf(event.kind)]);
      for (const [queueUrl, some] of byQueue) {
        for (const entries of batchesOf(some)) {
          // The SDK compares the checksums of what SQS holds.
          const { Successful: successful = [] } = await client.send(
            new SendMessageBatchCommand({ QueueUrl: queueUrl, Entries: [...entries] }),
          );
          for (const { Id: id } of successful) {
            const name = entries.find((entry) => entry.Id === id)?.MessageDeduplicationId;
            if (name !== undefined) held.add(name);
          }
        }
      }
      return held;
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

/** As many in a call as its size allows. */
function batchesOf(events: readonly ReplayedEvent[]): readonly SendMessageBatchRequestEntry[][] {
  const batches: SendMessageBatchRequestEntry[][] = [[]];
  let chars = 0;
  for (const [index, { event, name }] of events.entries()) {
    const MessageBody = encodeEvent(event);
    chars += MessageBody.length;
    if (chars > BATCH_MAX_CHARS && batches.at(-1)?.length !== 0) {
      batches.push([]);
      chars = MessageBody.length;
    }
    batches.at(-1)?.push({
      Id: String(index),
      MessageBody,
      MessageGroupId: groupIdOf(event),
      MessageDeduplicationId: name,
    });
  }
  return batches;
}
