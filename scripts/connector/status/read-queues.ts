import { GetQueueAttributesCommand, type SQSClient } from '@aws-sdk/client-sqs';
import type { Connector } from '../../../shared/config/connector-config.ts';
import type { QueueFamily } from '../../../shared/core/events/event.ts';
import type { Deployment } from '../deployment/deployment.ts';
import { QUEUE_OUTPUTS } from '../deployment/queue-outputs.ts';
import type { Known, QueueStatus } from './status-model.ts';

const FAMILIES: readonly QueueFamily[] = ['orders', 'products', 'coupons'];

/** The queues of a deployment: balances only where the storefront is deployed. */
export function deployedFamilies({
  storefront,
}: Pick<Connector, 'storefront'>): readonly QueueFamily[] {
  return storefront ? [...FAMILIES, 'balances'] : FAMILIES;
}

export type QueueCounts = Omit<QueueStatus, 'oldestSeconds' | 'oldestWhy'>;

export async function readQueues(
  client: SQSClient,
  { output, connector }: Pick<Deployment, 'output' | 'connector'>,
): Promise<readonly QueueCounts[]> {
  return Promise.all(
    deployedFamilies(connector).map(async (family) => {
      const [source, dead] = await Promise.all([
        count(client, output(QUEUE_OUTPUTS[family].queue)),
        count(client, output(QUEUE_OUTPUTS[family].letters)),
      ]);
      return { family, ...source, dead: dead.waiting + dead.inFlight };
    }),
  );
}

/** Seconds that the oldest message of each queue has waited; undefined: there is no recent value. */
export type Ages = Readonly<Partial<Record<QueueFamily, number | undefined>>>;

/** Counts are useful without ages, but not the reverse. */
export function withAges(counts: readonly QueueCounts[], ages: Known<Ages>): QueueStatus[] {
  return counts.map((queue) => {
    if (queue.waiting + queue.inFlight === 0) return { ...queue, oldestSeconds: 0 };
    return ages.kind === 'known'
      ? { ...queue, oldestSeconds: ages.value[queue.family] }
      : { ...queue, oldestSeconds: undefined, oldestWhy: ages.why };
  });
}

async function count(client: SQSClient, queueUrl: string) {
  const { Attributes: found = {} } = await client.send(
    new GetQueueAttributesCommand({
      QueueUrl: queueUrl,
      AttributeNames: [
        'ApproximateNumberOfMessages',
        'ApproximateNumberOfMessagesDelayed',
        'ApproximateNumberOfMessagesNotVisible',
      ],
    }),
  );
  const number = (text: string | undefined) => Number(text ?? 0);
  return {
    waiting:
      number(found.ApproximateNumberOfMessages) + number(found.ApproximateNumberOfMessagesDelayed),
    inFlight: number(found.ApproximateNumberOfMessagesNotVisible),
  };
}
