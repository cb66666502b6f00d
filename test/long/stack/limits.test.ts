import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { type Concurrency, fitConcurrency } from '../../../shared/config/concurrency.ts';
import { orderNow as order, productNow as product } from '../../fixtures/changed-now.ts';
import connector from '../../fixtures/limited.config.ts';
import { type LocalStack, startLocalStack } from '../../support/local-stack.ts';
import { proxyValues, signedQuery } from '../../support/signed-query.ts';

const SETTINGS = 'test/fixtures/limited.config.ts';
const QUOTA = 10;

let stack: LocalStack | undefined;
afterEach(() => stack?.stop());

/** The answers to webhooks in a new account, while the loyalty service takes eight seconds for a call. */
async function answersInNewAccount(
  concurrency: Concurrency | undefined,
  isOver: (now: { answers: Set<number>; workers: number; round: number }) => boolean,
) {
  stack = await startLocalStack({ settings: SETTINGS, quota: QUOTA, concurrency });
  const { functions, loyalty, post } = stack;
  loyalty.faults.add({ kind: 'latency', ms: 8_000 });
  const answers = new Set<number>();
  const workers = () =>
    functions.processes.filter(({ of }) => /^Sync(?:Orders|Products)/.test(of.logicalId)).length;
  for (let round = 1; !isOver({ answers, workers: workers(), round }); round += 1) {
    answers.add((await post('orders/create', order(round))).status);
    answers.add((await post('products/update', product(round))).status);
    await sleep(50);
  }
  return { answers, workers: workers() };
}

describe('a new account', () => {
  it('answers every webhook while its workers wait for a slow service, as deploy fits them', async () => {
    const limits = { total: QUOTA, unreserved: QUOTA, own: 0 };
    const fitted = fitConcurrency(limits, connector, 'eu-west-1');
    if (fitted.kind === 'refused') throw new Error(fitted.why.join('\n'));
    const { answers, workers } = await answersInNewAccount(
      fitted.concurrency,
      ({ workers: working, round }) => working >= 4 && round > 60,
    );
    expect(answers).toEqual(new Set([200]));
    expect(workers).toBe(4);
  });

  it('refuses webhooks with the usual number of workers', async () => {
    const isRefused = ({ answers }: { answers: Set<number> }) => answers.has(429);
    expect((await answersInNewAccount(undefined, isRefused)).answers).toContain(429);
  });
});

it('several workers together make no more calls a second than the settings allow', async () => {
  stack = await startLocalStack({ settings: SETTINGS });
  const ids = Array.from({ length: 60 }, (_, index) => index + 1);
  const from = Date.now();
  for (const id of ids) {
    await stack.post('products/update', product(id));
    await stack.post('orders/create', order(id));
  }
  const { journal } = stack.loyalty;
  while (journal.entries().length < 120) await sleep(500);
  const perSecond = connector.loyalty.callsPerSecond ?? 0;
  // From before the first call began, so that a slow machine can only lengthen it.
  for (const [index, { at }] of journal.entries().entries()) {
    const seconds = (Date.parse(at) - from) / 1_000;
    expect(index + 1).toBeLessThanOrEqual(perSecond * (seconds + 1) + 1);
  }
  const workers = stack.functions.processes.filter(({ of }) => of.logicalId.startsWith('Sync'));
  expect(workers.length).toBeGreaterThan(1);
  expect(stack.problems).toEqual([]);
});

// Every call of a visitor moved the workers' next token ahead: an order waited for minutes after a flood of seconds.
it('orders are sent while visitors ask for ever new prices over many connections', async () => {
  stack = await startLocalStack({ settings: 'test/fixtures/limited-storefront.config.ts' });
  const { loyalty, post, outputs, store, webhookSecret } = stack;
  const sent = () =>
    loyalty.journal.entries().filter(({ operation }) => operation === 'sendOrder').length;
  const statuses = new Map<number, number>();
  let price = 0;
  let isOver = false;
  async function flood(): Promise<void> {
    while (!isOver) {
      price += 1;
      const own = { items: `11:${price}.5:1`, currency: 'EUR' };
      const values = proxyValues(store.shop.domain, new Date(), '', own);
      const query = signedQuery(values, webhookSecret);
      const { status } = await fetch(`${outputs.StorefrontAddress}/example-store/points?${query}`);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
  }
  const visitors = Array.from({ length: 20 }, flood);
  while ((statuses.get(429) ?? 0) < 100) await sleep(100);
  const orders = 20;
  for (let id = 1; id <= orders; id += 1) await post('orders/create', order(id));
  while (sent() < orders) await sleep(100);
  isOver = true;
  await Promise.all(visitors);
  // 503 on a slow machine, where a call to the service takes longer than a page waits.
  expect([...statuses.keys()].filter((status) => status !== 503).toSorted()).toEqual([200, 429]);
  expect(stack.problems).toEqual([]);
});
