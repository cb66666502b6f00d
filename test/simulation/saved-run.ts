import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import type { Part } from './parts.ts';
import { type SeedReport, Totals } from './totals.ts';

/** What decides a run of many seeds. */
export interface RunPlan {
  readonly first: number;
  /** Null: without an end. */
  readonly last: number | null;
  readonly events: number;
  readonly parts: readonly Part[];
  /** A hash: results of other code prove nothing. Absent: nothing is saved. */
  readonly code?: string | undefined;
}

interface Saved {
  readonly plan: RunPlan;
  /** The seeds that were under way. */
  readonly open: readonly number[];
  readonly next: number;
  readonly totals: Totals;
}

const SAVED_EVERY_MS = 10_000;

/** Which seeds of a run are done. With a file, a run that was stopped goes on where it was. */
export class SavedRun {
  readonly totals: Totals;
  readonly #file: string | undefined;
  readonly #plan: RunPlan;
  /** Of an earlier run, to be run first. */
  readonly #left: number[] = [];
  readonly #open = new Set<number>();
  readonly #earlierSeconds: number;
  readonly #began = performance.now();
  #next: number;
  #savedAt = Date.now();

  /** Throws where the file is of another run. */
  constructor(plan: RunPlan, file?: string) {
    this.#plan = plan;
    this.#file = file;
    const saved = file !== undefined && existsSync(file) ? read(file) : undefined;
    if (saved && JSON.stringify(saved.plan) !== JSON.stringify(plan)) {
      throw new Error(
        `${file} is of another run, or of other code: delete it, or name another file`,
      );
    }
    this.#next = saved?.next ?? plan.first;
    this.#left.push(...(saved?.open ?? []));
    this.totals = new Totals(saved?.totals);
    this.#earlierSeconds = this.totals.seconds;
  }

  /** A run without an end is never left unfinished. */
  get isComplete(): boolean {
    const { first, last } = this.#plan;
    return last === null || this.totals.seeds >= last - first + 1;
  }

  takeSeed(): number | undefined {
    const seed = this.#left.shift() ?? this.#next;
    if (seed > (this.#plan.last ?? Number.POSITIVE_INFINITY)) return undefined;
    if (seed === this.#next) this.#next += 1;
    this.#open.add(seed);
    return seed;
  }

  end(seed: number, reports: readonly SeedReport[]): void {
    this.#open.delete(seed);
    this.totals.add(reports);
    this.totals.seconds = this.#earlierSeconds + (performance.now() - this.#began) / 1000;
    if (Date.now() - this.#savedAt > SAVED_EVERY_MS) this.save();
  }

  save(): void {
    this.#savedAt = Date.now();
    if (this.#file === undefined) return;
    const open = [...this.#left, ...this.#open];
    const saved: Saved = { plan: this.#plan, open, next: this.#next, totals: this.totals };
    // Renamed, so that a process that dies here leaves the older one.
    writeFileSync(`${this.#file}.new`, JSON.stringify(saved));
    renameSync(`${this.#file}.new`, this.#file);
  }
}

const read = (file: string): Saved => JSON.parse(readFileSync(file, 'utf8'));
