import { createMemoryLedger } from '../../local/harness/memory-ledger.ts';
import {
  createMemoryDeadLetters,
  createMemoryQueue,
  createMemorySourceQueue,
} from '../../local/harness/memory-queue.ts';
import { recordTelemetry } from '../../local/harness/recorded-telemetry.ts';
import { settleBalances } from '../../shared/core/balances/settle-balances.ts';
import { runBatch } from '../../shared/core/batch/run-batch.ts';
import { createCircuitBreaker } from '../../shared/core/calls/call-loyalty.ts';
import { createPauses } from '../../shared/core/calls/shop-pause.ts';
import {
  type BalanceEvent,
  type BalanceRequest,
  deduplicationIdOf,
  groupIdOf,
} from '../../shared/core/events/event.ts';
import { encodeEvent } from '../../shared/core/events/message-body.ts';
import type { Ledger } from '../../shared/core/ledger/ledger.ts';
import { createMemoryBalanceStore } from './memory-reward-store.ts';

export const SHOP = 'example-store.myshopify.com';

type AnnouncedEvent = Partial<BalanceEvent> & { readonly at?: number; readonly point?: string };
type Worked = { readonly received: number; readonly left: number };

/** The balance worker in this process, on a clock that the test moves. */
export function openBalanceWorker(customers: readonly string[]) {
  const clock = { ms: Date.parse('2026-10-09T12:00:00.000Z') };
  const now = () => new Date(clock.ms);
  const queue = createMemoryQueue({ now: () => clock.ms, name: 'balances' });
  const dead = createMemoryQueue({ now: () => clock.ms, name: 'dead' });
  const memoryLedger = createMemoryLedger();
  const store = createMemoryBalanceStore(customers);
  const telemetry = recordTelemetry();
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

  const send = async (event: BalanceEvent | BalanceRequest): Promise<void> => {
    queue.send({
      body: encodeEvent(event),
      groupId: groupIdOf(event),
      deduplicationId: deduplicationIdOf(event),
    });
  };

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
    asked: () => asked,
    sendRaw: (body: string, groupId: string) =>
      queue.send({ body, groupId, deduplicationId: `raw-${queue.size}` }),

    /** A point event of a customer, `at` seconds after the clock; the same `point` is the same event. */
    async announce(
      id: string,
      points: number,
      { at = 0, point, ...rest }: AnnouncedEvent = {},
    ): Promise<void> {
      deliveries += 1;
      const eventDate = rest.eventDate ?? new Date(clock.ms + at * 1000).toISOString();
      await send({
        kind: 'balance',
        shop: SHOP,
        id,
        topic: 'Point_Add',
        deliveryId: `${point ?? deliveries}/${eventDate}`,
        eventDate,
        points: String(points),
        cashback: String(points / 20),
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
    ask: (id: string, topic: BalanceRequest['topic'] = 'visit') => {
      deliveries += 1;
      const receivedAt = now().toISOString();
      const deliveryId = `${topic}/${id}/${deliveries}`;
      return send({ kind: 'balance', shop: SHOP, id, topic, deliveryId, receivedAt });
    },

    /** One batch; finished messages leave the queue. */
    async work({ deadline = new AbortController().signal } = {}): Promise<Worked> {
      const batch = queue.receive({ max: 10 });
      const left = await runBatch(
        batch,
        {
          ledger: parts.ledger,
          pauses,
          balances: store,
          queue: { send: async (event) => (event.kind === 'balance' ? send(event) : undefined) },
          source: createMemorySourceQueue(queue),
          deadLetters: createMemoryDeadLetters(dead),
          parallel: 10,
          shops: new Map([[SHOP, source]]),
          telemetry,
          now,
          random: () => 0.5,
          retryWindowDays: 4,
          hasNeighbours: false,
          stuckAfterMinutes: 30,
          retentionDays: 400,
          deadline,
        },
        settleBalances,
      );
      for (const { messageId, receiptHandle } of batch) {
        if (!left.includes(messageId)) queue.delete(receiptHandle);
      }
      return { received: batch.length, left: left.length };
    },
  };
  return worker;
}
