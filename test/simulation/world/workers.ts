import { shareOutTime } from '../../../functions/wiring.ts';
import { waitingKey } from '../../../shared/core/batch/waiting.ts';
import { createShopLoad, type ShopLoad } from '../../../shared/core/calls/shop-load.ts';
import { createPauses, type Pauses } from '../../../shared/core/calls/shop-pause.ts';
import type { QueueFamily, ReceivedMessage } from '../../../shared/core/events/event.ts';
import type { LogFields } from '../../../shared/core/events/telemetry.ts';
import { ledgerKeyText } from '../../../shared/core/ledger/ledger.ts';
import type { MemoryLedger } from '../../support/memory-ledger.ts';
import { createMemorySourceQueue } from '../../support/memory-queue.ts';
import { nameOf } from '../kernel/chance.ts';
import type { Kernel } from '../kernel/kernel.ts';
import { SimulatedProcess } from '../kernel/simulated-process.ts';
import { connector, SHOP } from './connector.ts';
import { eventQueueOf, ledgerOf } from './process-world.ts';
import { type AllowsLetter, type Queues, WORKER_TIMEOUT_MS } from './queues.ts';
import type { WatchedTelemetry } from './watched-telemetry.ts';

const MOST_WORKERS = 3;
const PARALLEL = 5;
const SLOW_SHARE = 0.3;
const BATCH = 10;

export interface WorkersWorld {
  readonly kernel: Kernel;
  readonly queues: Queues;
  readonly ledger: MemoryLedger;
  readonly telemetry: WatchedTelemetry;
  readonly allowsLetter: AllowsLetter;
  readonly rules?: { readonly isObserved: boolean };
}

/** The part of an invocation that all functions share. `asking`: until when the store is asked. */
type Invocation = ReturnType<Workers['invocationOf']> & Pick<Instance, 'load'>;

type Work = (
  batch: readonly ReceivedMessage[],
  invocation: Invocation,
) => Promise<readonly string[]>;

/** One instance of a function. `failed` has the entities for which the current invocation failed. */
export type StartFunction = (
  process: SimulatedProcess,
  failed: () => Set<string>,
  pauses: Pauses,
) => Work;

/** A function instance and what it keeps between two invocations. */
interface Instance {
  readonly process: SimulatedProcess;
  readonly work: Work;
  readonly load: ShopLoad;
  /** Entities for which the current invocation failed. */
  failed: Set<string>;
}

/** The event source of one queue, and the functions it invokes. */
export class Workers {
  readonly #world: WorkersWorld;
  readonly family: QueueFamily;
  readonly #startFunction: StartFunction;
  readonly #idle: Instance[] = [];
  /** By process: the entities that its invocation has not finished. */
  readonly #busy = new Map<SimulatedProcess, Set<string>>();
  #instances = 0;
  #pollAt = Number.POSITIVE_INFINITY;
  #cancelPoll: () => void = () => {};

  constructor(world: WorkersWorld, family: QueueFamily, startFunction: StartFunction) {
    this.#world = world;
    this.family = family;
    this.#startFunction = startFunction;
  }

  get isBusy(): boolean {
    return this.#busy.size > 0;
  }

  /** A message may be receivable from this moment on. */
  poke(moment: number): void {
    const { time } = this.#world.kernel;
    if (moment >= this.#pollAt) return;
    this.#cancelPoll();
    this.#pollAt = moment;
    this.#cancelPoll = time.at(moment, () => {
      this.#pollAt = Number.POSITIVE_INFINITY;
      this.#poll();
    });
  }

  #poll(): void {
    const { kernel, queues } = this.#world;
    const { time, chance } = kernel;
    if (this.#busy.size >= MOST_WORKERS) return;
    const queue = queues.sources[this.family];
    const max = 1 + Math.floor(chance(nameOf(this.family), time.now, 7) * BATCH);
    const locks = chance(nameOf(this.family), time.now, 8) < 0.5 ? 'group' : 'behind';
    const batch = queue.receive({ max, locks });
    if (batch.length > 0) {
      this.#invoke(batch);
      this.poke(time.now + 1);
    } else if (queue.nextVisibleAt !== undefined) this.poke(queue.nextVisibleAt);
  }

  /** Decided by the content of the message, not by the group that the connector chose. */
  #entityOf({ messageId, groupId }: ReceivedMessage): string {
    return this.#world.queues.entityOf(messageId) ?? groupId;
  }

  #invoke(batch: readonly ReceivedMessage[]): void {
    const { kernel, queues, telemetry } = this.#world;
    const { time, journal } = kernel;
    const entities = new Set(batch.map((message) => this.#entityOf(message)));
    // The outcome of an earlier copy of a delivery is not the outcome of this one.
    for (const { messageId } of batch) telemetry.ends.delete(queues.deliveryOf(messageId) ?? '');
    // A frozen instance may have died in a call that was still open, or have been replaced.
    let instance = this.#idle.pop();
    while (instance?.process.isOver) instance = this.#idle.pop();
    instance ??= this.#start();
    const { process } = instance;
    for (const others of this.#busy.values()) {
      for (const entity of entities) {
        if (others.has(entity)) journal.violation('two-workers', `${entity} is worked on twice`);
      }
    }
    this.#busy.set(process, entities);
    instance.failed = new Set();
    process.thaw(() => this.#end(process));
    journal.note(process.key, () => {
      const what = batch.map(({ messageId, attempts }) => {
        const again = attempts > 1 ? ` (try ${attempts})` : '';
        return `${queues.deliveryOf(messageId)}${again}`;
      });
      return `${process.name} gets ${batch.length}: ${what.join(', ')}`;
    });
    const cancelLimit = time.after(WORKER_TIMEOUT_MS, () => process.die());
    const invoked = instance;
    const broke = (error: unknown) => {
      journal.violation('broke-off', `${process.name} throws ${error}: the whole batch comes back`);
      process.die();
    };
    this.#run(batch, invoked).then(({ left, cancel }) => {
      cancelLimit();
      cancel();
      if (process.isDead) return;
      process.freeze();
      this.#acknowledge(batch, left, process);
      this.#end(process);
      this.#idle.push(invoked);
    }, broke);
  }

  async #run(batch: readonly ReceivedMessage[], { process, work, load }: Instance) {
    const { time } = this.#world.kernel;
    const { workMs, storeMs } = shareOutTime(WORKER_TIMEOUT_MS);
    const working = new AbortController();
    const asking = new AbortController();
    const cancelWork = time.after(workMs, () => process.hear(() => working.abort()));
    const cancelAsking = time.after(storeMs, () => process.hear(() => asking.abort()));
    const { queues } = this.#world;
    const read = batch.map((message) => queues.asReadBy(process, message));
    const invocation = this.invocationOf(process, working.signal, asking.signal);
    const left = await work(read, { ...invocation, load });
    return {
      left,
      cancel: () => {
        cancelWork();
        cancelAsking();
      },
    };
  }

  invocationOf(process: SimulatedProcess, deadline: AbortSignal, asking: AbortSignal) {
    const { kernel, queues, telemetry } = this.#world;
    const source = createMemorySourceQueue(queues.sources[this.family]);
    const dead = queues.deadLettersOf(this.family, this.#world.allowsLetter);
    const began = kernel.time.now;
    /** By delivery: why it waits again. */
    const whys = new Map<string, string>();
    const { entries } = this.#world.ledger;
    const isNewer = (text: string) => !process.isNewer && process.writtenByNewer.has(text);
    const hadWait = ({ messageId, attempts }: ReceivedMessage) => {
      const wait = ledgerKeyText(waitingKey(SHOP, messageId, attempts - 1));
      return entries.has(wait) && !isNewer(wait);
    };
    let draws = 0;
    return {
      ledger: ledgerOf(process, this.#world.ledger),
      queue: eventQueueOf(process, queues),
      source: {
        delay: (messages: readonly ReceivedMessage[], seconds: number) => {
          const why = messages.map((one) => whys.get(queues.deliveryOf(one.messageId) ?? ''));
          // For a group with a message of the next release, the ledger is not read.
          const isRead = !messages.some(({ messageId }) => isNewer(messageId));
          queues.judgeDelay(messages, {
            ...{ seconds, why: why.find(Boolean) ?? '' },
            hadWait: (message) => isRead && hadWait(message),
          });
          return process.call('queue', `delays ${messages.length} by ${seconds} s`, () => {
            // Counts as finished: the rest of the batch may take longer than the delay.
            for (const one of messages) this.#busy.get(process)?.delete(this.#entityOf(one));
            return source.delay(messages, seconds);
          });
        },
        isCrowded: source.isCrowded,
      },
      deadLetters: {
        family: dead.family,
        park: (...given: Parameters<typeof dead.park>) =>
          process.call('queue', `parks a message: ${given[1].why}`, () => dead.park(...given)),
      },
      telemetry: {
        count: () => {},
        log: (level: string, message: string, fields: LogFields) => {
          const { topic, correlationId, why } = fields;
          if (/^will be tried again$|^waits for its next step$/.test(message))
            whys.set(`${topic} ${correlationId}`, String(why));
          if (why === 'loyalty-unavailable' && began > kernel.wokenAt) {
            const what = `${topic} ${correlationId} waits for the circuit breaker after an operator woke it`;
            kernel.journal.violation('not-probed', what);
          }
          telemetry.log(level, message, fields);
        },
      },
      now: kernel.now,
      random: () => kernel.chance(process.key, kernel.time.now, draws++),
      retryWindowDays: connector.retryWindowDays,
      hasNeighbours: false,
      deadline,
      asking,
    };
  }

  #acknowledge(
    batch: readonly ReceivedMessage[],
    left: readonly string[],
    process: SimulatedProcess,
  ): void {
    const { kernel, queues, telemetry } = this.#world;
    const { journal } = kernel;
    for (const message of batch) {
      const { messageId, body } = message;
      if (left.includes(messageId)) continue;
      const delivery = queues.deliveryOf(messageId) ?? '';
      const end = telemetry.ends.get(delivery);
      if (!end) journal.violation('unaccounted', `${delivery} left its queue without an outcome`);
      if (end === 'parked' && !queues.wasParked(body)) {
        journal.violation('lost-letter', `${delivery} was parked, and no dead letter holds it`);
      }
      const fails = kernel.happens(
        process.nextName(),
        kernel.rates.queue,
        'queue: a deletion fails',
        () => `${delivery}: its deletion fails`,
      );
      if (fails) continue;
      try {
        queues.delete(this.family, message);
      } catch {
        journal.violation('two-workers', `${delivery} was given to another worker meanwhile`);
      }
    }
  }

  #end(process: SimulatedProcess): void {
    this.#busy.delete(process);
    this.poke(this.#world.kernel.time.now + 1);
  }

  #start(): Instance {
    this.#instances += 1;
    const { kernel } = this.#world;
    const process = new SimulatedProcess(kernel, `sync-${this.family} ${this.#instances}`);
    process.freeze();
    const failed = () => instance.failed;
    const ledger = ledgerOf(process, this.#world.ledger);
    const load = createShopLoad({
      ...{ queue: this.family, ledger, most: PARALLEL, workers: MOST_WORKERS },
      now: () => kernel.time.now,
      random: () => kernel.chance(process.key, kernel.time.now, 9),
    });
    // To some the service was slow: they work for the shop only with a place.
    if (kernel.chance(process.key, kernel.time.now, 10) < SLOW_SHARE) load.learn(SHOP, 5_000);
    const pauses = createPauses({
      ledger,
      telemetry: this.#world.telemetry,
      queue: this.family,
      observes: () => this.#world.rules?.isObserved === true,
    });
    const work = this.#startFunction(process, failed, pauses);
    const instance: Instance = { process, failed: new Set(), work, load };
    return instance;
  }
}
