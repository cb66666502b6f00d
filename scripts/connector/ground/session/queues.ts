import { SQS } from '@aws-sdk/client-sqs';
import { createSqsEventQueue, createSqsQueueDepth } from '../../../../shared/aws/sqs-queues.ts';
import type { Connector } from '../../../../shared/config/connector-config.ts';
import type { BulkQueue, QueueDepth, QueueFamily } from '../../../../shared/core/events/event.ts';
import { type Deployment, QUEUE_OUTPUTS } from './deployment.ts';

/** The queues of a deployment: balances only where the storefront is deployed. */
export function familiesOf({ storefront }: Pick<Connector, 'storefront'>): readonly QueueFamily[] {
  return storefront ? [...STORE_QUEUES, 'balances'] : STORE_QUEUES;
}

export interface QueueCounts {
  readonly family: QueueFamily;
  readonly waiting: number;
  /** Being processed, or waiting for the next attempt: SQS does not distinguish them. */
  readonly inFlight: number;
  readonly dead: number;
}

export const messagesIn = (queues: readonly QueueCounts[]): number =>
  queues.reduce((sum, { waiting, inFlight }) => sum + waiting + inFlight, 0);

export async function readQueues({
  aws,
  output,
  connector,
}: Pick<Deployment, 'aws' | 'output' | 'connector'>): Promise<readonly QueueCounts[]> {
  const sqs = new SQS(aws);
  const families = familiesOf(connector);
  const depthOf = (which: 'queue' | 'letters') => {
    const urls = families.map((family) => [family, output(QUEUE_OUTPUTS[family][which])]);
    return createSqsQueueDepth(sqs, Object.fromEntries(urls));
  };
  const [sources, letters] = [depthOf('queue'), depthOf('letters')];
  return Promise.all(
    families.map(async (family) => {
      const [source, dead] = await Promise.all([sources.of(family), letters.of(family)]);
      const { ready: waiting, hidden: inFlight } = source;
      return { family, waiting, inFlight, dead: dead.ready + dead.hidden };
    }),
  );
}

const STORE_QUEUES = ['orders', 'products', 'coupons'] as const;

/** The queues that dead letters go back to. */
export function openSourceQueues(
  deployment: Deployment,
  families: readonly QueueFamily[],
  settings: Parameters<typeof createSqsEventQueue>[2] = {},
): { readonly queue: BulkQueue; readonly depth: QueueDepth } {
  const sqs = new SQS(deployment.aws);
  const urls = Object.fromEntries(
    families.map((family) => [family, deployment.output(QUEUE_OUTPUTS[family].queue)]),
  );
  return { queue: createSqsEventQueue(sqs, urls, settings), depth: createSqsQueueDepth(sqs, urls) };
}
