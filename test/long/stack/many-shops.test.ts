import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import type { RunningShop } from '../../../local/stack/start-sandboxes.ts';
import { buildOrder } from '../../fixtures/order-payload.ts';
import { simpleOrder } from '../../fixtures/order-spec.ts';
import { type LocalStack, startLocalStack } from '../../support/local-stack.ts';
import { proxyValues, signedQuery } from '../../support/signed-query.ts';

const FLOOD = 1_000;
const THROTTLED = 100;
const CALM = 50;
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
  stack = await startLocalStack({ settings: 'test/fixtures/many-shops.config.ts' });
  const [first, second, ...others] = stack.shops;
  if (!second) throw new Error('the settings have 500 shops');
  // The last ones, because a limit of the number of shops would meet them first.
  [flooded, throttled, calm] = [first, second, others.slice(-CALM)];
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

/** What a page of the shop shows the customer of its order. */
async function visit({ shop, webhookSecret }: RunningShop): Promise<Response> {
  const { customer } = newOrder() as { readonly customer: { readonly id: number } };
  const values = proxyValues(shop.domain, new Date(), String(customer.id));
  const query = signedQuery(values, webhookSecret);
  return fetch(`${stack.outputs.StorefrontAddress}/${shop.path}/me?${query}`);
}

const ordersOf = ({ loyalty }: RunningShop) => loyalty.state().orders.length;

it('of 500 shops with storefronts, 50 overtake one that floods a slow service, and one that is throttled', async () => {
  flooded.loyalty.faults.add({ kind: 'latency', ms: SLOW_MS });
  throttled.loyalty.faults.add({ kind: 'http-429', retryAfterSeconds: 5 });
  await send(throttled, THROTTLED);
  await send(flooded, FLOOD);
  for (const shop of calm) await send(shop, 1);
  await vi.waitFor(() => expect(calm.filter((one) => ordersOf(one) === 0)).toEqual([]), WAIT);
  expect(ordersOf(flooded)).toBeLessThan(FLOOD - OVERTAKEN);
  expect(ordersOf(throttled)).toBe(0);
  for (const shop of calm.slice(-3)) expect((await visit(shop)).status).toBe(200);
  expect(stack.problems).toEqual([]);
}, 900_000);
