import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import fc from 'fast-check';
import { vi } from 'vitest';
import { createBalanceWorker } from '../../functions/sync-balances.ts';
import storefront from '../../local/harness/storefront.config.ts';
import type { ActionName } from '../../local/store-sandbox/model/actions.ts';
import { line } from '../../scripts/connector/document/line.ts';
import { createSqsEventQueue } from '../../shared/aws/sqs-queues.ts';
import { anyLife, live } from './any-store-life.ts';
import { ask } from './asked-documents.ts';
import { buildWarm, createSourceQueue, pollOnce } from './event-source.ts';
import { openOperatedConnector, SECRETS, SHOP, tellOf } from './operated-connector.ts';
import { letterEvent, letterReason, parkLetters } from './parked-letters.ts';
import { leaveStuckRedemption } from './stuck-redemption.ts';

const HOME = process.cwd();

export type World = Awaited<ReturnType<typeof openWorld>>;

/** A connector with a storefront in whose folder this process runs, so that commands find it. */
export async function openWorld() {
  const operated = await openOperatedConnector();
  const { sqs, queues, store, metrics } = operated;
  const { origin } = new URL(queues.urls.orders.url);
  const balances = await createSourceQueue(sqs, origin, 'connector-balances');
  process.env.SOURCE_QUEUE_URL = balances.url;
  process.env.DEAD_LETTER_QUEUE_URL = balances.deadLetterUrl;
  const worker = buildWarm(() => createBalanceWorker(storefront));
  await operated.describe({
    outputs: {
      ...operated.outputs,
      BalancesQueueUrl: balances.url,
      BalancesDeadLetterQueueUrl: balances.deadLetterUrl,
      PointsAddress: 'http://127.0.0.1:9/points',
      StorefrontAddress: 'http://127.0.0.1:9/storefront',
    },
    settings: resolve(HOME, 'local/harness/storefront.config.ts'),
  });
  process.chdir(operated.folder);

  /** The store tries each webhook once, and the workers work until nothing is visible. */
  async function work(): Promise<void> {
    await vi.waitFor(() => {
      const untried = store.deliveries
        .all()
        .filter(({ state, attempts }) => state === 'waiting' && attempts.length === 0);
      if (untried.length > 0) throw new Error(`${untried.length} webhooks are on their way`);
    }, 30_000);
    do await operated.work();
    while ((await pollOnce(sqs, balances.url, worker, 'sync-balances')) > 0);
  }

  return {
    ...operated,
    work,
    subscribe: () => ask(line('webhooks sync', [], { yes: true })),
    count: (name: string, value: number) =>
      metrics.push({ ...{ name, value, at: Date.now() - 60_000 }, dimensions: {} }),
    sendBalances: createSqsEventQueue(sqs, { balances: balances.url }).send,

    /** A paid and sent order, which the store announces. */
    order(email = 'ada@example.org') {
      const { id: customerId } = store.actions.createCustomer({ firstName: 'Ada', email });
      const lines = [{ title: 'Linen shirt', price: 60, quantity: 2 }];
      const placed = store.actions.placeOrder({ lines, customerId, payment: 'paid' });
      store.actions.fulfilOrder({ orderId: placed.id });
      return placed.id;
    },

    async atWork<Value>(command: Promise<Value>): Promise<Value> {
      let isOver = false;
      const ended = command.finally(() => {
        isOver = true;
      });
      while (!isOver) await work();
      await work();
      return ended;
    },

    async close(): Promise<void> {
      process.chdir(HOME);
      await operated.close();
    },
  };
}

const REFUSES = { kind: 'business-error', code: 51, operation: 'sendOrder' } as const;

/** The end of a life under faults: of webhooks, of the service, of its answers. */
async function liveUnderFaults(world: World, seed: number): Promise<void> {
  const { store, loyalty } = world;
  await world.subscribe();
  store.disorder = { ...store.disorder, drop: 0.2, duplicate: 0.2, shuffle: 3 };
  for (const kind of ['http-500', 'reset-after', 'http-429'] as const) {
    loyalty.faults.add({ kind, probability: 0.1 });
  }
  loyalty.faults.add({ ...REFUSES, probability: 0.2 });
  const attempt = (name: ActionName, input: unknown) => {
    try {
      return (store.actions[name] as (input: unknown) => unknown)(input);
    } catch {
      return undefined; // the store refuses impossible steps
    }
  };
  for (const email of ['kim@example.org', 'lou@example.org']) world.order(email);
  store.actions.createProduct({ title: 'Linen shirt', price: 60 });
  const [steps = []] = fc.sample(anyLife, { seed, numRuns: 1 });
  live({ rows: store.rows, attempt }, steps, { changesEndedOrders: false });
  await world.work();
  loyalty.faults.clear();
}

/** The drills of an operator and the ends of the simulation's lives, by name. */
export const STATES: Readonly<Record<string, (world: World) => Promise<unknown>>> = {
  async 'orders that the service refuses'(world) {
    await world.subscribe();
    world.loyalty.faults.add(REFUSES);
    world.order();
    world.order('kim@example.org');
    await world.work();
  },

  async 'the same, after the cause is gone'(world) {
    await world.subscribe();
    world.loyalty.faults.add(REFUSES);
    world.order();
    await world.work();
    world.loyalty.faults.clear();
  },

  async 'an outage of the service'(world) {
    await world.subscribe();
    world.loyalty.faults.add({ kind: 'http-503', retryAfterSeconds: 600 });
    world.order();
    await world.work();
  },

  async 'a wrong webhook secret'(world) {
    await world.subscribe();
    world.store.rotateSecret('another-secret-8d11');
    world.order();
    await world.work();
    world.count('signatures-refused', 72);
  },

  async 'refused loyalty credentials'(world) {
    await world.subscribe();
    world.loyalty.faults.add({ kind: 'business-error', code: 76 });
    world.order();
    await world.work();
    world.count('misconfigured', 3);
  },

  async 'a secret that is not in its form'(world) {
    await world.keepSecret('loyalty', '{"token":""}');
  },

  async 'missing subscriptions'(world) {
    world.order();
    await world.work();
  },

  async 'an order whose webhook never came'(world) {
    world.order();
    await world.subscribe();
  },

  async 'a lost answer of a redemption'(world) {
    await world.subscribe();
    world.order();
    await world.work();
    const [{ id: customerId = '' } = {}] = world.store.rows.customers.values();
    await leaveStuckRedemption(world.ledger, { shop: SHOP, customerId }, { stuck: false });
    await world.sendBalances({
      ...{ shop: SHOP, kind: 'redemption', id: 'K3F9A2LQ7ZPX', topic: 'redeem', customerId },
      ...{ deliveryId: 'redeem-1', receivedAt: new Date().toISOString() },
    } as never);
    await world.work();
  },

  async 'a redemption that needs a person'(world) {
    await world.subscribe();
    world.order();
    await world.work();
    const [{ id: customerId = '' } = {}] = world.store.rows.customers.values();
    const at = new Date(Date.now() - 48 * 3_600_000).toISOString();
    await leaveStuckRedemption(world.ledger, { shop: SHOP, customerId }, { at });
  },

  async 'a malformed webhook'(world) {
    await world.subscribe();
    writeFileSync(join(world.folder, 'broken.json'), '{"id":');
    await ask(line('send', [], { file: 'broken.json', topic: 'orders/updated' }));
    await world.work();
  },

  async 'wrong points after a partial refund'(world) {
    await world.subscribe();
    const orderId = world.order();
    await world.work();
    const [item] = world.store.rows.orders.get(orderId)?.lines ?? [];
    const lines = [{ lineId: item?.id ?? '', quantity: 1 }];
    world.store.disorder = { ...world.store.disorder, drop: 1 };
    world.store.actions.refundOrder({ orderId, lines });
    await world.work();
  },

  async 'a pause'(world) {
    await world.subscribe();
    await ask(line('pause', [], { queue: 'orders', because: 'a move', yes: true }));
    world.order();
    await world.work();
  },

  async 'a changed price of a product'(world) {
    await world.subscribe();
    const { id: productId } = world.store.actions.createProduct({ title: 'Hat', price: 20 });
    world.store.actions.createDiscount({ percentage: 10, codes: ['SUMMER10'] });
    await world.work();
    world.store.actions.updateProduct({ productId, price: 25 });
    await world.work();
  },

  async 'many dead letters of two reasons'(world) {
    await world.subscribe();
    const at = new Date().toISOString();
    const id = world.order();
    await world.work();
    const letters = Array.from({ length: 60 }, (_, index) => ({
      event: index % 2 ? letterEvent({ id: index === 1 ? id : `55${index}` }) : 'not an envelope',
      reason: letterReason({
        at,
        ...(index % 2
          ? { code: 'ApiExternalCustomer_documen_AlphaNumeric_only' as const }
          : { reason: 'unreadable' as const, why: 'the body is not JSON' }),
      }),
      group: `letter-${index}`,
    }));
    await parkLetters(world.sqs, world.queues.urls.orders.deadLetterUrl, letters, {
      ...{ ledger: world.ledger, family: 'orders' },
    });
  },

  async 'a dead letter that was dropped'(world) {
    await world.subscribe();
    world.loyalty.faults.add(REFUSES);
    world.order();
    await world.work();
    world.loyalty.faults.clear();
    await ask(line('dead-letters drop', [], { queue: 'orders', because: 'a test', yes: true }));
  },

  async 'a dead letter whose order was sent since'(world) {
    await world.subscribe();
    world.loyalty.faults.add(REFUSES);
    const id = world.order();
    await world.work();
    world.loyalty.faults.clear();
    await tellOf(world, 'order', id);
    await world.work();
  },

  'the end of a life under faults': (world) => liveUnderFaults(world, 1),
  'the end of another life': (world) => liveUnderFaults(world, 2),

  /** The last one, in which every command is run that no state suggests. */
  async 'all is well'(world) {
    await world.subscribe();
    world.order();
    await world.work();
  },
};

/** What a person enters where a command asks. */
export const inputOf = (purpose = ''): string =>
  JSON.stringify(purpose === 'webhook' ? { current: 'another-secret-8d11' } : SECRETS.loyalty);
