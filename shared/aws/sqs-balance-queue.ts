import { SendMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { encodeBalance } from '../sync/balances/balance-envelope.ts';
import type { BalanceQueue } from '../sync/balances/balance-event.ts';
import { deduplicationIdOf, groupIdOf } from '../sync/message-ids.ts';

/** Its own queue: a burst of points must not delay an order, nor an order's failure a balance. */
export function createSqsBalanceQueue(client: SQSClient, queueUrl: string): BalanceQueue {
  return {
    async send(event) {
      await client.send(
        new SendMessageCommand({
          QueueUrl: queueUrl,
          MessageBody: encodeBalance(event),
          MessageGroupId: groupIdOf(event),
          MessageDeduplicationId: deduplicationIdOf(event),
        }),
      );
    },
  };
}
