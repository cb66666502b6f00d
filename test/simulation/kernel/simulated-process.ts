import type { Kernel } from './kernel.ts';
import { joined, nameOf, type Resource } from './weather.ts';

/** Longer than this no call takes, whatever becomes of it. */
const LONGEST_CALL_MS = 25;
const TIME_OUT_MS = 3_000;

/**
 * One function instance. It can die at every await; between two invocations it is frozen, and what comes
 * in meanwhile is heard when it goes on, if it ever does.
 *
 *   running ◀──▶ frozen
 *      └────▶ dead ◀┘
 */
export class SimulatedProcess {
  readonly name: string;
  readonly key: number;
  readonly #kernel: Kernel;
  #state: 'running' | 'frozen' | 'dead' = 'running';
  #held: (() => void)[] = [];
  #calls = 0;
  #onDeath: () => void;

  constructor(kernel: Kernel, name: string, onDeath: () => void = () => {}) {
    this.#kernel = kernel;
    this.name = name;
    this.key = nameOf(name);
    this.#onDeath = onDeath;
  }

  get isDead(): boolean {
    return this.#state === 'dead';
  }

  /** Names the next thing that chance decides about this process. */
  nextName(): number {
    this.#calls += 1;
    return joined(this.key, this.#calls);
  }

  /** What the process hears, unless it is dead; when it is frozen, later. */
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

  /** One call to the outside, at the mercy of the weather. */
  call<Value>(
    resource: Exclude<Resource, 'loyalty'>,
    what: string,
    effect: () => Promise<Value>,
  ): Promise<Value> {
    const { time, journal } = this.#kernel;
    const name = this.nextName();
    const fate = this.#kernel.decideFate(name, resource, `${this.name}: ${what}`);
    const ms = 1 + Math.floor(this.#kernel.chance(name, 2) * LONGEST_CALL_MS);
    return new Promise<Value>((resolve, reject) => {
      time.after(ms, () => {
        const acts = fate === 'fine' || fate === 'unanswered' || fate === 'dies-after';
        journal.note(name, () => `${this.name}: ${what}${acts ? '' : ' (not done)'}`);
        const answer = acts ? effect() : undefined;
        // Nobody may be left to hear of it.
        answer?.catch(() => {});
        if (fate === 'dies-before' || fate === 'dies-after') {
          this.die();
        } else if (fate === 'fine' && answer) {
          this.hear(() => answer.then(resolve, reject));
        } else {
          const error = new Error(fate === 'refused' ? 'ServiceUnavailable' : 'TimeoutError');
          const afterMs = fate === 'refused' ? 0 : TIME_OUT_MS;
          time.after(afterMs, () => this.hear(() => reject(error)));
        }
      });
    });
  }
}
