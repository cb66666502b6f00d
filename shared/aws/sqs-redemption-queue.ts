import { deduplicationIdOf } from '../core/events/message-ids.ts';
import { encodeRedemption } from '../core/redeem/redemption-envelope.ts';
import { type RedemptionQueue, redemptionGroupOf } from '../core/redeem/redemption-event.ts';
import type { SqsCalls } from './aws-calls.ts';

/** On the queue of balances, whose worker makes the codes. */
export function createSqsRedemptionQueue(sqs: SqsCalls, queueUrl: string): RedemptionQueue {
  return {
    async send(event) {
      await sqs.sendMessage({
        QueueUrl: queueUrl,
        MessageBody: encodeRedemption(event),
        MessageGroupId: redemptionGroupOf(event),
        MessageDeduplicationId: deduplicationIdOf(event),
      });
    },
  };
}
