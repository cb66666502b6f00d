import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { productAt } from '../../../local/harness/product-payload.ts';
import { type Concurrency, fitConcurrency } from '../../../shared/config/concurrency.ts';
import connector from '../../fixtures/limited.config.ts';
import { buildOrder } from '../../fixtures/order-payload.ts';
import { simpleOrder } from '../../fixtures/order-spec.ts';
import { type LocalStack, startLocalStack } from '../../support/local-stack.ts';

const SETTINGS = 'test/fixtures/limited.config.ts';
const QUOTA = 10;

let stack: LocalStack | undefined;
afterEach(() => stack?.stop(), 60_000);

/** Changed just now: of an old event the store would be asked, which knows none of them. */
const changed = (kind: string, id: number) => ({
  id,
  admin_graphql_api_id: `gid://shopify/${kind}/${id}`,
  updated_at: new Date().toISOString(),
});
const product = (id: number) => productAt(1, changed('Product', id));
const order = (id: number) => buildOrder(simpleOrder, changed('Order', id)).payload;

/** The answers to webhooks in a new account, while the loyalty service takes eight seconds for a call. */
async function answersInNewAccount(concurrency: Concurrency | undefined) {
  stack = await startLocalStack({ settings: SETTINGS, quota: QUOTA, concurrency });
  stack.loyalty.faults.add({ kind: 'latency', ms: 8_000 });
  const answers = new Set<number>();
  // Until the workers have had the time to take all that they can.
  for (let round = 1; round <= 60 && !answers.has(429); round += 1) {
    answers.add((await stack.post('orders/create', order(round))).status);
    answers.add((await stack.post('products/update', product(round))).status);
    await sleep(50);
  }
  const processes = stack.functions.processes.map(({ of }) => of.logicalId);
  const workers = processes.filter((id) => /^Sync(?:Orders|Products)/.test(id)).length;
  return { answers, workers };
}

describe('a new account', () => {
  it('answers every webhook while its workers wait for a slow service, as deploy fits them', async () => {
    const limits = { total: QUOTA, unreserved: QUOTA, own: 0 };
    const fitted = fitConcurrency(limits, connector, 'eu-west-1');
    if (fitted.kind === 'refused') throw new Error(fitted.why.join('\n'));
    const { answers, workers } = await answersInNewAccount(fitted.concurrency);
    expect(answers).toEqual(new Set([200]));
    expect(workers).toBe(4);
  }, 180_000);

  it('refuses webhooks with the usual number of workers', async () => {
    expect((await answersInNewAccount(undefined)).answers).toContain(429);
  }, 180_000);
});

it('several workers together make no more calls a second than the settings allow', async () => {
  stack = await startLocalStack({ settings: SETTINGS });
  const ids = Array.from({ length: 60 }, (_, index) => index + 1);
  for (const id of ids) {
    await stack.post('products/update', product(id));
    await stack.post('orders/create', order(id));
  }
  const { journal } = stack.loyalty;
  while (journal.entries().length < 120) await sleep(500);
  const calls = journal.entries().map(({ at }) => Date.parse(at) / 1_000);
  const perSecond = connector.loyalty.callsPerSecond ?? 0;
  // On a busy machine a call arrives up to this much later than it began.
  const lateSeconds = 2;
  for (const [first, from] of calls.entries()) {
    for (const [last, until] of calls.entries()) {
      const most = perSecond * (until - from + 1 + lateSeconds) + 1;
      if (last > first) expect(last - first + 1).toBeLessThanOrEqual(most);
    }
  }
  const workers = stack.functions.processes.filter(({ of }) => of.logicalId.startsWith('Sync'));
  expect(workers.length).toBeGreaterThan(3);
  expect(stack.problems).toEqual([]);
}, 180_000);
