import { createMemoryLedger } from '../../local/harness/memory-ledger.ts';
import {
  createMemoryDeadLetters,
  createMemoryQueue,
  createMemorySourceQueue,
} from '../../local/harness/memory-queue.ts';
import { recordTelemetry } from '../../local/harness/recorded-telemetry.ts';
import { runBatch } from '../../shared/core/batch/run-batch.ts';
import { type CircuitBreaker, createCircuitBreaker } from '../../shared/core/calls/call-loyalty.ts';
import { createPauses } from '../../shared/core/calls/shop-pause.ts';
import { deduplicationIdOf, groupIdOf, type QueuedEvent } from '../../shared/core/events/event.ts';
import { encodeEvent } from '../../shared/core/events/message-body.ts';
import { ledgerKeyText } from '../../shared/core/ledger/ledger.ts';
import type { TypedContacts } from '../../shared/core/redeem/challenge.ts';
import type { RedeemRequest, RedeemWorld } from '../../shared/core/redeem/dependencies.ts';
import { listRedemptions } from '../../shared/core/redeem/list-redemptions.ts';
import { createRedeeming } from '../../shared/core/redeem/redeem-reward.ts';
import {
  type ClosedAs,
  closeRedemption,
  settleStorefront,
} from '../../shared/core/redeem/resume-redemption.ts';
import { namesOf } from '../../shared/core/redemptions/redemption-names.ts';
import { bookKey, openBook, recallBook } from '../../shared/core/redemptions/redemption-record.ts';
import { createMemoryBalanceStore, createMemoryRewardStore } from './memory-reward-store.ts';
import { createRewardService } from './reward-service.ts';

export const SHOP = 'example-store.myshopify.com';
export const ROBIN = '7001';

/** The names of Robin's redemption by this click. */
export const namesOfClick = (clientKey = 'click-0001') =>
  namesOf({ shop: SHOP, customerId: ROBIN }, clientKey);

/** The calls of a process: direct, or through one that can be killed. */
type Watch = <T extends object>(part: T) => T;

const asItIs: Watch = (part) => part;

/** Redemptions in this process, on a clock that the test moves. */
export function openRedeeming({
  rewards = [
    { id: 1, points: 100 },
    { id: 2, points: 200, type: 1, value: 10 },
    { id: 3, points: 50, type: 2, value: 0 },
  ],
  redeemsPerHour = 10,
  newBreaker = createCircuitBreaker,
}: Partial<{
  rewards: Parameters<typeof createRewardService>[0];
  redeemsPerHour: number;
  /** That of each batch of the worker. */
  newBreaker: () => CircuitBreaker;
}> = {}) {
  const clock = { ms: Date.parse('2026-10-09T12:00:00.000Z') };
  const now = () => new Date(clock.ms);
  const ledger = createMemoryLedger();
  const queue = createMemoryQueue({
    now: () => clock.ms,
    name: 'balances',
    visibilitySeconds: 360,
  });
  const dead = createMemoryQueue({ now: () => clock.ms, name: 'dead' });
  const loyalty = createRewardService(rewards, now);
  const store = createMemoryRewardStore();
  const balances = createMemoryBalanceStore([ROBIN, '7002']);
  const telemetry = recordTelemetry();
  const never = new AbortController().signal;
  let keys = 0;

  async function acknowledge(batch: readonly { readonly receiptHandle: string }[]): Promise<void> {
    for (const { receiptHandle } of batch) {
      try {
        queue.delete(receiptHandle);
      } catch {
        // After the visibility time-out another worker may have it.
      }
    }
  }

  const events = {
    async send(event: QueuedEvent) {
      queue.send({
        body: encodeEvent(event),
        groupId: groupIdOf(event),
        deduplicationId: deduplicationIdOf(event),
      });
    },
  };

  function worldFor(watch: Watch): RedeemWorld {
    return {
      ledger: watch(ledger),
      loyalty: watch(loyalty),
      breaker: createCircuitBreaker(),
      programIdOf: async (customerId) => ({ kind: 'id', id: `${customerId}@example.com` }),
      store: watch(store),
      queue: watch(events),
      telemetry,
      now,
      inDoubt: () => opened.isInDoubt,
      newKey: () => {
        keys += 1;
        return `00000000-0000-4000-8000-${String(keys).padStart(12, '0')}`;
      },
      settings: {
        rewardTypes: { 0: 'fixed', 1: 'percent', 2: 'free-shipping', 3: 'cashback', 5: 'product' },
        redeemsPerHour,
        retentionDays: 400,
        keepsMetadata: true,
      },
      deadline: never,
    };
  }

  const opened = {
    clock,
    isInDoubt: false,
    ledger,
    queue,
    dead,
    loyalty,
    store,
    balances,
    events,
    telemetry,

    redeem(request: Partial<RedeemRequest> = {}, watch = asItIs) {
      const { customerId = ROBIN, ...more } = request;
      const intent = { rewardId: 1, clientKey: 'click-0001', cart: [], ...more };
      return createRedeeming(SHOP, () => worldFor(watch)).redeem(customerId, intent);
    },

    challenge: (customerId = ROBIN, typed: TypedContacts = {}, watch = asItIs) =>
      createRedeeming(SHOP, () => worldFor(watch)).challenge(customerId, '42', typed),

    async list(customerId = ROBIN) {
      const world = worldFor(asItIs);
      const book = openBook({ shop: SHOP, customerId }, { ...world, ...world.settings });
      const { redemptions } = await book.read();
      return { redemptions: await listRedemptions(redemptions, book, world) };
    },

    /** As it is in the ledger. */
    async kept(customerId = ROBIN) {
      const key = bookKey({ shop: SHOP, customerId });
      const entry = (await ledger.readMany([key])).get(ledgerKeyText(key));
      return recallBook(entry?.remembered, now()).redemptions;
    },

    close: (id: string, as: ClosedAs) =>
      closeRedemption({ shop: SHOP, customerId: ROBIN }, id, as, {
        ...{ ledger, now, queue: events, retentionDays: 400 },
      }),

    /** Puts a dead letter back on the queue. */
    replay() {
      const [letter] = dead.receive();
      if (!letter) throw new Error('there is no dead letter');
      dead.delete(letter.receiptHandle);
      const again = `replayed-${clock.ms}`;
      queue.send({ body: letter.body, groupId: again, deduplicationId: again });
    },

    /** One batch of the worker; finished messages leave the queue. */
    async work(watch = asItIs) {
      const batch = queue.receive({ max: 10 });
      const pauses = createPauses({ ledger: watch(ledger), telemetry, queue: 'balances' });
      const source = { loyalty: watch(loyalty), breaker: newBreaker() };
      const left = await runBatch(
        batch,
        {
          ledger: watch(ledger),
          pauses,
          balances: watch(balances),
          queue: watch(events),
          source: watch(createMemorySourceQueue(queue)),
          deadLetters: watch(createMemoryDeadLetters(dead)),
          parallel: 10,
          shops: new Map([[SHOP, source]]),
          store: watch(store),
          customers: { findCustomer: async () => ({ kind: 'gone' as const }) },
          customerIdIn: 'Id',
          telemetry,
          now,
          random: () => 0.5,
          retryWindowDays: 4,
          hasNeighbours: false,
          stuckAfterMinutes: 30,
          retentionDays: 400,
          deadline: never,
        },
        settleStorefront,
      );
      const done = batch.filter(({ messageId }) => !left.includes(messageId));
      if (done.length > 0) await watch({ acknowledge }).acknowledge(done);
      return batch.length;
    },

    /** Works until the queue is empty, letting time pass where messages wait. */
    async drain() {
      for (let round = 0; round < 300 && queue.size > 0; round += 1) {
        if ((await opened.work()) === 0) clock.ms += 30_000;
      }
    },
  };
  loyalty.balances.set(ROBIN, 1_000);
  return opened;
}

export type Redeeming = ReturnType<typeof openRedeeming>;
