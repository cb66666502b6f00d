import { expect, it, vi } from 'vitest';
import { createWorker } from '../../../functions/sync-entities.ts';
import { productAt } from '../../../local/harness/product-payload.ts';
import { createSqsClient } from '../../../local/harness/sdk-clients.ts';
import { defineConnector } from '../../../shared/config/connector-config.ts';
import { pollOnce } from '../../support/event-source.ts';
import { runConnectors, SECOND_SHOP, SHOP } from '../../support/running-connector.ts';

const connectors = runConnectors();

/** Calls of N workers in T seconds: at most rate × (T + 1) + 1, whatever T is. */
it('workers of several processes and queues make no more calls together than the settings allow', async () => {
  const running = await connectors.open();
  vi.useRealTimers();
  const perSecond = 8;
  const connector = defineConnector({
    shops: [{ domain: SHOP }, { domain: SECOND_SHOP }],
    loyalty: { address: running.loyalty.address, callsPerSecond: perSecond },
    rules: { currency: 'EUR' },
  });
  const url = process.env.PRODUCTS_QUEUE_URL ?? '';
  process.env.SOURCE_QUEUE_URL = url;
  process.env.DEAD_LETTER_QUEUE_URL = url.replace('-products', '-products-dead');
  const workers = Array.from({ length: 6 }, () =>
    createWorker(connector, 'products', running.store),
  );
  const count = 60;
  for (let id = 1; id <= count; id += 1) {
    const updated_at = new Date().toISOString();
    const own = { id, admin_graphql_api_id: `gid://shopify/Product/${id}`, updated_at };
    await running.post('products/update', productAt(1, own));
  }
  const budget = { connectMs: 10_000, attemptMs: 10_000, attempts: 2 };
  const sqs = createSqsClient({ budget });
  const from = Date.now();
  const { journal } = running.loyalty;
  await Promise.all(
    workers.map(async (worker) => {
      while (journal.entries().length < count) await pollOnce(sqs, url, worker, 'sync-products');
    }),
  );
  // Measured from before the first call began, so that a slow machine can only lengthen it.
  for (const [index, { at }] of journal.entries().entries()) {
    const seconds = (Date.parse(at) - from) / 1_000;
    expect(index + 1).toBeLessThanOrEqual(perSecond * (seconds + 1) + 1);
  }
  const made = journal.entries().map(({ path }) => path);
  expect(new Set(made).size).toBe(count);
  expect(made).toHaveLength(count);
});
