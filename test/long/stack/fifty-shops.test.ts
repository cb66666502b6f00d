import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import type { RunningShop } from '../../../local/stack/start-sandboxes.ts';
import { buildOrder } from '../../fixtures/order-payload.ts';
import { simpleOrder } from '../../fixtures/order-spec.ts';
import { type LocalStack, startLocalStack } from '../../support/local-stack.ts';

const FLOOD = 1_000;
const THROTTLED = 100;
/** At once, of the flood. */
const SENDERS = 8;
const SLOW_MS = 5_000;
/** More than all workers have in hand at once: so much of the flood can wait only if others overtook it. */
const OVERTAKEN = 200;
const WAIT = { timeout: 300_000, interval: 500 };

let stack: LocalStack;
let flooded: RunningShop;
let throttled: RunningShop;
let calm: readonly RunningShop[];

beforeAll(async () => {
  stack = await startLocalStack({ settings: 'test/fixtures/fifty-shops.config.ts' });
  const [first, second, ...others] = stack.shops;
  if (!second) throw new Error('the settings have fifty shops');
  [flooded, throttled, calm] = [first, second, others];
}, 600_000);
afterAll(() => stack?.stop(), 60_000);

let lastId = 0;

/** Changed just now: of an old event the store would be asked, which knows none of them. */
function newOrder() {
  const id = ++lastId;
  const changed = {
    id,
    admin_graphql_api_id: `gid://shopify/Order/${id}`,
    updated_at: new Date().toISOString(),
  };
  return buildOrder(simpleOrder, changed).payload;
}

async function send(to: RunningShop, count: number): Promise<void> {
  let left = count;
  const sender = async () => {
    while (left-- > 0) {
      expect((await stack.post('orders/create', newOrder(), { to })).status).toBe(200);
    }
  };
  await Promise.all(Array.from({ length: Math.min(count, SENDERS) }, sender));
}

const ordersOf = ({ loyalty }: RunningShop) => loyalty.state().orders.length;

it('48 shops overtake one that floods a slow service, and one that is throttled', async () => {
  flooded.loyalty.faults.add({ kind: 'latency', ms: SLOW_MS });
  throttled.loyalty.faults.add({ kind: 'http-429', retryAfterSeconds: 5 });
  await send(throttled, THROTTLED);
  await send(flooded, FLOOD);
  for (const shop of calm) await send(shop, 1);
  await vi.waitFor(() => expect(calm.filter((one) => ordersOf(one) === 0)).toEqual([]), WAIT);
  expect(ordersOf(flooded)).toBeLessThan(FLOOD - OVERTAKEN);
  expect(ordersOf(throttled)).toBe(0);
  expect(stack.problems).toEqual([]);
}, 900_000);
