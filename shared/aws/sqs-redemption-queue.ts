import { SendMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { deduplicationIdOf, groupIdOf } from '../sync/message-ids.ts';
import { encodeRedemption } from '../sync/redeem/redemption-envelope.ts';
import type { RedemptionQueue } from '../sync/redeem/redemption-event.ts';

/** On the queue of balances, whose worker makes the codes. */
export function createSqsRedemptionQueue(client: SQSClient, queueUrl: string): RedemptionQueue {
  return {
    async send(event) {
      await client.send(
        new SendMessageCommand({
          QueueUrl: queueUrl,
          MessageBody: encodeRedemption(event),
          MessageGroupId: groupIdOf(event),
          MessageDeduplicationId: deduplicationIdOf(event),
        }),
      );
    },
  };
}
