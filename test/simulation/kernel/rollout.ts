import type { Chance } from './chance.ts';

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
