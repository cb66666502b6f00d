import type { PartialSettings } from '../../local/loyalty-sandbox/settings.ts';
import { defineConnector } from '../../shared/config/connector-config.ts';
import type {
  HealingSettings,
  LoyaltyAssumptions,
  StorefrontSettings,
} from '../../shared/config/connector-settings.ts';
import type { MappingSettings } from '../../shared/config/mapping-settings.ts';
import { runBatch } from '../../shared/core/batch/run-batch.ts';
import { createCircuitBreaker } from '../../shared/core/calls/call-loyalty.ts';
import { createShopLoad } from '../../shared/core/calls/shop-load.ts';
import { createPauses } from '../../shared/core/calls/shop-pause.ts';
import type {
  EventQueue,
  ReceivedMessage,
  SourceQueue,
  StoreEvent,
  StoreQueueFamily,
} from '../../shared/core/events/event.ts';
import type { Ledger } from '../../shared/core/ledger/ledger.ts';
import type { PlatformHealing } from '../../shared/core/platform/platform.ts';
import { type ReconcileRequest, reconcile } from '../../shared/core/reconcile/reconcile.ts';
import type { ReadEvent, Store, StoreScan } from '../../shared/core/store/store.ts';
import type { ScanMoments, WorkerMoments } from '../../shared/core/sync/dependencies.ts';
import { settleEntities } from '../../shared/core/sync/settle-entities.ts';
import type { LoyaltyClientSettings } from '../../shared/loyalty/client.ts';
import { createPlatformReader } from '../../shared/services/platforms.ts';
import { identifyEntity, routeOf, topicOf } from '../../shared/shopify/webhooks/topics.ts';
import { openInProcessLoyalty } from './in-process-loyalty.ts';
import { createMemoryLedger } from './memory-ledger.ts';
import {
  createMemoryDeadLetters,
  createMemoryEventQueue,
  createMemoryQueue,
  createMemoryQueueDepth,
  createMemorySourceQueue,
  type MemoryQueue,
} from './memory-queue.ts';
import { createMemoryStore } from './memory-store.ts';
import { recordTelemetry } from './recorded-telemetry.ts';

export const SHOP = 'example-store.myshopify.com';

/** The calls of a worker: direct, or through one that can be killed. */
type Watch = <Part extends object>(part: Part) => Part;

const asItIs: Watch = (part) => part;

export interface Delivery {
  readonly topic: string;
  readonly payload: unknown;
  /** A repeated id is the same delivery: the queue drops it within five minutes. */
  readonly webhookId?: string;
  readonly shop?: string;
}

/** Most tests are about something else than an order's state and currency. */
const COMMON_RULES = { pendingOrders: 'send', currency: 'any' } as const;

interface OpenSettings {
  readonly rules?: MappingSettings;
  readonly assumptions?: LoyaltyAssumptions;
  readonly healing?: HealingSettings;
  readonly storefront?: StorefrontSettings;
  /** Absent, as of a deployment without a storefront. */
  readonly rewards?: WorkerMoments | undefined;
  /** How the loyalty sandbox behaves. */
  readonly service?: PartialSettings;
  /** Of the ledger, in epoch milliseconds. Default: no order is older. */
  readonly createdAt?: number;
  /** Entities that a worker works on side by side. */
  readonly parallel?: number;
  /** Of each queue. Default: no shop has to leave any to the others. */
  readonly workers?: number;
  /** How its calls to the loyalty service wait for their turn. Default: they do not. */
  readonly takeTurn?: LoyaltyClientSettings['takeTurn'];
  /** More shops than two. */
  readonly others?: readonly string[];
  /** Another release that is running: this one shares its queues, store, loyalty service and clock. */
  readonly beside?: Surroundings;
}

interface Surroundings {
  readonly clock: { ms: number };
  readonly loyalty: ReturnType<typeof openInProcessLoyalty>;
  readonly store: ReturnType<typeof createMemoryStore>;
  readonly queues: Readonly<Record<StoreQueueFamily, MemoryQueue>>;
  readonly dead: MemoryQueue;
}

/**
 * The whole core of the connector in this process, on a clock that the test sets: real readers, mapping,
 * plan, batches and client, the rules of the loyalty sandbox, and models of queue, ledger and store.
 */
export function openConnector({
  assumptions = {},
  service = {},
  createdAt,
  parallel = 4,
  workers,
  takeTurn,
  beside,
  others = [],
  ...given
}: OpenSettings = {}) {
  const clock = beside?.clock ?? { ms: Date.parse('2026-10-09T12:00:00.000Z') };
  const now = () => new Date(clock.ms);
  const settings: Parameters<typeof defineConnector>[0] = {
    shops: [SHOP, 'second-store.myshopify.com', ...others].map((domain) => ({ domain })),
    loyalty: { address: 'https://loyalty.example.com', assumptions },
    rules: { ...COMMON_RULES, ...given.rules },
    ...(given.healing && { healing: given.healing }),
    ...(given.storefront && { storefront: given.storefront }),
  };
  let connector = defineConnector(settings);
  const modeOf = (domain: string) => connector.shops.find((one) => one.domain === domain)?.mode;
  const loyalty = beside?.loyalty ?? openInProcessLoyalty(now, service);
  const client = takeTurn ? loyalty.connect({ takeTurn }) : loyalty.client;
  const telemetry = recordTelemetry();
  const store = beside?.store ?? createMemoryStore();
  store.now = () => clock.ms;
  const memoryLedger = createMemoryLedger(createdAt);
  const queue = (name: string) => createMemoryQueue({ now: () => clock.ms, name });
  const queues = beside?.queues ?? {
    orders: queue('orders'),
    products: queue('products'),
    coupons: queue('coupons'),
  };
  const dead = beside?.dead ?? queue('dead');
  let deliveries = 0;

  /** What a test may replace. */
  const parts: {
    ledger: Ledger;
    queue: EventQueue;
    walked: Store & StoreScan;
    /** Undefined means `walked`, whatever the deadline. */
    walkedUntil?: (deadline: AbortSignal) => Store & StoreScan;
    read: ReadEvent;
    /** Undefined means the queue of the worker itself. */
    source: SourceQueue | undefined;
  } = {
    ledger: memoryLedger,
    queue: createMemoryEventQueue(queues),
    walked: store,
    read: createPlatformReader(connector.shops),
    source: undefined,
  };

  /** A process of each worker, which keeps between two batches what it knows. */
  const processes = new Map(
    (['orders', 'products', 'coupons'] as const).map((family) => {
      const ledger: Pick<Ledger, 'readMany' | 'write'> = {
        readMany: (keys) => parts.ledger.readMany(keys),
        write: (...args) => parts.ledger.write(...args),
      };
      const observes = (shop: string) => modeOf(shop) === 'observe';
      const pauses = createPauses({ ledger, telemetry, queue: family, observes });
      const breakers = new Map(
        connector.shops.map(({ domain }) => [domain, pauses.guard(domain, createCircuitBreaker())]),
      );
      const load = createShopLoad({
        ...{ queue: family, ledger, most: parallel, workers },
        now: () => clock.ms,
        random: () => 0.5,
      });
      return [family, { pauses, breakers, load }];
    }),
  );

  function world(family: StoreQueueFamily, deadline: AbortSignal, watch: Watch) {
    const { pauses, breakers, load } = processes.get(family) ?? {};
    if (!pauses || !breakers || !load) throw new Error(`unknown queue: ${family}`);
    return {
      pauses,
      get ledger() {
        return watch(parts.ledger);
      },
      store: watch(store),
      queue: watch(createMemoryEventQueue(queues)),
      source: watch(parts.source ?? createMemorySourceQueue(queues[family])),
      deadLetters: watch(createMemoryDeadLetters(dead)),
      telemetry,
      now,
      random: () => 0.5,
      load,
      retryWindowDays: connector.retryWindowDays,
      hasNeighbours: true,
      orderRetentionDays: connector.orderRetentionDays,
      rewards: given.rewards,
      deadline,
      read: (event: StoreEvent) => parts.read(event),
      shop: (domain: string) => {
        const shop = connector.shops.find((one) => one.domain === domain);
        const breaker = breakers.get(domain);
        if (!shop || !breaker) throw new Error(`unknown shop: ${domain}`);
        const { assumptions } = connector.loyalty;
        const { rules, otherOrderIds, mode } = shop;
        const observes = mode === 'observe';
        const calls = observes ? loyalty.connect({ readOnly: true }) : client;
        return { loyalty: watch(calls), breaker, rules, assumptions, otherOrderIds, observes };
      },
    };
  }

  const opened = {
    clock,
    loyalty,
    store,
    ledger: memoryLedger,
    parts,
    queues,
    dead,
    telemetry,

    /** Enqueues an event as the receiver does. */
    async deliver({ topic, payload, webhookId, shop = SHOP }: Delivery): Promise<void> {
      const route = routeOf(topic);
      if (!route) throw new Error(`no topic ${topic}`);
      deliveries += 1;
      const body = Buffer.from(typeof payload === 'string' ? payload : JSON.stringify(payload));
      await createMemoryEventQueue(queues).send({
        shop,
        kind: route.kind,
        claim: route.claim,
        origin: 'webhook',
        id: identifyEntity(route, body, shop),
        topic,
        deliveryId: webhookId ?? `delivery-${deliveries}`,
        receivedAt: now().toISOString(),
        triggeredAt: now().toISOString(),
        body,
      });
    },

    async send(event: StoreEvent): Promise<void> {
      await createMemoryEventQueue(queues).send(event);
    },

    /** One invocation of one worker; deletes settled messages. */
    async work(
      family: StoreQueueFamily,
      {
        max = 10,
        deadline = new AbortController().signal,
        watch = asItIs,
      }: { readonly max?: number; readonly deadline?: AbortSignal; readonly watch?: Watch } = {},
    ) {
      const batch = queues[family].receive({ max });
      const here = world(family, deadline, watch);
      const left = await runBatch(batch, { ...here, ledger: watch(parts.ledger) }, settleEntities);
      const done = batch.filter(({ messageId }) => !left.includes(messageId));
      await watch({ acknowledge: async () => acknowledge(queues[family], done) }).acknowledge();
      return { received: batch.length, left: left.length };
    },

    /** Works until every queue is empty; advances the clock when all messages wait. */
    async drain({ max = 10 } = {}): Promise<void> {
      for (let round = 0; round < 2_000; round += 1) {
        let received = 0;
        for (const family of ['orders', 'products', 'coupons'] as const) {
          received += (await opened.work(family, { max })).received;
        }
        const size = queues.orders.size + queues.products.size + queues.coupons.size;
        if (size === 0) return;
        if (received === 0) clock.ms += 600_000;
      }
      throw new Error('the queues do not empty');
    },

    /** Like a deployment with another mode of the first shop. */
    changeMode(mode: 'live' | 'observe'): void {
      const [first, ...others] = settings.shops;
      if (first)
        connector = defineConnector({ ...settings, shops: [{ ...first, mode }, ...others] });
    },

    /** Like a deployment with other settings. */
    changeRules(rules: MappingSettings, storefront = settings.storefront): void {
      const common = { ...COMMON_RULES, ...rules };
      connector = defineConnector({
        ...settings,
        rules: common,
        ...(storefront && { storefront }),
      });
    },

    /** One run of the scheduled function, for one shop unless others are named; workers run during its pauses. */
    async reconcile({
      deep = false,
      deadline = new AbortController().signal,
      leftMs = () => 880_000,
      shops: named = [SHOP],
      command = {},
      platform = {},
      rewards = given.rewards && { ...given.rewards, shopScanned: async () => {} },
    }: {
      readonly deep?: boolean;
      readonly deadline?: AbortSignal;
      /** Until the deadline. */
      readonly leftMs?: () => number;
      readonly shops?: readonly string[];
      /** What an operator asks for. */
      readonly command?: Pick<ReconcileRequest, 'shop' | 'request'>;
      /** What the shops' platform says of its scans. */
      readonly platform?: Partial<PlatformHealing>;
      readonly rewards?: ScanMoments | undefined;
    } = {}): Promise<void> {
      const shops = connector.shops.filter(({ domain }) => named.includes(domain));
      await reconcile(
        shops.map((shop) => ({ ...shop, ...platform })),
        { ...command, ...(deep && { mode: 'deep' }) },
        {
          ledger: parts.ledger,
          queue: parts.queue,
          topicOf: platform.topicOf ?? topicOf,
          depth: createMemoryQueueDepth(queues),
          program: (domain) => world('orders', deadline, asItIs).shop(domain),
          pauses: world('orders', deadline, asItIs).pauses,
          telemetry,
          now,
          deadline,
          leftMs,
          inTime: (until) => ({
            rewards,
            store: parts.walkedUntil?.(until) ?? parts.walked,
            checkShop: async () => undefined,
            pause: async (ms) => {
              // A moment between two calls is too short for a worker.
              if (ms < 1_000) return;
              clock.ms += ms;
              for (const family of ['orders', 'products', 'coupons'] as const) {
                await opened.work(family);
              }
            },
          }),
          quietProducts: connector.healing.productChanges === 'events',
          deepEveryDays: connector.healing.deepEveryDays,
          orderRetentionDays: connector.orderRetentionDays,
        },
      );
    },

    /** The dead letters, newest last, without removing them. */
    deadLetters() {
      const letters = dead.receive({ max: 1_000, visibilitySeconds: 1 });
      clock.ms += 2_000;
      return letters;
    },
  };
  return opened;
}

function acknowledge(queue: MemoryQueue, messages: readonly ReceivedMessage[]): void {
  for (const { receiptHandle } of messages) {
    try {
      queue.delete(receiptHandle);
    } catch {
      // Another worker has received the message since; SQS would refuse, too.
    }
  }
}
