import { Journal } from './journal.ts';
import { VirtualTime } from './virtual-time.ts';
import { type Chance, createChance, drawWeather, type Resource, type Weather } from './weather.ts';

export interface KernelSettings {
  readonly seed: number;
  /** The faults, by name, that may happen. Default: all that the seed wants. */
  readonly only?: ReadonlySet<number> | undefined;
  readonly inWords?: boolean;
}

/**
 * How one call of a process ends.
 *
 * `refused`: an error, without effect. `unanswered`: an effect, and an error. `dies-…`: the process is
 * gone at this await, without or with the effect; nobody ever hears of the answer.
 */
type Fate = 'fine' | 'refused' | 'unanswered' | 'dies-before' | 'dies-after';

/** Saturday noon, so that nothing of a run lies in the real future or past of anybody. */
export const BEGINNING = Date.parse('2026-10-10T12:00:00.000Z');

/**
 * Time, chance, the weather, and the record of it all.
 * See docs/decisions/0032-a-seed-decides-everything.md.
 */
export class Kernel {
  readonly time = new VirtualTime(BEGINNING);
  readonly chance: Chance;
  readonly weather: Weather;
  readonly journal: Journal;
  /** From here on nothing goes wrong any more. */
  calmFrom = Number.POSITIVE_INFINITY;
  readonly #only: ReadonlySet<number> | undefined;

  constructor({ seed, only, inWords = false }: KernelSettings) {
    this.chance = createChance(seed);
    this.weather = drawWeather(this.chance);
    this.journal = new Journal(inWords, () => this.time.now);
    this.#only = only;
    for (const [index, { of, from, until }] of this.weather.outages.entries()) {
      const minutes = Math.round((until - from) / 60_000);
      const begin = new Date(BEGINNING + from).toISOString().slice(11, 19);
      if (!this.#mayHappen(-1 - index)) continue;
      this.journal.fault(
        -1 - index,
        () => `the ${of} is away for ${minutes} minutes from ${begin}`,
      );
    }
  }

  now = (): Date => new Date(this.time.now);

  get isCalm(): boolean {
    return this.time.now >= this.calmFrom;
  }

  /** Whether a fault of this likelihood happens here; it is written down if it does. */
  happens(name: number, likelihood: number, words: () => string): boolean {
    if (likelihood === 0 || this.isCalm || !this.#mayHappen(name)) return false;
    if (this.chance(name, 1) >= likelihood) return false;
    this.journal.fault(name, words);
    return true;
  }

  #mayHappen(name: number): boolean {
    return this.#only === undefined || this.#only.has(name);
  }

  isOut(resource: Resource): boolean {
    const { outages } = this.weather;
    if (outages.length === 0 || this.isCalm) return false;
    const since = this.time.now - BEGINNING;
    return outages.some(
      ({ of, from, until }, index) =>
        of === resource && since >= from && since < until && this.#mayHappen(-1 - index),
    );
  }

  decideFate(name: number, resource: Exclude<Resource, 'loyalty'>, what: string): Fate {
    if (this.isCalm) return 'fine';
    if (this.isOut(resource)) return 'refused';
    const { crash, [resource]: trouble } = this.weather;
    const drawn = this.chance(name, 1);
    if (drawn >= crash + trouble || !this.#mayHappen(name)) return 'fine';
    const isSecond = this.chance(name, 3) < 0.5;
    const fate: Fate =
      drawn < crash
        ? isSecond
          ? 'dies-after'
          : 'dies-before'
        : isSecond
          ? 'unanswered'
          : 'refused';
    this.journal.fault(name, () => `${what}: ${WORDS[fate]}`);
    return fate;
  }
}

const WORDS: Readonly<Record<Exclude<Fate, 'fine'>, string>> = {
  refused: 'refused',
  unanswered: 'done, but the answer is lost',
  'dies-before': 'the process dies before it',
  'dies-after': 'the process dies right after it',
};
