import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import type { RunningShop } from '../../../local/stack/start-sandboxes.ts';
import { inBatches } from '../../../shared/core/events/event.ts';
import { buildOrder } from '../../fixtures/order-payload.ts';
import { simpleOrder } from '../../fixtures/order-spec.ts';
import { type LocalStack, startLocalStack } from '../../support/local-stack.ts';

const FLOOD = 1_000;
const THROTTLED = 100;
/** At once, of the flood. */
const SENDERS = 8;
/**
 * How long the service of a calm shop takes. The time to its answer has this floor, so a ratio of 1.5 allows the machine
 * half a second for everything else; without a share for each shop an order waits for the calls of the flood, 5 s each.
 */
const CALL_MS = 1_000;
const SLOW_MS = 5_000;
/** Of the calm shops, one after the other: so few at once that they never wait for each other. */
const PACE_MS = 400;
const ROUNDS = 3;
/** A pause of the machine that meets two of the 144 orders must not fail it: the flood is measured again. */
const ATTEMPTS = 3;
const WAIT = { timeout: 120_000, interval: 200 };

let stack: LocalStack;
let flooded: RunningShop;
let throttled: RunningShop;
let calm: readonly RunningShop[];

beforeAll(async () => {
  const began = Date.now();
  stack = await startLocalStack({ settings: 'test/fixtures/fifty-shops.config.ts' });
  console.log(`50 shops started in ${Date.now() - began} ms`);
  const [first, second, ...others] = stack.shops;
  if (!second) throw new Error('the settings have fifty shops');
  [flooded, throttled, calm] = [first, second, others];
}, 600_000);
afterAll(() => stack?.stop(), 60_000);

let lastId = 0;

/** Changed just now: of an old event the store would be asked, which knows none of them. */
function newOrder() {
  const id = ++lastId;
  const { payload } = buildOrder(simpleOrder, {
    id,
    admin_graphql_api_id: `gid://shopify/Order/${id}`,
    updated_at: new Date().toISOString(),
  });
  return { id: String(id), payload };
}

/** Sends an order, and returns how long it takes until the service has answered the call for it. */
async function timeOrder(to: RunningShop): Promise<number> {
  const { id, payload } = newOrder();
  const from = Date.now();
  expect((await stack.post('orders/create', payload, { to })).status).toBe(200);
  return vi.waitFor(() => {
    const call = to.loyalty.journal
      .entries()
      .find(({ body }) => (body as { OriginalId?: string } | undefined)?.OriginalId === id);
    if (!call) throw new Error(`order ${id} of ${to.shop.domain} was not sent`);
    return Date.parse(call.at) + call.durationMs - from;
  }, WAIT);
}

/** Of the orders of all calm shops: the longest but for one in a hundred. */
async function measure(rounds = ROUNDS): Promise<number> {
  const times: Promise<number>[] = [];
  for (let round = 0; round < rounds; round += 1) {
    for (const shop of calm) {
      times.push(timeOrder(shop));
      await sleep(PACE_MS);
    }
  }
  const sorted = (await Promise.all(times)).toSorted((one, other) => one - other);
  console.log('median', sorted[Math.floor(sorted.length / 2)], 'worst', sorted.slice(-5));
  return sorted[Math.ceil(sorted.length * 0.99) - 1] ?? Number.NaN;
}

async function send(to: RunningShop, count: number): Promise<void> {
  let left = count;
  const sender = async () => {
    while (left-- > 0) await stack.post('orders/create', newOrder().payload, { to });
  };
  await Promise.all(Array.from({ length: SENDERS }, sender));
}

it('48 shops wait no longer while one floods a slow service and one is throttled', async () => {
  for (const { loyalty } of calm) loyalty.faults.add({ kind: 'latency', ms: CALL_MS });
  // Until as many processes run as will: a cold start belongs to neither measurement.
  await inBatches(calm, async (shop) => void (await timeOrder(shop)));
  const calmly = await measure();

  flooded.loyalty.faults.add({ kind: 'latency', ms: SLOW_MS });
  throttled.loyalty.faults.add({ kind: 'http-429', retryAfterSeconds: 5 });
  await send(throttled, THROTTLED);
  await send(flooded, FLOOD);
  let ratio = Number.POSITIVE_INFINITY;
  for (let attempt = 1; attempt <= ATTEMPTS && ratio > 1.5; attempt += 1) {
    ratio = (await measure()) / calmly;
    console.log(
      `p99 ${ratio} of ${calmly} ms; ${flooded.loyalty.state().orders.length} of the flood sent`,
    );
  }
  expect(ratio).toBeLessThanOrEqual(1.5);
  expect(flooded.loyalty.state().orders.length).toBeLessThan(FLOOD);
  expect(throttled.loyalty.state().orders).toEqual([]);
  expect(stack.problems).toEqual([]);
}, 900_000);
