import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import type { Change } from './instrument.ts';
import type { Verdict } from './try-changes.ts';

/** What earlier runs of the same code found, one line for each change, so that a run that is stopped goes on. */
export class SavedVerdicts {
  readonly #path: string;
  readonly #known: Map<string, Verdict>;

  /** `code`: a hash. A verdict of other sources or tests says nothing about these. */
  constructor(path: string, code: string) {
    this.#path = path;
    const [then, ...lines] = existsSync(path) ? readFileSync(path, 'utf8').split('\n') : [];
    // The last line is empty, or half of one after a run that was killed while it wrote.
    const whole = then === code ? lines.slice(0, -1) : [];
    this.#known = new Map(whole.map((line) => JSON.parse(line)));
    writeFileSync(path, [code, ...whole, ''].join('\n'));
  }

  get(change: Change): Verdict | undefined {
    return this.#known.get(keyOf(change));
  }

  add(change: Change, verdict: Verdict): void {
    this.#known.set(keyOf(change), verdict);
    appendFileSync(this.#path, `${JSON.stringify([keyOf(change), verdict])}\n`);
  }
}

const keyOf = ({ fileName, location, replacement }: Change) =>
  JSON.stringify([fileName, location, replacement]);
