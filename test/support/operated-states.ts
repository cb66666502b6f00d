import fc from 'fast-check';
import { vi } from 'vitest';
import {
  answerText,
  isAccepted,
  postDelivery,
} from '../../scripts/connector/ground/session/post-delivery.ts';
import { line } from '../../scripts/connector/ground/terminal/line.ts';
import { openBackfills } from '../../scripts/connector/set-up/backfill.ts';
import { changeControl } from '../../shared/core/calls/shop-pause.ts';
import { signedHeaders } from '../../shared/shopify/commands.ts';
import { anyLife, live } from './any-store-life.ts';
import { ask } from './asked-documents.ts';
import { openOperatedConnector, SECRETS, SHOP, tellOf, workDuring } from './operated-connector.ts';
import { letterEvent, letterReason, parkLetters } from './parked-letters.ts';
import { leaveStuckRedemption } from './stuck-redemption.ts';

const HOME = process.cwd();

export type World = Awaited<ReturnType<typeof openWorld>>;

/** A connector with a storefront. This process runs in its folder, so that commands find it. */
async function openWorld(isObserved: boolean) {
  const operated = await openOperatedConnector({ hasStorefront: true, isObserved });
  const { store } = operated;
  process.chdir(operated.folder);

  /** The store tries each webhook once, and the workers work until nothing is visible. */
  async function work(): Promise<void> {
    await vi.waitFor(() => {
      const open = store.deliveries.all().filter(({ state }) => state === 'waiting');
      if (open.some(({ attempts }) => attempts.length === 0)) throw new Error('not tried yet');
    }, 30_000);
    await operated.work();
  }

  return {
    ...operated,
    work,
    /** Which the store announces. */
    order: (email?: string) => operated.sell({ price: 120, ...(email && { email }) }),
    atWork: <Value>(command: Promise<Value>) => workDuring(command, work),
    async close(): Promise<void> {
      process.chdir(HOME);
      await operated.close();
    },
  };
}

const REFUSES = { kind: 'business-error', code: 51, operation: 'sendOrder' } as const;

/** The end of a life under faults: of webhooks, of the service, of its answers. */
function liveUnderFaults({ store, loyalty, order }: World, seed: number): void {
  store.disorder = { ...store.disorder, drop: 0.2, duplicate: 0.2, shuffle: 3 };
  for (const kind of ['http-500', 'reset-after', 'http-429'] as const) {
    loyalty.faults.add({ kind, probability: 0.1 });
  }
  loyalty.faults.add({ ...REFUSES, probability: 0.2 });
  for (const email of ['kim@example.org', 'lou@example.org']) order(email);
  const [steps = []] = fc.sample(anyLife, { seed, numRuns: 1 });
  const attempt = (name: keyof typeof store.actions, input: unknown) => {
    try {
      return (store.actions[name] as (input: unknown) => unknown)(input);
    } catch {
      return undefined; // the store refuses impossible steps
    }
  };
  live({ rows: store.rows, attempt }, steps, { changesEndedOrders: false });
}

/** Here the store announces nothing before. */
const UNSUBSCRIBED: ReadonlySet<string> = new Set([
  ...['a secret that is not in its form', 'missing subscriptions'],
  'an order whose webhook never came',
]);

const OBSERVED = 'an observed shop';

/** The drills of an operator and the ends of the simulation's lives. */
const STATES: Readonly<Record<string, (world: World) => unknown>> = {
  'orders that the service refuses'({ loyalty, order }) {
    loyalty.faults.add(REFUSES);
    for (const email of ['ada@example.org', 'kim@example.org']) order(email);
  },

  'an outage of the service'({ loyalty, order }) {
    loyalty.faults.add({ kind: 'http-503', retryAfterSeconds: 600 });
    order();
  },

  'a wrong webhook secret'({ store, order, metrics }) {
    store.rotateSecret('another-secret-8d11');
    order();
    const at = Date.now() - 60_000;
    metrics.push({ name: 'signatures-refused', value: 72, at, dimensions: {} });
  },

  'refused loyalty credentials'({ loyalty, order }) {
    loyalty.faults.add({ kind: 'business-error', code: 76 });
    order();
  },

  'a secret that is not in its form': ({ keepSecret }) => keepSecret('loyalty', '{"token":""}'),

  'missing subscriptions': ({ order }) => order(),

  async 'an order whose webhook never came'({ order }) {
    order();
    await ask(line('webhooks sync', [], { yes: true }));
  },

  async 'a lost answer of a redemption'({ ledger, order, work }) {
    const { customerId } = order();
    await work();
    await leaveStuckRedemption(ledger, { shop: SHOP, customerId }, { stuck: false });
  },

  async 'a redemption that needs a person'({ ledger, order }) {
    const { customerId } = order();
    const at = new Date(Date.now() - 48 * 3_600_000).toISOString();
    await leaveStuckRedemption(ledger, { shop: SHOP, customerId }, { at });
  },

  async 'a malformed webhook'({ outputs }) {
    const sent = { topic: 'orders/updated', shop: SHOP, body: Buffer.from('{"id":') };
    const headers = signedHeaders({ ...sent, secret: SECRETS.webhook.current });
    const posted = await postDelivery(`${outputs.WebhookAddress}/example-store`, {
      ...sent,
      headers,
    });
    if (!isAccepted(posted)) throw new Error(answerText(posted));
  },

  async 'wrong points after a partial refund'({ store, order, work }) {
    const { id: orderId } = order();
    await work();
    const [item] = store.rows.orders.get(orderId)?.lines ?? [];
    store.disorder = { ...store.disorder, drop: 1 };
    store.actions.refundOrder({ orderId, lines: [{ lineId: item?.id ?? '', quantity: 1 }] });
  },

  async 'a pause'({ order }) {
    await ask(line('pause', [], { queue: 'orders', because: 'a move', yes: true }));
    order();
  },

  async 'a changed price of a product'({ store, work }) {
    const { id: productId } = store.actions.createProduct({ title: 'Hat', price: 20 });
    store.actions.createDiscount({ percentage: 10, codes: ['SUMMER10'] });
    await work();
    store.actions.updateProduct({ productId, price: 25 });
  },

  async 'many dead letters of two reasons'({ sqs, ledger, queues }) {
    const at = new Date().toISOString();
    const unreadable = { reason: 'unreadable', why: 'the body is not JSON', at } as const;
    const letters = Array.from({ length: 30 }, (_, index) => ({
      event: index % 2 ? letterEvent({ id: `55${index}` }) : 'not an envelope',
      reason: letterReason(index % 2 ? { code: 'Order_InvalidTotal', at } : unreadable),
      group: `letter-${index}`,
    }));
    const summaries = { ledger, family: 'orders' } as const;
    await parkLetters(sqs, queues.urls.orders.deadLetterUrl, letters, summaries);
  },

  async 'a dead letter that only the store can make readable'({ sqs, ledger, queues, order }) {
    const body = new TextEncoder().encode('{"id":');
    const at = new Date().toISOString();
    const unreadable = { reason: 'unreadable', why: 'the body is not JSON', at } as const;
    const letter = {
      event: letterEvent({ id: order().id, body }),
      reason: letterReason(unreadable),
    };
    const summaries = { ledger, family: 'orders' } as const;
    await parkLetters(sqs, queues.urls.orders.deadLetterUrl, [letter], summaries);
  },

  async 'a dead letter of a code that begins with hyphens'({ sqs, ledger, queues, store }) {
    store.actions.createDiscount({ percentage: 10, codes: ['--NEW10'] });
    const event = letterEvent({ kind: 'coupon', id: '--NEW10', topic: 'discounts/update' });
    const letter = { event, reason: letterReason({ at: new Date().toISOString() }) };
    const summaries = { ledger, family: 'coupons' } as const;
    await parkLetters(sqs, queues.urls.coupons.deadLetterUrl, [letter], summaries);
  },

  async 'an order that the service lost'({ loyalty, order, work }) {
    order();
    await work();
    loyalty.faults.add({ operation: 'getOrder', kind: 'business-error', code: 37 });
  },

  'a store that refuses the credentials'({ store, order }) {
    order();
    store.faults.add({ kind: 'unauthorized' });
  },

  async 'a backfill that stopped'({ ledger }) {
    const at = new Date().toISOString();
    const state = { shop: SHOP, kind: 'products', run: 1 } as const;
    const counts = { place: {}, sent: 0 };
    const backfills = openBackfills(ledger, SHOP, () => new Date());
    await backfills.save({ ...state, ...counts, startedAt: at, savedAt: at }, undefined);
  },

  async 'a dead letter that was dropped'({ loyalty, order, work }) {
    loyalty.faults.add(REFUSES);
    order();
    await work();
    await ask(line('dead-letters drop', [], { queue: 'orders', because: 'a test', yes: true }));
  },

  async 'a dead letter whose order was sent since'(world) {
    world.loyalty.faults.add(REFUSES);
    const { id } = world.order();
    await world.work();
    world.loyalty.faults.clear();
    await tellOf(world, 'order', id);
  },

  [OBSERVED]: ({ order }) => order(),

  async 'a shop that waits for go-live'({ ledger, order }) {
    const observing = Date.now() - 3_600_000;
    await changeControl(ledger, SHOP, (control) => ({ ...control, observing }));
    order();
  },

  'the end of a life under faults': (world) => liveUnderFaults(world, 1),
  'the end of another life': (world) => liveUnderFaults(world, 2),
  'all is well': ({ order }) => order(),
};

export const STATE_NAMES: readonly string[] = Object.keys(STATES);

export async function openState(name: string): Promise<World> {
  const world = await openWorld(name === OBSERVED);
  if (!UNSUBSCRIBED.has(name)) await ask(line('webhooks sync', [], { yes: true }));
  await STATES[name]?.(world);
  await world.work();
  return world;
}
