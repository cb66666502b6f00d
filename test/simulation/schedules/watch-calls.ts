import { transportFailure } from '../../../shared/loyalty/result.ts';
import type { Scheduler } from './scheduler.ts';

interface CallNames {
  /** Readings that nothing in the scenario changes: when they are answered decides nothing. */
  readonly constant?: readonly string[];
  /** They change nothing, so no process needs to die at them. */
  readonly readings: readonly string[];
  /** Changes in the loyalty service: answers can be lost, and a dead process's call can arrive late. */
  readonly service: readonly string[];
}

/** Gives parts of the outside to a process so that each of its calls waits for the search. */
export function createWatch(names: CallNames) {
  const [constant, readings, service] = [names.constant ?? [], names.readings, names.service].map(
    (some) => new Set(some),
  );
  return (scheduler: Scheduler, process: string) =>
    <Part extends object>(part: Part): Part =>
      new Proxy(part, {
        get(object, name) {
          const member: unknown = Reflect.get(object, name);
          const what = String(name);
          if (typeof member !== 'function' || constant?.has(what)) return member;
          const canDie = !readings?.has(what);
          const [label, options] = service?.has(what) ? [`loyalty ${what}`, SERVICE] : [what, {}];
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
