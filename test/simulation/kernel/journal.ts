import { joined, nameOf } from './chance.ts';

export interface JournalLine {
  /** Epoch milliseconds. */
  readonly at: number;
  readonly text: string;
}

/** A fault of the seed, with the name by which it can be left out. */
export interface Fault {
  readonly name: number;
  /** For the sums over many seeds. */
  readonly kind: string;
  readonly text: string;
}

/** A broken promise and the oracle that found it. */
export interface Violation {
  readonly oracle: string;
  readonly at: number;
  readonly what: string;
}

/** What happened in a run: always as a hash, which equal runs share, and as text only on request. */
export class Journal {
  readonly lines: JournalLine[] = [];
  readonly faults: Fault[] = [];
  readonly violations: Violation[] = [];
  /** How often each thing was done, for the sums over many seeds. */
  readonly played = new Map<string, number>();
  readonly #inWords: boolean;
  readonly #now: () => number;
  #trace = 0;

  constructor(inWords: boolean, now: () => number) {
    this.#inWords = inWords;
    this.#now = now;
  }

  /** The same for two runs in which the same things happened at the same moments. */
  get trace(): string {
    return (this.#trace >>> 0).toString(16).padStart(8, '0');
  }

  note(what: number, words: () => string): void {
    const now = this.#now();
    this.#trace = joined(joined(joined(this.#trace, what), now / 4_294_967_296), now);
    if (this.#inWords) this.lines.push({ at: now, text: words() });
  }

  fault(name: number, kind: string, words: () => string): void {
    this.faults.push({ name, kind, text: this.#inWords ? words() : '' });
    this.note(name, words);
  }

  play(what: string, times = 1): void {
    this.played.set(what, (this.played.get(what) ?? 0) + times);
  }

  /** The first of its kind is enough: the others follow from it. */
  violation(oracle: string, what: string): void {
    this.note(nameOf(oracle), () => `!! ${oracle}: ${what}`);
    if (this.violations.some((one) => one.oracle === oracle)) return;
    this.violations.push({ oracle, at: this.#now(), what });
  }
}
