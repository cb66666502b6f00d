import { createHash } from 'node:crypto';
import { type FaultBounds, Scheduler } from './scheduler.ts';

/** A world that is built anew for every schedule. Its processes call the outside through the scheduler only. */
export interface Scenario {
  /** Starts the first processes. */
  begin(): void | Promise<void>;
  /** All that the outside holds: ledger, queue, service, store, clock. */
  state(): unknown;
  /** Runs all work that is left, without faults, and returns what is wrong at the end. */
  finish(): Promise<readonly string[]>;
}

export interface Bounds extends FaultBounds {
  readonly mostStates?: number;
}

export interface Explored {
  readonly states: number;
  /** Different states in which the explored part ends; from each, all work that is left is done. */
  readonly ends: number;
  readonly deepest: number;
  /** False where `mostStates` ended the search. */
  readonly isComplete: boolean;
  /** The first schedule that ends wrong, as the choices that lead there. */
  readonly wrong?: { readonly schedule: readonly string[]; readonly what: readonly string[] };
}

/**
 * Tries every order in which the outside can answer, and every place for the faults that the bounds
 * allow. Two schedules that lead to the same state of the outside and to the same answers for each
 * process have the same future: only one of them is continued. So all schedules are covered, not a
 * sample.
 */
export async function explore(
  create: (scheduler: Scheduler) => Scenario,
  bounds: Bounds,
): Promise<Explored> {
  const seen = new Set<string>();
  const open: (readonly number[])[] = [[]];
  const found = { states: 0, ends: 0, deepest: 0 };
  for (let prefix = open.pop(); prefix; prefix = open.pop()) {
    if (seen.size >= (bounds.mostStates ?? Number.POSITIVE_INFINITY)) {
      return { ...found, isComplete: false };
    }
    const scheduler = new Scheduler(bounds);
    const scenario = create(scheduler);
    await scenario.begin();
    for (const choice of prefix) await scheduler.take(choice);
    const taken = [...prefix];
    for (;;) {
      const choices = await scheduler.choices();
      const state = hashOf([scheduler.state(), scenario.state()]);
      if (seen.has(state)) break;
      seen.add(state);
      found.states = seen.size;
      found.deepest = Math.max(found.deepest, taken.length);
      if (choices.length === 0) {
        found.ends += 1;
        scheduler.calm();
        const what = await scenario.finish();
        if (what.length === 0) break;
        return { ...found, isComplete: false, wrong: { schedule: scheduler.journal, what } };
      }
      // The first choice is continued in this run, the others begin anew.
      for (let other = choices.length - 1; other > 0; other -= 1) open.push([...taken, other]);
      await scheduler.take(0);
      taken.push(0);
    }
  }
  return { ...found, isComplete: true };
}

function hashOf(value: unknown): string {
  return createHash('sha1').update(JSON.stringify(value, whole)).digest('base64');
}

/** JSON leaves out what a map, a set or an error holds, and an answer of the ledger is a map. */
function whole(_: string, value: unknown): unknown {
  if (value instanceof Map || value instanceof Set) return [...value, Object.entries(value)];
  return value instanceof Error ? String(value) : value;
}
