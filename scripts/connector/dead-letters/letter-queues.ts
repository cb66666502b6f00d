import { SQSClient } from '@aws-sdk/client-sqs';
import { createSqsLetterQueue } from '../../../shared/aws/sqs-letter-queue.ts';
import { createSqsReplayQueue } from '../../../shared/aws/sqs-replay-queue.ts';
import type { LetterQueue, ReplayQueue } from '../../../shared/core/events/dead-letter.ts';
import type { AnyQueueFamily } from '../../../shared/core/events/queue-family.ts';
import type { Deployment } from '../deployment/deployment.ts';

const OUTPUTS = {
  orders: { queue: 'OrdersQueueUrl', letters: 'OrdersDeadLetterQueueUrl' },
  products: { queue: 'ProductsQueueUrl', letters: 'ProductsDeadLetterQueueUrl' },
  coupons: { queue: 'CouponsQueueUrl', letters: 'CouponsDeadLetterQueueUrl' },
  balances: { queue: 'BalancesQueueUrl', letters: 'BalancesDeadLetterQueueUrl' },
} as const;

export function openLetterQueues(
  deployment: Deployment,
  families: readonly AnyQueueFamily[],
): readonly LetterQueue[] {
  const client = new SQSClient(deployment.aws);
  return families.map((family) =>
    createSqsLetterQueue(client, deployment.output(OUTPUTS[family].letters), family),
  );
}

export function openReplayQueue(deployment: Deployment): ReplayQueue {
  return createSqsReplayQueue(new SQSClient(deployment.aws), {
    orders: deployment.output(OUTPUTS.orders.queue),
    products: deployment.output(OUTPUTS.products.queue),
    coupons: deployment.output(OUTPUTS.coupons.queue),
  });
}
