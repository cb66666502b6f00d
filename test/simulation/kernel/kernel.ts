import {
  type Chance,
  createChance,
  drawFaultRates,
  type FaultRates,
  type Resource,
} from './chance.ts';
import { Journal } from './journal.ts';
import { VirtualTime } from './virtual-time.ts';

const MINUTE = 60_000;

/**
 * In some runs the release is replaced by the next one. For up to half an hour functions of both run side by side, on
 * the same queues and ledger: the older ones must wait with what the newer ones wrote, and must not overwrite it.
 */
export class Rollout {
  /** Epoch milliseconds; infinite in a run without one. */
  readonly from: number;
  readonly until: number;
  /** Texts of ledger keys, and ids of messages, that the next release wrote. */
  readonly written = new Set<string>();
  readonly #chance: Chance;

  constructor(chance: Chance, beginning: number, happens: boolean) {
    this.#chance = chance;
    this.from = happens ? beginning + chance(34) * 120 * MINUTE : Number.POSITIVE_INFINITY;
    this.until = this.from + (1 + chance(35) * 29) * MINUTE;
  }

  /** Whether a process that starts now is of the next release. */
  startsNewer(now: number, key: number): boolean {
    return now >= this.until || (now >= this.from && this.#chance(36, key) < 0.5);
  }
}

export interface KernelSettings {
  readonly seed: number;
  /** The faults, by name, that may happen. Default: all of the seed. */
  readonly only?: ReadonlySet<number> | undefined;
  readonly inWords?: boolean;
}

/**
 * How one call of a process ends.
 *
 * `refused`: an error, without effect. `unanswered`: an effect, and an error. `dies-…`: the process is
 * gone at this await, without or with the effect; no one receives the answer.
 */
type CallEnd = 'fine' | 'refused' | 'unanswered' | 'dies-before' | 'dies-after';

/** The name of the fault that two releases run side by side. */
const ROLLOUT = -100;

/** A fixed Saturday noon. */
export const BEGINNING = Date.parse('2026-10-10T12:00:00.000Z');

/**
 * Time, random numbers, the faults, and the journal of a run.
 * See docs/decisions/0033-the-simulation-runs-the-real-core-from-a-seed.md.
 */
export class Kernel {
  readonly time = new VirtualTime(BEGINNING);
  readonly chance: Chance;
  readonly rates: FaultRates;
  readonly journal: Journal;
  readonly rollout: Rollout;
  /** From this moment on there are no faults. */
  calmFrom = Number.POSITIVE_INFINITY;
  /** When an operator woke what waited, in a world without faults. */
  wokenAt = Number.POSITIVE_INFINITY;
  readonly #only: ReadonlySet<number> | undefined;

  constructor({ seed, only, inWords = false }: KernelSettings) {
    this.chance = createChance(seed);
    this.rates = drawFaultRates(this.chance);
    this.journal = new Journal(inWords, () => this.time.now);
    this.#only = only;
    this.rollout = this.#planRollout();
    for (const [index, { of, from, until }] of this.rates.outages.entries()) {
      const minutes = Math.round((until - from) / 60_000);
      const begin = new Date(BEGINNING + from).toISOString().slice(11, 19);
      if (!this.#mayHappen(-1 - index)) continue;
      this.journal.fault(
        -1 - index,
        `${of}: away`,
        () => `the ${of} is away for ${minutes} minutes from ${begin}`,
      );
    }
  }

  #planRollout(): Rollout {
    const happens = this.chance(33) < 0.15 && this.#mayHappen(ROLLOUT);
    const rollout = new Rollout(this.chance, BEGINNING, happens);
    if (!happens) return rollout;
    const [from, until] = [rollout.from, rollout.until].map((at) => new Date(at).toISOString());
    this.journal.fault(
      ROLLOUT,
      'two releases side by side',
      () => `the next release replaces this one from ${from} until ${until}`,
    );
    return rollout;
  }

  now = (): Date => new Date(this.time.now);

  get isCalm(): boolean {
    return this.time.now >= this.calmFrom;
  }

  /** Whether a fault of this probability happens here; if so, the journal records it. */
  happens(name: number, likelihood: number, kind: string, words: () => string): boolean {
    if (likelihood === 0 || this.isCalm || !this.#mayHappen(name)) return false;
    if (this.chance(name, 1) >= likelihood) return false;
    this.journal.fault(name, kind, words);
    return true;
  }

  #mayHappen(name: number): boolean {
    return this.#only === undefined || this.#only.has(name);
  }

  isOut(resource: Resource): boolean {
    const { outages } = this.rates;
    if (outages.length === 0 || this.isCalm) return false;
    const since = this.time.now - BEGINNING;
    return outages.some(
      ({ of, from, until }, index) =>
        of === resource && since >= from && since < until && this.#mayHappen(-1 - index),
    );
  }

  /** When the last outage is over, and only one release is left. */
  get troubleEndsAt(): number {
    const { until } = this.rollout;
    const ends = this.rates.outages.map((outage) => BEGINNING + outage.until);
    return Math.max(0, ...ends, Number.isFinite(until) ? until : 0);
  }

  decideEnd(name: number, resource: Exclude<Resource, 'loyalty'>, what: () => string): CallEnd {
    if (this.isCalm) return 'fine';
    if (this.isOut(resource)) return 'refused';
    const { crash, [resource]: fault } = this.rates;
    const drawn = this.chance(name, 1);
    if (drawn >= crash + fault || !this.#mayHappen(name)) return 'fine';
    const isSecond = this.chance(name, 3) < 0.5;
    const end: CallEnd =
      drawn < crash
        ? isSecond
          ? 'dies-after'
          : 'dies-before'
        : isSecond
          ? 'unanswered'
          : 'refused';
    const kind = drawn < crash ? PROCESS_DIES : `${resource}: ${WORDS[end]}`;
    this.journal.fault(name, kind, () => `${what()}: ${WORDS[end]}`);
    return end;
  }
}

/** The kind of every crash. */
export const PROCESS_DIES = 'a process dies';

const WORDS: Readonly<Record<Exclude<CallEnd, 'fine'>, string>> = {
  refused: 'refused',
  unanswered: 'done, but the answer is lost',
  'dies-before': 'the process dies before it',
  'dies-after': 'the process dies right after it',
};
