import { createReceiver } from '../../functions/create-receiver.ts';
import { createReconcile } from '../../functions/create-reconcile.ts';
import { createWorker } from '../../functions/create-worker.ts';
import type { Connector } from '../../shared/config/connector-config.ts';
import type { StoreQueueFamily } from '../../shared/core/events/event.ts';
import type { Store } from '../../shared/core/sync/store-reader.ts';
import type { SourceQueueUrls } from './event-source.ts';

export interface Deployment {
  readonly connector: Connector;
  /** Undefined: the Admin API, as it is deployed. */
  readonly store: Store | undefined;
  readonly queues: Readonly<Record<StoreQueueFamily, SourceQueueUrls>>;
  readonly table: string;
  readonly secretsPrefix: string;
  readonly webhookAddress?: string | undefined;
}

/** The functions, each started with the environment that a deployment would give it. */
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
    return createWorker(connector, `sync-${family}`, store);
  };
  return {
    receiver: createReceiver(connector),
    orders: worker('orders'),
    products: worker('products'),
    coupons: worker('coupons'),
    reconcile: createReconcile(connector),
  };
}
