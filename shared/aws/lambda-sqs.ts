import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import type { ReceivedMessage } from '../core/events/queues.ts';

export function toMessages(event: SQSEvent): readonly ReceivedMessage[] {
  return event.Records.map(({ messageId, receiptHandle, body, attributes }) => ({
    messageId,
    receiptHandle,
    body,
    // Always there on a FIFO queue; on its own otherwise.
    groupId: attributes.MessageGroupId ?? messageId,
    attempts: Number(attributes.ApproximateReceiveCount),
    sequenceNumber: attributes.SequenceNumber ?? '0',
  }));
}

/** What is not listed here is deleted from the queue. */
export function toBatchResponse(left: readonly string[]): SQSBatchResponse {
  return { batchItemFailures: left.map((itemIdentifier) => ({ itemIdentifier })) };
}
