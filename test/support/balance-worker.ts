import { runBatch } from '../../shared/core/batch/run-batch.ts';
import { createCircuitBreaker } from '../../shared/core/calls/call-loyalty.ts';
import { createShopLoad } from '../../shared/core/calls/shop-load.ts';
import { createPauses } from '../../shared/core/calls/shop-pause.ts';
import {
  type BalanceEvent,
  deduplicationIdOf,
  groupIdOf,
  type QueuedEvent,
  type ReceivedMessage,
} from '../../shared/core/events/event.ts';
import { encodeEvent } from '../../shared/core/events/message-body.ts';
import type { Ledger } from '../../shared/core/ledger/ledger.ts';
import type { Announcement } from '../../shared/rewards/balances/announce.ts';
import { settleBalances } from '../../shared/rewards/balances/settle-balances.ts';
import { createMemoryLedger } from './memory-ledger.ts';
import {
  createMemoryDeadLetters,
  createMemoryQueue,
  createMemorySourceQueue,
} from './memory-queue.ts';
import { createMemoryBalanceStore } from './memory-reward-store.ts';
import { recordTelemetry } from './recorded-telemetry.ts';

export const SHOP = 'example-store.myshopify.com';

/** The calls of a process: direct, or through one that can be killed. */
export type Watch = <Part extends object>(part: Part) => Part;

export const asItIs: Watch = (part) => part;

/** The queue of balances and all around its worker, in this process, on a clock that the test moves. */
export function openBalanceQueue(customers: readonly string[], visibilitySeconds = 30) {
  const clock = { ms: Date.parse('2026-10-09T12:00:00.000Z') };
  const now = () => new Date(clock.ms);
  const queue = createMemoryQueue({ now: () => clock.ms, name: 'balances', visibilitySeconds });
  const dead = createMemoryQueue({ now: () => clock.ms, name: 'dead' });
  const ledger = createMemoryLedger();
  const balances = createMemoryBalanceStore(customers);
  const telemetry = recordTelemetry();
  /** What the automation of the store was told; `before` is called first, and may fail. */
  const announced = { all: [] as Announcement[], before: undefined as (() => void) | undefined };
  const announcing = {
    expiryNoticeDays: 14,
    async announce(_shop: string, announcement: Announcement) {
      announced.before?.();
      announced.all.push(announcement);
      return { kind: 'taken' } as const;
    },
  };
  const events = {
    async send(event: QueuedEvent): Promise<void> {
      queue.send({
        body: encodeEvent(event),
        groupId: groupIdOf(event),
        deduplicationId: deduplicationIdOf(event),
      });
    },
  };

  function acknowledge(batch: readonly ReceivedMessage[]): void {
    for (const { receiptHandle } of batch) {
      try {
        queue.delete(receiptHandle);
      } catch {
        // After the visibility time-out another worker may have it.
      }
    }
  }

  return {
    ...{ clock, now, queue, dead, ledger, balances, telemetry, events, announced },

    /** What every invocation of the worker has. */
    depsFor: (watch: Watch) => ({
      ledger: watch(ledger) as Ledger,
      balances: watch(balances),
      announcing: watch(announcing),
      queue: watch(events),
      source: watch(createMemorySourceQueue(queue)),
      deadLetters: watch(createMemoryDeadLetters(dead)),
      load: createShopLoad({
        ...{ queue: 'balances', ledger, most: 10, workers: undefined },
        now: () => clock.ms,
        random: () => 0.5,
      }),
      telemetry,
      now,
      random: () => 0.5,
      retryWindowDays: 4,
      hasNeighbours: false,
      retentionDays: 400,
      deadline: new AbortController().signal,
    }),

    /** One batch; finished messages leave the queue. */
    async workOn(
      settle: (batch: readonly ReceivedMessage[]) => Promise<readonly string[]>,
      watch = asItIs,
    ) {
      const batch = queue.receive({ max: 10 });
      const left = await settle(batch);
      const done = batch.filter(({ messageId }) => !left.includes(messageId));
      if (done.length > 0) {
        await watch({ acknowledge: async () => acknowledge(done) }).acknowledge();
      }
      return { received: batch.length, left: left.length };
    },
  };
}

type AnnouncedEvent = Partial<BalanceEvent> & { readonly point?: string };
type Worked = { readonly received: number; readonly left: number };

/** The balance worker in this process, on a clock that the test moves. */
export function openBalanceWorker(customers: readonly string[]) {
  const opened = openBalanceQueue(customers);
  const { clock, now, queue, dead, ledger: memoryLedger, balances: store, telemetry } = opened;
  const { send } = opened.events;
  const parts: { ledger: Ledger } = { ledger: memoryLedger };
  /** By customer: a tier's name, null for none, or another answer of the service. */
  const tiers = new Map<string, string | null | { readonly failure: unknown }>();
  /** By customer: what a reading answers; without one, the service does not know the customer. */
  const points = new Map<string, Readonly<Record<string, unknown>>>();
  /** Called before every reading. */
  const reading: { before: ((id: string) => void) | undefined } = { before: undefined };
  let asked = 0;
  let deliveries = 0;

  const loyalty = {
    async getCustomer(id: string) {
      asked += 1;
      const tier = tiers.get(id) ?? null;
      if (typeof tier === 'object' && tier !== null) return tier.failure as never;
      const CurrentTier = tier === null ? null : { Name: tier };
      return { kind: 'success', value: { OriginalId: id, CurrentTier } } as never;
    },
    async getCustomerPoints(id: string) {
      reading.before?.(id);
      const known = points.get(id);
      const refusal = { kind: 'business-error', class: 'rejected', name: undefined, message: 'no' };
      if (!known) return refusal as never;
      return { kind: 'success', value: { CustomerExists: true, ...known } } as never;
    },
  };
  const pauses = createPauses({ ledger: memoryLedger, telemetry, queue: 'balances' });
  const source = { loyalty, breaker: pauses.guard(SHOP, createCircuitBreaker()) };

  const worker = {
    clock,
    queue,
    dead,
    ledger: memoryLedger,
    parts,
    store,
    tiers,
    points,
    reading,
    telemetry,
    announced: opened.announced,
    asked: () => asked,
    sendRaw: (body: string, groupId: string) =>
      queue.send({ body, groupId, deduplicationId: `raw-${queue.size}` }),

    /** The service says so from now on, and a point event tells that it changed; the same `point` is the same event. */
    async announce(id: string, balance: number, announced: AnnouncedEvent = {}): Promise<void> {
      clock.ms += 1;
      const said = { PointsBalance: balance, CashbackBalance: balance / 20 };
      points.set(id, { ...points.get(id), ...said });
      await worker.tell(id, announced);
    },

    async tell(id: string, { point, ...rest }: AnnouncedEvent): Promise<void> {
      deliveries += 1;
      await send({
        kind: 'balance',
        shop: SHOP,
        id,
        topic: 'Point_Add',
        deliveryId: point ?? `${deliveries}`,
        receivedAt: now().toISOString(),
        ...rest,
      });
    },

    /** Sends a point event and works on it. */
    async handle(id: string, points: number, announced: AnnouncedEvent = {}): Promise<Worked> {
      await worker.announce(id, points, announced);
      return worker.work();
    },

    pointsOf: (id: string) => store.customers.get(id)?.points,
    entry: (id: string) => memoryLedger.entries.get(`customer|${SHOP}|${id}`),

    /** Asks for the customer's balance to be read. */
    ask: (id: string, topic: BalanceEvent['topic'] = 'visit') => {
      deliveries += 1;
      const receivedAt = now().toISOString();
      const deliveryId = `${topic}/${id}/${deliveries}`;
      return send({ kind: 'balance', shop: SHOP, id, topic, deliveryId, receivedAt });
    },

    /** One batch; finished messages leave the queue. */
    work: ({ deadline = new AbortController().signal } = {}): Promise<Worked> =>
      opened.workOn((batch) => {
        const deps = { ...opened.depsFor(asItIs), ledger: parts.ledger, pauses, deadline };
        return runBatch(batch, { ...deps, shops: new Map([[SHOP, source]]) }, settleBalances);
      }),
  };
  return worker;
}
