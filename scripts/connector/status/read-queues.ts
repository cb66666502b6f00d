import { GetQueueAttributesCommand, type SQSClient } from '@aws-sdk/client-sqs';
import type { Deployment } from '../deployment/deployment.ts';
import { QUEUE_OUTPUTS } from '../deployment/queue-outputs.ts';
import { deployedFamilies } from './figures.ts';
import type { QueueStatus } from './status-model.ts';

/** How old the oldest message of each of these queues is, in seconds. */
export type ReadAges = (queueNames: readonly string[]) => Promise<readonly (number | undefined)[]>;

export async function readQueues(
  client: SQSClient,
  { output, connector }: Pick<Deployment, 'output' | 'connector'>,
  readAges: ReadAges,
): Promise<readonly QueueStatus[]> {
  const families = deployedFamilies(connector);
  const urls = families.map((family) => output(QUEUE_OUTPUTS[family].queue));
  // Depths are useful without ages, but not the reverse.
  const ages = readAges(urls.map(nameOf)).catch(() => []);
  const counts = await Promise.all(
    families.map(async (family, index) => ({
      family,
      source: await count(client, urls[index] ?? ''),
      dead: await count(client, output(QUEUE_OUTPUTS[family].letters)),
    })),
  );
  const known = await ages;
  return counts.map(({ family, source, dead }, index) => ({
    family,
    waiting: source.waiting,
    inFlight: source.inFlight,
    dead: dead.waiting + dead.inFlight,
    oldestSeconds: source.waiting + source.inFlight === 0 ? 0 : known[index],
  }));
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

const nameOf = (queueUrl: string) => queueUrl.slice(queueUrl.lastIndexOf('/') + 1);
