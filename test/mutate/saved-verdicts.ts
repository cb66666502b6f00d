import { createHash } from 'node:crypto';
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import type { Change } from './instrument.ts';
import type { Verdict } from './try-changes.ts';

interface Saved {
  readonly key: string;
  readonly everything: string;
  readonly verdict: Verdict;
}

export const hash = (...texts: readonly string[]) =>
  createHash('sha1').update(texts.join('\n')).digest('hex');

export const isNoticed = (verdict: Verdict) => verdict !== 'unnoticed' && verdict !== 'unreached';

/** What earlier runs found, one line for each change, so that a run that is stopped goes on. */
export class SavedVerdicts {
  readonly #path: string;
  readonly #everything: string;
  readonly #known = new Map<string, Verdict>();

  /**
   * `everything`: a hash of sources and tests. When it changes, what no test noticed is tried again, and with
   * `isExact` all: the test that noticed a change may be gone.
   */
  constructor(path: string, everything: string, isExact = false) {
    this.#path = path;
    this.#everything = everything;
    const text = existsSync(path) ? readFileSync(path, 'utf8') : '';
    // A run that is killed while it writes leaves half a line.
    const whole = text.slice(0, text.lastIndexOf('\n') + 1);
    if (whole !== text) writeFileSync(path, whole);
    for (const line of whole.split('\n').slice(0, -1)) {
      const { key, everything: then, verdict } = JSON.parse(line) as Saved;
      if ((isNoticed(verdict) && !isExact) || then === everything) this.#known.set(key, verdict);
    }
  }

  get(change: Change, source: string): Verdict | undefined {
    return this.#known.get(keyOf(change, source));
  }

  add(change: Change, source: string, verdict: Verdict): void {
    const key = keyOf(change, source);
    this.#known.set(key, verdict);
    const saved: Saved = { key, everything: this.#everything, verdict };
    appendFileSync(this.#path, `${JSON.stringify(saved)}\n`);
  }
}

const keyOf = ({ location, replacement }: Change, source: string) =>
  hash(source, JSON.stringify(location), replacement);
