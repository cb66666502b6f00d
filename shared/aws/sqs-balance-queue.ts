import { encodeBalance } from '../core/balances/balance-envelope.ts';
import type { BalanceQueue } from '../core/balances/balance-event.ts';
import { deduplicationIdOf, groupIdOf } from '../core/events/message-ids.ts';
import type { SqsCalls } from './aws-calls.ts';

/** Its own queue: a burst of points must not delay an order, nor an order's failure a balance. */
export function createSqsBalanceQueue(sqs: SqsCalls, queueUrl: string): BalanceQueue {
  return {
    async send(event) {
      await sqs.sendMessage({
        QueueUrl: queueUrl,
        MessageBody: encodeBalance(event),
        MessageGroupId: groupIdOf(event),
        MessageDeduplicationId: deduplicationIdOf(event),
      });
    },
  };
}
