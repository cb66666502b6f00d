import { joined, nameOf, type Resource } from './chance.ts';
import type { Kernel } from './kernel.ts';

/** The longest time of a call. */
const LONGEST_CALL_MS = 25;
const TIME_OUT_MS = 3_000;

/**
 * One function instance. It can die at every await; between two invocations it is frozen, and gets answers
 * only when it is resumed.
 *
 *   running ◀──▶ frozen
 *      └────▶ dead ◀┘
 */
export class SimulatedProcess {
  readonly name: string;
  readonly key: number;
  /** Of the next release. */
  readonly isNewer: boolean;
  readonly #kernel: Kernel;
  #state: 'running' | 'frozen' | 'dead' = 'running';
  #held: (() => void)[] = [];
  #calls = 0;
  #onDeath: () => void;

  constructor(kernel: Kernel, name: string, onDeath: () => void = () => {}) {
    this.#kernel = kernel;
    this.name = name;
    this.key = nameOf(name);
    this.isNewer = kernel.rollout.startsNewer(kernel.time.now, this.key);
    this.#onDeath = onDeath;
  }

  get isDead(): boolean {
    return this.#state === 'dead';
  }

  /** Dead, or of the release that was replaced: no new work is given to it. */
  get isOver(): boolean {
    const { time, rollout } = this.#kernel;
    return this.isDead || (!this.isNewer && time.now >= rollout.until);
  }

  /** What the next release wrote: ledger keys and messages. */
  get writtenByNewer(): Set<string> {
    return this.#kernel.rollout.written;
  }

  /** The name of the next random number of this process. */
  nextName(): number {
    this.#calls += 1;
    return joined(this.key, this.#calls);
  }

  /** Delivers an answer to the process: later if it is frozen, never if it is dead. */
  hear(what: () => void): void {
    if (this.#state === 'running') what();
    else if (this.#state === 'frozen') this.#held.push(what);
  }

  freeze(): void {
    if (this.#state === 'running') this.#state = 'frozen';
  }

  thaw(onDeath: () => void): void {
    if (this.#state !== 'frozen') return;
    this.#state = 'running';
    this.#onDeath = onDeath;
    const held = this.#held;
    this.#held = [];
    for (const what of held) this.hear(what);
  }

  die(): void {
    if (this.#state === 'dead') return;
    this.#state = 'dead';
    this.#held = [];
    this.#onDeath();
  }

  /** One call to a service, which may have a fault. */
  call<Value>(
    resource: Exclude<Resource, 'loyalty'>,
    what: string,
    effect: () => Promise<Value>,
  ): Promise<Value> {
    const { time, journal } = this.#kernel;
    const name = this.nextName();
    const end = this.#kernel.decideEnd(name, resource, () => `${this.name}: ${what}`);
    const ms = 1 + Math.floor(this.#kernel.chance(name, 2) * LONGEST_CALL_MS);
    return new Promise<Value>((resolve, reject) => {
      time.after(ms, () => {
        const acts = end === 'fine' || end === 'unanswered' || end === 'dies-after';
        journal.note(name, () => `${this.name}: ${what}${acts ? '' : ' (not done)'}`);
        const answer = acts ? effect() : undefined;
        // The process may be dead by now.
        answer?.catch(() => {});
        if (end === 'dies-before' || end === 'dies-after') {
          this.die();
        } else if (end === 'fine' && answer) {
          this.hear(() => answer.then(resolve, reject));
        } else {
          const error = new Error(end === 'refused' ? 'ServiceUnavailable' : 'TimeoutError');
          const afterMs = end === 'refused' ? 0 : TIME_OUT_MS;
          time.after(afterMs, () => this.hear(() => reject(error)));
        }
      });
    });
  }
}
