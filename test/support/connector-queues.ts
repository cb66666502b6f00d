import type { Message, SQSClient } from '@aws-sdk/client-sqs';
import { createReceiver } from '../../functions/create-receiver.ts';
import { createReconcile } from '../../functions/create-reconcile.ts';
import { createWorker } from '../../functions/create-worker.ts';
import type { Connector } from '../../shared/config/connector-config.ts';
import type { StoreQueueFamily } from '../../shared/core/events/event.ts';
import type { Store } from '../../shared/core/store/store.ts';
import {
  countMessages,
  createSourceQueue,
  pollOnce,
  receive,
  release,
  type SourceQueueUrls,
  type Worker,
} from './event-source.ts';
import { buildWarm } from './warm-function.ts';

const FAMILIES = ['orders', 'products', 'coupons'] as const;
/** Longer than a busy machine needs to receive every letter. */
const HIDDEN_SECONDS = 600;

export interface DeadLetter {
  readonly family: StoreQueueFamily;
  readonly body: string;
  readonly attributes: Readonly<Record<string, string>>;
}

/** The three queues of one connector, each with its dead-letter queue. */
export async function createConnectorQueues(client: SQSClient, endpoint: string, name: string) {
  const create = (family: StoreQueueFamily) =>
    createSourceQueue(client, endpoint, `${name}-${family}`);
  const urls: Record<StoreQueueFamily, SourceQueueUrls> = {
    orders: await create('orders'),
    products: await create('products'),
    coupons: await create('coupons'),
  };
  return {
    urls,

    /** One batch for each worker; returns the number of messages. */
    async poll(workers: Readonly<Record<StoreQueueFamily, Worker>>): Promise<number> {
      let received = 0;
      for (const family of FAMILIES) {
        received += await pollOnce(client, urls[family].url, workers[family], `sync-${family}`);
      }
      return received;
    },

    /** All messages on the queues, visible or not. */
    async waiting(): Promise<number> {
      const counts = FAMILIES.map((family) => countMessages(client, urls[family].url));
      return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0);
    },

    /** Every letter once; they stay in their queues. */
    async deadLetters(): Promise<readonly DeadLetter[]> {
      const letters: DeadLetter[] = [];
      for (const family of FAMILIES) {
        const url = urls[family].deadLetterUrl;
        const received: Message[] = [];
        for (;;) {
          const messages = await receive(client, url, HIDDEN_SECONDS);
          if (messages.length === 0) break;
          received.push(...messages);
        }
        await release(client, url, received);
        letters.push(...received.map((message) => toLetter(family, message)));
      }
      return letters;
    },
  };
}

function toLetter(
  family: StoreQueueFamily,
  { Body = '', MessageAttributes = {} }: Message,
): DeadLetter {
  const attributes = Object.entries(MessageAttributes).map(([name, { StringValue }]) => [
    name,
    StringValue ?? '',
  ]);
  return { family, body: Body, attributes: Object.fromEntries(attributes) };
}

export interface Deployment {
  readonly connector: Connector;
  /** Undefined: the Admin API, as it is deployed. */
  readonly store: Store | undefined;
  readonly queues: Readonly<Record<StoreQueueFamily, SourceQueueUrls>>;
  readonly table: string;
  readonly secretsPrefix: string;
  readonly webhookAddress?: string | undefined;
}

/** The functions, each with the environment of a deployment. */
export function startFunctions(deployment: Deployment) {
  const { connector, store, queues, table, secretsPrefix } = deployment;
  Object.assign(process.env, {
    ORDERS_QUEUE_URL: queues.orders.url,
    PRODUCTS_QUEUE_URL: queues.products.url,
    COUPONS_QUEUE_URL: queues.coupons.url,
    LEDGER_TABLE: table,
    SECRETS_PREFIX: secretsPrefix,
    METRICS_NAMESPACE: 'LoyaltyConnector/test',
    WEBHOOK_ADDRESS: deployment.webhookAddress ?? 'https://webhooks.example.com',
  });
  const worker = (family: StoreQueueFamily) => {
    process.env.SOURCE_QUEUE_URL = queues[family].url;
    process.env.DEAD_LETTER_QUEUE_URL = queues[family].deadLetterUrl;
    return buildWarm(() => createWorker(connector, family, store));
  };
  return {
    receiver: buildWarm(() => createReceiver(connector)),
    orders: worker('orders'),
    products: worker('products'),
    coupons: worker('coupons'),
    reconcile: buildWarm(() => createReconcile(connector)),
  };
}
