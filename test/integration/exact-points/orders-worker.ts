import { createWorker } from '../../../functions/sync-entities.ts';
import { createSqsClient } from '../../../local/harness/sdk-clients.ts';
import { defineConnector } from '../../../shared/config/connector-config.ts';
import { pollOnce } from '../../support/event-source.ts';
import type { Addresses } from '../../support/outside-line.ts';
import { SECOND_SHOP, SHOP } from '../../support/running-connector.ts';
import type { Shop } from './open-shops.ts';

/** Everything that the workers of this shop talk to. */
export function outsideOf({ loyalty, store }: Shop): Addresses {
  return {
    ledger: process.env.AWS_ENDPOINT_URL_DYNAMODB ?? '',
    queue: process.env.AWS_ENDPOINT_URL_SQS ?? '',
    secrets: process.env.AWS_ENDPOINT_URL_SECRETS_MANAGER ?? '',
    loyalty: loyalty.address,
    store: store.address,
  };
}

/**
 * Another worker of the shop that was opened last, with addresses of its own. Returns a function that
 * works on one batch of orders and returns the number of messages.
 */
export function startOrdersWorker(addresses: Addresses): () => Promise<number> {
  const environment = { ...process.env };
  const url = environment.ORDERS_QUEUE_URL ?? '';
  Object.assign(process.env, {
    AWS_ENDPOINT_URL_SQS: addresses.queue,
    AWS_ENDPOINT_URL_DYNAMODB: addresses.ledger,
    AWS_ENDPOINT_URL_SECRETS_MANAGER: addresses.secrets,
    STORE_SANDBOX_ADDRESS: addresses.store,
    SOURCE_QUEUE_URL: url,
    WORKERS: '10',
    DEAD_LETTER_QUEUE_URL: url.replace('-orders', '-orders-dead'),
  });
  const connector = defineConnector({
    shops: [{ domain: SHOP }, { domain: SECOND_SHOP }],
    loyalty: { address: addresses.loyalty },
    rules: { currency: 'any' },
  });
  const worker = createWorker(connector, 'orders');
  Object.assign(process.env, environment);
  const budget = { connectMs: 10_000, attemptMs: 10_000, attempts: 2 };
  const emulator = { endpoint: environment.AWS_ENDPOINT_URL_SQS ?? '' };
  const client = createSqsClient({ budget, emulator });
  return () => pollOnce(client, url, worker, 'sync-orders');
}
