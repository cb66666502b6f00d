import { createMemoryQueueDepth } from '../../../local/harness/memory-queue.ts';
import type { LetterFilter } from '../../../scripts/connector/dead-letters/filter.ts';
import {
  letterReaderOf,
  newTally,
  type Pacer,
  replayLetters,
} from '../../../scripts/connector/dead-letters/replay.ts';
import {
  type DeadLetter,
  type LetterQueue,
  retireSummaries,
} from '../../../shared/core/batch/dead-letter.ts';
import { createCircuitBreaker } from '../../../shared/core/calls/call-loyalty.ts';
import { createPauses } from '../../../shared/core/calls/shop-pause.ts';
import { decodeEvent } from '../../../shared/core/events/decode-event.ts';
import type {
  BulkQueue,
  QueuedEvent,
  StoreQueueFamily,
} from '../../../shared/core/events/event.ts';
import type { Ledger } from '../../../shared/core/ledger/ledger.ts';
import { reconcile } from '../../../shared/core/reconcile/reconcile.ts';
import { topicOf } from '../../../shared/shopify/webhooks/topics.ts';
import type { Kernel } from '../kernel/kernel.ts';
import { SimulatedProcess } from '../kernel/simulated-process.ts';
import { connector, type Rules, SHOP } from './connector.ts';
import { deadLetterIn } from './letters.ts';
import type { LivingStore } from './living-store.ts';
import type { LoyaltyService } from './loyalty-service.ts';
import { eventQueueOf, ledgerOf, storeOf } from './process-world.ts';
import { FAMILIES, type Queues } from './queues.ts';
import type { WatchedTelemetry } from './watched-telemetry.ts';

const RECONCILE_TIMEOUT_MS = 15 * 60_000;
const AT_ONCE: Pacer = { pass: async (waiting) => waiting };

interface OperatorWorld {
  readonly kernel: Kernel;
  readonly queues: Queues;
  readonly ledger: Ledger;
  readonly store: LivingStore;
  readonly loyalty: LoyaltyService;
  readonly telemetry: WatchedTelemetry;
  readonly rules: Rules;
}

/** Repairs what events alone do not: the scheduled reconcile, and the operator's replays. */
export class Operator {
  readonly #world: OperatorWorld;
  #runs = 0;
  /** What replays have sent back to a queue. */
  readonly #replayed = new Set<string>();

  constructor(world: OperatorWorld) {
    this.#world = world;
  }

  /** One run of the scheduled function. It may die at any point; the next one continues. */
  reconcile(isDeep: boolean): void {
    const { kernel, queues, ledger, store, loyalty, telemetry, rules } = this.#world;
    const { time, journal } = kernel;
    this.#runs += 1;
    const process = new SimulatedProcess(kernel, `reconcile ${this.#runs}`);
    const deadline = new AbortController();
    journal.note(process.key, () => `${process.name} begins${isDeep ? ', deep' : ''}`);
    journal.play(isDeep ? 'deep reconcile' : 'reconcile');
    const cancel = [
      time.after(RECONCILE_TIMEOUT_MS - 20_000, () => process.hear(() => deadline.abort())),
      time.after(RECONCILE_TIMEOUT_MS, () => process.die()),
    ];
    const pauses = createPauses({ ledger: ledgerOf(process, ledger), telemetry });
    const program = {
      loyalty: loyalty.clientOf(process, () => new Set()),
      breaker: pauses.guard(SHOP, createCircuitBreaker()),
      assumptions: connector.loyalty.assumptions,
    };
    const asked = storeOf(process, store, kernel, deadline.signal);
    const shops = connector.shops.map((shop) => ({ ...shop, rules: rules.current }));
    const run = reconcile(shops, isDeep ? { mode: 'deep' } : {}, {
      ledger: ledgerOf(process, ledger),
      store: asked,
      queue: eventQueueOf(process, queues),
      topicOf,
      depth: createMemoryQueueDepth(queues.sources),
      program: () => program,
      pauses,
      telemetry,
      now: kernel.now,
      pause: (ms) =>
        new Promise((resolve) => {
          time.after(ms, () => process.hear(resolve));
        }),
      deadline: deadline.signal,
      checkSubscriptions: async () => {},
      quietProducts: false,
      everyMinutes: connector.healing.everyMinutes,
      healedPercent: 5,
      orderRetentionDays: connector.orderRetentionDays,
    });
    const end = (how: string) => {
      for (const one of cancel) one();
      journal.note(process.key, () => `${process.name} ${how}`);
    };
    // A failing ledger or queue ends the run; the next one continues.
    run.then(
      () => end('ends'),
      () => end('breaks off'),
    );
  }

  /** `loyalty-connector dead-letters replay` of the chosen letters that can succeed. */
  replay(filter: LetterFilter = {}): void {
    const { kernel, queues, ledger } = this.#world;
    this.#runs += 1;
    const process = new SimulatedProcess(kernel, `replay ${this.#runs}`);
    kernel.journal.play('replay of dead letters');
    const replayQueue: Pick<BulkQueue, 'sendAll'> = {
      sendAll: (events, nameOf) =>
        process.call('queue', `replays ${events.length} letters`, async () => {
          for (const event of events) {
            const name = nameOf?.(event);
            await queues.send(event, { by: process, ...(name !== undefined && { name }) });
            this.#replayed.add(replayName(event, event.replays?.length ?? 0));
          }
          return [];
        }),
    };
    const world = {
      queues: FAMILIES.map((family) => this.#letterQueue(family, process)),
      replayQueue,
      retire: (letters: readonly DeadLetter[]) =>
        retireSummaries(letters, 'replayed', {
          ledger: ledgerOf(process, ledger),
          now: kernel.now(),
        }),
      ...letterReaderOf([{ domain: SHOP }]),
      pacer: AT_ONCE,
      now: kernel.now,
      signal: new AbortController().signal,
      onReplayed: () => {},
    };
    const choice = { filter, limit: 1_000, refetch: false, force: false, by: 'somebody' };
    // An error of AWS ends the command, and it is started again.
    replayLetters(choice, world, newTally()).catch(() => {});
  }

  /** A letter may be deleted only after its queue has accepted the replay. */
  #watchRemoval(body: string | undefined): void {
    const decoded = decodeEvent(body ?? '');
    if (decoded.kind !== 'event') return;
    const { topic, deliveryId, replays = [] } = decoded.event;
    const name = replayName(decoded.event, replays.length + 1);
    if (this.#replayed.has(name)) return;
    const what = `the letter of ${topic} ${deliveryId} is removed, and no queue has taken it back`;
    this.#world.kernel.journal.violation('lost-letter', what);
  }

  #letterQueue(family: StoreQueueFamily, process: SimulatedProcess): LetterQueue {
    const queue = this.#world.queues.dead[family];
    const bodies = new Map<string, string>();
    const call = <Value>(what: string, effect: () => Value): Promise<Value> =>
      process.call('queue', `${what} letters of ${family}`, async () => effect());
    return {
      family,
      receive: (hiddenSeconds) =>
        call('receives', () =>
          queue.receive({ visibilitySeconds: hiddenSeconds }).map((letter) => {
            bodies.set(letter.receiptHandle, letter.body);
            return deadLetterIn(family, letter);
          }),
        ),
      giveBack: (handles) =>
        call('gives back', () => {
          for (const handle of handles) queue.changeVisibility(handle, 0);
        }),
      remove: (handles) =>
        call('removes', () => {
          for (const handle of handles) {
            this.#watchRemoval(bodies.get(handle));
            queue.delete(handle);
          }
        }),
      counts: async () => ({ visible: queue.size, inFlight: 0, retentionSeconds: 0 }),
    };
  }
}

const replayName = ({ topic, deliveryId }: QueuedEvent, times: number): string =>
  `${topic} ${deliveryId} ${times}`;
