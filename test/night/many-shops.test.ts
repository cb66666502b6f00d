import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import type { RunningShop } from '../../local/stack/start-sandboxes.ts';
import { createDynamoDbLedger } from '../../shared/aws/dynamodb-ledger.ts';
import { batchesOf, inBatches } from '../../shared/core/events/event.ts';
import { encodeEvent } from '../../shared/core/events/message-body.ts';
import { readLastReconcile } from '../../shared/core/reconcile/last-reconcile.ts';
import { buildOrder } from '../fixtures/order-payload.ts';
import { simpleOrder } from '../fixtures/order-spec.ts';
import { storeEvent } from '../fixtures/store-event.ts';
import { type LocalStack, startLocalStack } from '../support/local-stack.ts';
import { proxyValues, signedQuery } from '../support/signed-query.ts';

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

/** What Lambda gives the functions; the local stack lets none have more descriptors. */
const MOST_DESCRIPTORS = 1_024;
const MOST_MB = 512;
/** Of each shop, in an hour: 48,000 orders a day in all. */
const ORDERS_AN_HOUR = 4;
const MOST_TRIES = 20;

/** A page of the nightly report, as large as the service makes it: 500 customers, each with a history. */
const REPORT = JSON.stringify({
  Items: Array.from({ length: 500 }, (_, customer) => ({
    OriginalId: `no-account-${customer}@example.com`,
    PointsBalance: customer,
    CashbackBalance: 0,
    PointHistory: Array.from({ length: 12 }, (_, id) => ({
      Id: id,
      DateReceived: '2026-10-09T12:00:00',
      ExpirationDate: '2027-10-09T12:00:00',
      Amount: 10,
      BranchId: 'online',
      OrderOriginDescription: 'Online store',
      PointTypeDescription: 'Purchase',
    })),
  })),
  ...{ TotalItemCount: 500, PageSize: 500, PageNumber: 1, HasNextPage: false, HasError: false },
});
const EMPTY_REPORT = JSON.stringify({ ...JSON.parse(REPORT), Items: [], TotalItemCount: 0 });

/** The account of all shops, as reconcile sees it. */
let reported = 0;
const reports = createServer(({ url = '' }, answer) => {
  const isFull = url.includes('ListCustomersReport') && url.includes('isEnrolled=true');
  if (isFull) reported += 1;
  answer.setHeader('content-type', 'application/json').end(isFull ? REPORT : EMPTY_REPORT);
});

beforeAll(async () => {
  await new Promise<void>((resolve) => reports.listen(0, '127.0.0.1', resolve));
  const { port } = reports.address() as AddressInfo;
  stack = await startLocalStack({
    settings: 'test/fixtures/many-shops.config.ts',
    environmentOf: ({ name }, own) =>
      name.includes('Reconcile')
        ? { ...own, LOYALTY_SANDBOX_ADDRESS: `http://127.0.0.1:${port}` }
        : own,
  });
  const [first, second, ...others] = stack.shops;
  if (!second) throw new Error('the settings have 500 shops');
  // The last ones, because a limit of the number of shops would meet them first.
  [flooded, throttled, calm] = [first, second, others.slice(-CALM)];
}, 600_000);
afterAll(async () => {
  await stack?.stop();
  reports.close();
});

/** The most descriptors and memory of the function's process, and its time, while it works. */
async function measure(name: string, what: string, work: () => Promise<void>): Promise<void> {
  const of = stack.functions.processes.filter((one) => one.of.name.includes(name));
  expect(of).toHaveLength(1);
  const folder = `/proc/${of[0]?.pid}`;
  const count = () => readdirSync(`${folder}/fd`).length;
  let descriptors = count();
  const timer = setInterval(() => {
    if (existsSync(folder)) descriptors = Math.max(descriptors, count());
  });
  const began = performance.now();
  await work().finally(() => clearInterval(timer));
  const seconds = Math.round((performance.now() - began) / 1000);
  // The highest so far, of the whole process.
  const [, peakKb] = /VmHWM:\s+(\d+)/.exec(readFileSync(`${folder}/status`, 'utf8')) ?? [];
  const mb = Math.round(Number(peakKb) / 1024);
  process.stdout.write(`${what}: ${descriptors} descriptors, ${mb} MB, ${seconds} s\n`);
  expect(descriptors).toBeLessThan(MOST_DESCRIPTORS / 2);
  expect(mb).toBeLessThan(MOST_MB);
}

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

const isLinux = existsSync('/proc/self/fd');

it.runIf(isLinux)(
  'reconcile compares 500 shops, with the nightly report of each',
  async () => {
    const table = stack.outputs.LedgerTable ?? '';
    const ledger = createDynamoDbLedger({ client: stack.dynamoDb, table });
    const isLeft = async ({ shop }: RunningShop) =>
      (await readLastReconcile(ledger, shop.domain))?.stopped.length !== 0;
    let runs = 0;
    await measure('Reconcile', 'reconcile and nightly report of 500 shops', async () => {
      // A slow machine needs several: each goes on where the last one stopped.
      for (let left = 1; left > 0; runs += 1) {
        const result = await stack.functions.invoke(stack.outputs.ReconcileFunction ?? '', {});
        expect(result).toMatchObject({ kind: 'returned' });
        const areLeft: boolean[] = [];
        await inBatches(stack.shops, async (one) => areLeft.push(await isLeft(one)));
        left = areLeft.filter((one) => one).length;
      }
    });
    process.stdout.write(`in ${runs} runs\n`);
    expect(reported).toBeGreaterThanOrEqual(stack.shops.length);
  },
  3_600_000,
);

it.runIf(isLinux)(
  'one worker serves 500 shops for an hour',
  async () => {
    const worker = stack.functions.processes.find(({ of }) => of.name.includes('SyncOrders'))?.of;
    const recordOf = ({ shop: { domain: shop } }: RunningShop, isRead: boolean) => {
      const payload = newOrder();
      const receivedAt = new Date().toISOString();
      const head = { shop, kind: 'order', id: String(lastId), deliveryId: randomUUID() } as const;
      // Without a body the worker asks the store, which does not know it.
      const body = isRead ? undefined : Buffer.from(JSON.stringify(payload));
      const event = storeEvent({ ...head, receivedAt, topic: 'orders/updated', body });
      const [group, number] = [`${shop}/${head.id}`, String(lastId).padStart(20, '1')];
      const attributes = { ApproximateReceiveCount: '1', SentTimestamp: String(Date.now()) };
      return {
        ...{ messageId: randomUUID(), receiptHandle: randomUUID(), body: encodeEvent(event) },
        attributes: { ...attributes, MessageGroupId: group, SequenceNumber: number },
      };
    };
    const orders = Array.from({ length: ORDERS_AN_HOUR + 1 }, (_, order) =>
      stack.shops.map((shop) => ({ shop, isRead: order === 0 })),
    ).flat();
    type Records = readonly ReturnType<typeof recordOf>[];
    const work = async (records: Records, tries: number): Promise<Records> => {
      const result = await stack.functions.invoke(worker?.name ?? '', { Records: records });
      if (result?.kind !== 'returned') throw new Error(`the worker ${result?.kind}`);
      const left = records.filter(({ messageId }) => result.json.includes(messageId));
      return left.length === 0 || tries === 1 ? left : work(left, tries - 1);
    };
    await measure('SyncOrders', `${orders.length} orders of 500 shops`, async () => {
      for (const batch of batchesOf(orders, 10)) {
        const records = batch.map(({ shop, isRead }) => recordOf(shop, isRead));
        // On a slow machine some are put off; what the store does not know is put off each time.
        const isRead = batch.some((one) => one.isRead);
        const left = await work(records, isRead ? 1 : MOST_TRIES);
        if (!isRead) expect(left).toEqual([]);
      }
    });
    for (const shop of stack.shops) expect(ordersOf(shop)).toBe(ORDERS_AN_HOUR);
    for (const { loyalty } of [flooded, throttled, ...calm]) await loyalty.reset();
  },
  900_000,
);

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
