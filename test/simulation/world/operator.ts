import type { LetterFilter } from '../../../scripts/connector/ground/letters/read-letters.ts';
import {
  letterReaderOf,
  newTally,
  replayLetters,
} from '../../../scripts/connector/ground/letters/replay-letters.ts';
import {
  type DeadLetter,
  type DeadLetterQueue,
  retireSummaries,
} from '../../../shared/core/batch/dead-letter.ts';
import { createCircuitBreaker } from '../../../shared/core/calls/call-loyalty.ts';
import {
  changeControl,
  createPauses,
  resumed,
  withOperatorPause,
} from '../../../shared/core/calls/shop-pause.ts';
import { decodeEvent } from '../../../shared/core/events/decode-event.ts';
import type {
  BulkQueue,
  QueuedEvent,
  StoreQueueFamily,
} from '../../../shared/core/events/event.ts';
import type { Ledger } from '../../../shared/core/ledger/ledger.ts';
import { reconcile } from '../../../shared/core/reconcile/reconcile.ts';
import { topicOf } from '../../../shared/shopify/webhooks/topics.ts';
import type { MemoryLedger } from '../../support/memory-ledger.ts';
import { createMemoryQueueDepth } from '../../support/memory-queue.ts';
import { letterIdsIn } from '../../support/parked-letters.ts';
import { retryNow } from '../../support/retry-now.ts';
import { joined } from '../kernel/chance.ts';
import { BEGINNING, type Kernel } from '../kernel/kernel.ts';
import { SimulatedProcess } from '../kernel/simulated-process.ts';
import { connector, type Rules, SHOP } from './connector.ts';
import type { LivingStore } from './living-store.ts';
import type { LoyaltyService } from './loyalty-service.ts';
import { eventQueueOf, ledgerOf, runScheduled, storeOf } from './process-world.ts';
import { FAMILIES, letterQueueOn, type Queues, WORKER_TIMEOUT_MS } from './queues.ts';
import type { WatchedTelemetry } from './watched-telemetry.ts';

const HOUR_MS = 3_600_000;
/** Longer than the retry window of four days. */
const LONGEST_MS = 6 * 24 * HOUR_MS;
/** Most pauses are short: a worker asks every few minutes whether one is over, which takes as long as many webhooks. */
const SHORT_MS = 5 * HOUR_MS;

interface PausedWorld {
  readonly kernel: Kernel;
  readonly ledger: Pick<Ledger, 'readMany' | 'write'>;
  readonly loyalty: LoyaltyService;
  readonly telemetry: WatchedTelemetry;
}

/** In some runs an operator pauses the shop, for up to six days: nothing may be called, parked or lost. */
export class OperatorPause {
  readonly #kernel: Kernel;
  readonly #ledger: Pick<Ledger, 'readMany' | 'write'>;
  readonly #loyalty: LoyaltyService;
  readonly #telemetry: WatchedTelemetry;
  readonly #from: number;

  constructor({ kernel, ledger, loyalty, telemetry }: PausedWorld) {
    this.#kernel = kernel;
    this.#telemetry = telemetry;
    this.#ledger = ledger;
    this.#loyalty = loyalty;
    const { chance, time } = kernel;
    this.#from =
      chance(30) < 0.15 ? BEGINNING + chance(31) * 2 * HOUR_MS : Number.POSITIVE_INFINITY;
    if (!this.happens) return;
    kernel.journal.play('pause of the shop');
    time.at(this.#from, async () => {
      await this.#change('pauses');
      const until = Number.POSITIVE_INFINITY;
      this.#telemetry.pauses.push({ shop: SHOP, from: time.now, until });
      // A batch that began before may finish.
      const silentFrom = time.now + WORKER_TIMEOUT_MS;
      loyalty.onCall = (words) => {
        if (time.now > silentFrom)
          kernel.journal.violation('paused', `${words}: the shop is paused`);
      };
    });
  }

  get happens(): boolean {
    return Number.isFinite(this.#from);
  }

  /** Waits until it is over; at once in a run without one. */
  async end(): Promise<void> {
    if (!this.happens) return;
    const { chance, time } = this.#kernel;
    const ms = chance(38) < 0.7 ? chance(32) * SHORT_MS : (0.5 + chance(32) / 2) * LONGEST_MS;
    await time.passUntil(Math.max(time.now, this.#from + ms));
    this.#loyalty.onCall = () => {};
    const from = this.#kernel.time.now;
    await this.#change('resumes');
    this.#telemetry.woken.push({ from, until: this.#kernel.time.now });
  }

  async #change(how: 'pauses' | 'resumes'): Promise<void> {
    const { journal, now } = this.#kernel;
    journal.note(this.#from, () => `an operator ${how} the shop`);
    await changeControl(this.#ledger, SHOP, (control) =>
      how === 'pauses'
        ? withOperatorPause(control, 'all', 'operator', now())
        : resumed(control, 'all', now()),
    );
  }
}

/** The clock of an operator's machine is wrong by half of it at most. */
const CLOCKS_DIFFER_MS = 120_000;

/** Longer than a call that began under faults takes, and shorter than a circuit breaker may stay open. */
const AFTER_FAULTS_MS = 12_000;

interface WakingWorld {
  readonly kernel: Kernel;
  readonly queues: Queues;
  readonly ledger: MemoryLedger;
  readonly telemetry: WatchedTelemetry;
}

/** Ends the waits of messages: `loyalty-connector retry-now`. */
export class WakingOperator {
  readonly #world: WakingWorld;
  #runs = 0;

  constructor(world: WakingWorld) {
    this.#world = world;
  }

  /** At some steps, at any moment of the faults. */
  step(step: number): void {
    const { chance } = this.#world.kernel;
    const drawn = chance(joined(39, step));
    if (drawn < 0.04) void this.#wake((chance(joined(40, step)) - 0.5) * CLOCKS_DIFFER_MS);
  }

  /** Once the faults are over: from then on nothing waits for a circuit breaker. */
  wakeAfterFaults(): void {
    const { kernel } = this.#world;
    kernel.time.at(kernel.calmFrom + AFTER_FAULTS_MS, async () => {
      await this.#wake(0);
      kernel.wokenAt = kernel.time.now;
    });
  }

  async #wake(aheadMs: number): Promise<void> {
    const { kernel, queues, ledger, telemetry } = this.#world;
    const span = { from: kernel.time.now, until: Number.POSITIVE_INFINITY };
    telemetry.woken.push(span);
    this.#runs += 1;
    const process = new SimulatedProcess(kernel, `retry-now ${this.#runs}`);
    kernel.journal.play('retry-now');
    const now = new Date(kernel.time.now + aheadMs);
    const memory = { shop: SHOP, ledger, queues: queues.sources, now };
    try {
      const { woken } = await retryNow(memory, ledgerOf(process, ledger));
      for (const family of new Set(woken.map(({ queue }) => queue))) queues.onSent(family);
    } catch {
      // An error of AWS ends the command, and it is started again.
    }
    span.until = kernel.time.now;
  }
}

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

  /** One run of the scheduled function. */
  reconcile(isDeep: boolean): void {
    const { kernel, queues, ledger, store, loyalty, telemetry, rules } = this.#world;
    this.#runs += 1;
    kernel.journal.play(isDeep ? 'deep reconcile' : 'reconcile');
    runScheduled(kernel, `reconcile ${this.#runs}`, async ({ process, deadline, pause }) => {
      kernel.journal.note(process.key, () => `${process.name} begins${isDeep ? ', deep' : ''}`);
      const observes = () => rules.isObserved;
      const pauses = createPauses({ ledger: ledgerOf(process, ledger), telemetry, observes });
      const program = {
        loyalty: loyalty.clientOf(process, () => new Set()),
        breaker: pauses.guard(SHOP, createCircuitBreaker()),
        assumptions: connector.loyalty.assumptions,
      };
      const mode = rules.isObserved ? ('observe' as const) : ('live' as const);
      const shops = connector.shops.map((shop) => ({ ...shop, mode, rules: rules.current }));
      await reconcile(shops, isDeep ? { mode: 'deep' } : {}, {
        ledger: ledgerOf(process, ledger),
        queue: eventQueueOf(process, queues),
        topicOf,
        depth: createMemoryQueueDepth(queues.sources),
        program: () => program,
        pauses,
        telemetry,
        now: kernel.now,
        deadline,
        leftMs: () => 880_000,
        inTime: (until) => ({
          store: storeOf(process, store, kernel, until),
          pause,
          checkShop: async () => undefined,
        }),
        quietProducts: false,
        deepEveryDays: connector.healing.deepEveryDays,
        orderRetentionDays: connector.orderRetentionDays,
      });
      return 'ends';
    });
  }

  /** `loyalty-connector dead-letters replay` of the chosen dead letters that can succeed. */
  replay(filter: LetterFilter = {}): void {
    const { kernel, queues, ledger } = this.#world;
    this.#runs += 1;
    const process = new SimulatedProcess(kernel, `replay ${this.#runs}`);
    kernel.journal.play('replay of dead letters');
    const replayQueue: Pick<BulkQueue, 'sendAll'> = {
      sendAll: (events, nameOf) =>
        process.call('queue', `replays ${events.length} dead letters`, async () => {
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
      ...letterReaderOf([{ domain: SHOP, platform: 'shopify' }]),
      now: kernel.now,
      signal: new AbortController().signal,
      onReplayed: () => {},
    };
    const seen = FAMILIES.map((family) => letterQueueOn(family, queues.dead[family]));
    // An error of AWS ends the command, and it is started again.
    letterIdsIn(seen, filter)
      .then((ids) => replayLetters({ letterIds: new Set(ids), by: 'somebody' }, world, newTally()))
      .catch(() => {});
  }

  /** A dead letter may be deleted only after its queue has accepted the replay. */
  #watchRemoval(body: string | undefined): void {
    const decoded = decodeEvent(body ?? '');
    if (decoded.kind !== 'event') return;
    const { topic, deliveryId, replays = [] } = decoded.event;
    const name = replayName(decoded.event, replays.length + 1);
    if (this.#replayed.has(name)) return;
    const what = `the dead letter of ${topic} ${deliveryId} is removed, and no queue has taken it back`;
    this.#world.kernel.journal.violation('lost-letter', what);
  }

  #letterQueue(family: StoreQueueFamily, process: SimulatedProcess): DeadLetterQueue {
    const letters = letterQueueOn(family, this.#world.queues.dead[family]);
    const bodies = new Map<string, string>();
    const call = <Value>(what: string, effect: () => Promise<Value>): Promise<Value> =>
      process.call('queue', `${what} dead letters of ${family}`, effect);
    return {
      ...letters,
      receive: (hiddenSeconds) =>
        call('receives', async () => {
          const received = await letters.receive(hiddenSeconds);
          for (const { receiptHandle, body } of received) bodies.set(receiptHandle, body);
          return received;
        }),
      giveBack: (handles) => call('gives back', () => letters.giveBack(handles)),
      remove: (handles) =>
        call('removes', () => {
          for (const handle of handles) this.#watchRemoval(bodies.get(handle));
          return letters.remove(handles);
        }),
    };
  }
}

const replayName = ({ topic, deliveryId }: QueuedEvent, times: number): string =>
  `${topic} ${deliveryId} ${times}`;
