import { transportFailure } from '../../../shared/loyalty/result.ts';

interface CallNames {
  /** Readings that nothing in the scenario changes: when they are answered decides nothing. */
  readonly constant?: readonly string[];
  /** They change nothing, so no process needs to die at them. */
  readonly readings: readonly string[];
  /** Changes in the loyalty service: answers can be lost, and a dead process's call can arrive late. */
  readonly service: readonly string[];
  /** The same of changes in the store that may not be repeated. */
  readonly store?: readonly string[];
}

/** Gives parts of the outside to a process so that each of its calls waits for the search. */
export function createWatch(names: CallNames) {
  const [constant, readings, service, store] = [
    ...[names.constant ?? [], names.readings, names.service, names.store ?? []],
  ].map((some) => new Set(some));
  return (scheduler: Scheduler, process: string) =>
    <Part extends object>(part: Part): Part =>
      new Proxy(part, {
        get(object, name) {
          const member: unknown = Reflect.get(object, name);
          const what = String(name);
          if (typeof member !== 'function' || constant?.has(what)) return member;
          const canDie = !readings?.has(what);
          const [label, options] = service?.has(what)
            ? [`loyalty ${what}`, SERVICE]
            : store?.has(what)
              ? [`store ${what}`, STORE]
              : [what, {}];
          return (...given: unknown[]) =>
            scheduler.call(process, label, async () => member.apply(object, given), {
              ...{ canDie, given, ...options },
            });
        },
      });
}

const SERVICE = {
  lost: () => transportFailure('time-out', { mayHaveHappened: true, message: 'no answer' }),
  arrivesLate: true,
};

const STORE = {
  lost: () => ({ kind: 'unavailable', why: 'time-out' }),
  arrivesLate: true,
};

export interface FaultBounds {
  /** How many processes may die in one schedule. */
  readonly crashes: number;
  /** How many answers may be lost in one schedule while their process lives on. */
  readonly lostAnswers: number;
  /** How often the search may leave a process that could go on for another one. Absent: without a limit. */
  readonly preemptions?: number;
}

/**
 * How a call ends. A process dies before a call that changes something: to die after one is to die before
 * the next, and to die before a reading as well.
 */
type CallEnd = 'answered' | 'answer-lost' | 'dies' | 'dies-and-arrives-later' | 'never-arrives';

interface CallOptions<Value> {
  /** What the caller gets when the answer is lost. Without it, this call's answer cannot be lost. */
  readonly lost?: () => Value | Promise<Value>;
  /** The call of a process that died may still arrive, at any later moment. */
  readonly arrivesLate?: boolean;
  /** What the caller gave: when the process is dead, nothing else says what a late call does. */
  readonly given?: readonly unknown[];
  /** The call cannot end while this is false. */
  readonly when?: () => boolean;
  /** False for a reading, and for what is no process of its own, such as the clock. Default: true. */
  readonly canDie?: boolean;
}

interface PendingCall {
  readonly process: string;
  readonly what: string;
  readonly given: readonly unknown[];
  readonly ends: readonly CallEnd[];
  readonly isPossible: () => boolean;
  readonly end: (how: CallEnd) => Promise<void>;
}

interface Choice {
  readonly call: PendingCall;
  readonly how: CallEnd;
}

/** Holds the calls of dead processes. */
const NETWORK = 'network';

/**
 * Holds every call of every process until the search decides which call ends next, and how. Between two
 * decisions each process runs to its next call.
 */
export class Scheduler {
  /** The choices so far, in words. */
  readonly journal: string[] = [];
  readonly #left: { crashes: number; lostAnswers: number; preemptions: number };
  readonly #dead = new Set<string>();
  /** By process: its calls and their answers, which decide what it does next. */
  readonly #histories = new Map<string, unknown[]>();
  #pending: PendingCall[] = [];
  /** The process whose call ended last; only where leaving it counts. */
  #running: string | undefined;
  readonly #isBounded: boolean;
  #isCalm = false;

  constructor({ crashes, lostAnswers, preemptions }: FaultBounds) {
    this.#isBounded = preemptions !== undefined;
    this.#left = { crashes, lostAnswers, preemptions: preemptions ?? 0 };
  }

  call<Value>(
    process: string,
    what: string,
    effect: () => Promise<Value>,
    options: CallOptions<Value> = {},
  ): Promise<Value> {
    const { lost, when = () => true, canDie = true, arrivesLate = false, given = [] } = options;
    if (this.#dead.has(process)) return new Promise(() => {});
    if (this.#isCalm) return effect();
    return new Promise<Value>((resolve, reject) => {
      const end = async (how: CallEnd): Promise<void> => {
        if (how === 'dies') return this.kill(process);
        if (how === 'dies-and-arrives-later') {
          this.kill(process);
          return this.#arriveLate(what, given, effect);
        }
        const answer = await outcomeOf(effect);
        this.#remember(process, [what, how, how === 'answered' ? answer : undefined]);
        if (how === 'answer-lost' && lost) resolve(lost());
        else if ('value' in answer) resolve(answer.value);
        else reject(answer.error);
      };
      const ends: CallEnd[] = ['answered'];
      if (lost) ends.push('answer-lost');
      if (canDie) ends.push('dies');
      if (canDie && arrivesLate) ends.push('dies-and-arrives-later');
      this.#pending.push({ process, what, given, ends, isPossible: when, end });
    });
  }

  /** What may happen next, in an order that is the same in every run. */
  async choices(): Promise<readonly Choice[]> {
    await settled();
    const possible = this.#pending.filter(({ isPossible }) => isPossible());
    const own = possible.filter(({ process }) => process === this.#running);
    const mustGoOn = own.length > 0 && this.#left.preemptions === 0;
    return (mustGoOn ? own : possible)
      .toSorted((a, b) => (a.process < b.process ? -1 : 1))
      .flatMap((call) =>
        call.ends.filter((how) => this.#isLeft(how)).map((how) => ({ call, how })),
      );
  }

  async take(index: number): Promise<void> {
    const choice = (await this.choices())[index];
    if (!choice) throw new Error('a run with the same choices went another way');
    const { call, how } = choice;
    if (this.#isBounded) this.#run(call.process);
    this.#pending = this.#pending.filter((one) => one !== call);
    if (how === 'answer-lost') this.#left.lostAnswers -= 1;
    if (how === 'dies' || how === 'dies-and-arrives-later') this.#left.crashes -= 1;
    this.journal.push(`${call.process} ${call.what}: ${how}`);
    await call.end(how);
  }

  kill(process: string): void {
    this.#dead.add(process);
    // What it has seen decides nothing any more.
    this.#histories.delete(process);
    this.#pending = this.#pending.filter((one) => one.process !== process);
  }

  /** Whether a process waits for the answer to a call whose name begins so. */
  isCalling(what: string): boolean {
    return this.#pending.some((one) => one.what.startsWith(what));
  }

  /** Whether none of these processes has begun and waits for an answer. */
  isIdle(processes: readonly string[]): boolean {
    return this.#pending.every((one) => one.what === 'begins' || !processes.includes(one.process));
  }

  /**
   * What every process has seen, which calls of dead ones may still arrive, and how many faults are left: with the
   * outside it decides the future.
   */
  state(): unknown {
    const histories = [...this.#histories].toSorted(([a], [b]) => (a < b ? -1 : 1));
    const late = this.#pending.flatMap(({ process, what, given }) =>
      process === NETWORK ? [[what, given]] : [],
    );
    return [histories, late, [...this.#dead].sort(), this.#left, this.#running];
  }

  /** From now on every call is answered at once. */
  calm(): void {
    this.#isCalm = true;
  }

  #run(process: string): void {
    const couldGoOn = this.#pending.some(
      (one) => one.process === this.#running && one.isPossible(),
    );
    if (couldGoOn && process !== this.#running) this.#left.preemptions -= 1;
    this.#running = process;
  }

  #arriveLate(what: string, given: readonly unknown[], effect: () => Promise<unknown>): void {
    const end = async (how: CallEnd): Promise<void> => {
      if (how === 'answered') await outcomeOf(effect);
    };
    const ends = ['answered', 'never-arrives'] as const;
    this.#pending.push({ process: NETWORK, what, given, ends, isPossible: () => true, end });
  }

  #isLeft(how: CallEnd): boolean {
    if (how === 'answered' || how === 'never-arrives') return true;
    return how === 'answer-lost' ? this.#left.lostAnswers > 0 : this.#left.crashes > 0;
  }

  #remember(process: string, step: unknown): void {
    const history = this.#histories.get(process);
    if (history) history.push(step);
    else this.#histories.set(process, [step]);
  }
}

type Ended<Value> = { readonly value: Value } | { readonly error: unknown };

async function outcomeOf<Value>(effect: () => Promise<Value>): Promise<Ended<Value>> {
  try {
    return { value: await effect() };
  } catch (error) {
    return { error };
  }
}

/** Promises that are resolved by now continue before any immediate runs. */
const settled = (): Promise<void> => new Promise(setImmediate);
