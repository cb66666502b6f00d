import { appendFileSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * What the command and the processes that run the tests tell each other, in files of one folder: a process that a
 * mutant has hung can only be ended, and what it found must outlive it.
 */
export const STATE_FOLDER = process.env.MUTATION_STATE ?? '';
const path = (name: string) => join(STATE_FOLDER, name);

export interface Plan {
  /** The planted code of each file, by its path. */
  readonly files: Readonly<Record<string, string>>;
  /** The mutants to try; the others stay asleep. */
  readonly wanted: readonly number[];
  /** A test that takes longer is not repeated for each mutant. */
  readonly slowestMs: number;
  /** So long may all mutants of one test take: a slow one does not hold up the others. */
  readonly budgetMs: number;
  /** The mutant that is planted from the start, for what is computed when a module is loaded. */
  readonly always?: number;
}

export const readPlan = (): Plan => JSON.parse(readFileSync(path('plan.json'), 'utf8'));
export const writePlan = (plan: Plan): void =>
  writeFileSync(path('plan.json'), JSON.stringify(plan));

/** Lines that several processes append to; read from where the last reading ended. */
export class SharedLines {
  private readonly file: string;
  private readonly lines = new Set<string>();
  private length = 0;

  constructor(name: 'killed' | 'reached' | 'loaded' | 'done') {
    this.file = path(name);
  }

  add(lines: readonly string[]): void {
    const known = this.read();
    const added = lines.filter((line) => !known.has(line));
    if (added.length > 0) appendFileSync(this.file, added.map((line) => `${line}\n`).join(''));
  }

  read(): ReadonlySet<string> {
    if (!existsSync(this.file) || statSync(this.file).size === this.length) return this.lines;
    const text = readFileSync(this.file, 'utf8');
    const end = text.lastIndexOf('\n') + 1;
    for (const line of text.slice(this.length, end).split('\n')) if (line) this.lines.add(line);
    this.length = end;
    return this.lines;
  }
}
