import { SQS } from '@aws-sdk/client-sqs';
import { createSqsLetterQueue } from '../../../shared/aws/sqs-dead-letters.ts';
import { createSqsEventQueue, createSqsQueueDepth } from '../../../shared/aws/sqs-event-queue.ts';
import type { LetterQueue } from '../../../shared/core/batch/dead-letter.ts';
import type { BulkQueue, QueueDepth, QueueFamily } from '../../../shared/core/events/event.ts';
import type { Deployment } from '../deployment/deployment.ts';
import { QUEUE_OUTPUTS } from '../deployment/queue-outputs.ts';

export function openLetterQueues(
  deployment: Deployment,
  families: readonly QueueFamily[],
): readonly LetterQueue[] {
  const client = new SQS(deployment.aws);
  return families.map((family) =>
    createSqsLetterQueue(client, deployment.output(QUEUE_OUTPUTS[family].letters), family),
  );
}

/** The queues that letters go back to. */
export function openSourceQueues(
  deployment: Deployment,
  families: readonly QueueFamily[],
): { readonly queue: BulkQueue; readonly depth: QueueDepth } {
  const sqs = new SQS(deployment.aws);
  const urls = Object.fromEntries(
    families.map((family) => [family, deployment.output(QUEUE_OUTPUTS[family].queue)]),
  );
  return { queue: createSqsEventQueue(sqs, urls), depth: createSqsQueueDepth(sqs, urls) };
}
