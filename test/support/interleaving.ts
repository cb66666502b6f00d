import { setImmediate as turn } from 'node:timers/promises';

export interface Process {
  /** Every remote call of the process waits for its turn before and after its effect. */
  readonly watch: <T extends object>(part: T) => T;
}

export interface Started {
  readonly isOver: () => boolean;
}

/** Before or after the effect of the given call, counted from 1; undefined means never. */
export interface Death {
  readonly call: number;
  readonly when: 'before' | 'after';
}

/**
 * Runs several simulated processes in one, call by call in the order of `choose`. A process that dies makes
 * no further call and gets no further answer.
 */
export function createInterleaving(choose: (count: number) => number) {
  const waiting: (() => void)[] = [];
  const pause = () => new Promise<void>((resolve) => waiting.push(resolve));

  return {
    /** `isTooOld`: true when the platform has ended the process because of its age. */
    start(
      death: Death | undefined,
      work: (process: Process) => Promise<unknown>,
      isTooOld: () => boolean = () => false,
    ): Started {
      let calls = 0;
      let isOver = false;
      const never = () => {
        isOver = true;
        return new Promise<never>(() => {});
      };
      const watch = <T extends object>(part: T): T =>
        new Proxy(part, {
          get(object, name) {
            const member = Reflect.get(object, name);
            if (typeof member !== 'function') return member;
            return async (...given: unknown[]) => {
              calls += 1;
              const dies = death?.call === calls ? death.when : undefined;
              await pause();
              if (isOver || dies === 'before' || isTooOld()) return never();
              const result = await member.apply(object, given);
              await pause();
              return isOver || dies === 'after' ? never() : result;
            };
          },
        });
      work({ watch }).finally(() => {
        isOver = true;
      });
      return { isOver: () => isOver };
    },

    /** Until all have ended. */
    async run(started: readonly Started[], between: () => void): Promise<void> {
      for (let step = 0; !started.every(({ isOver }) => isOver()); step += 1) {
        if (step > 20_000) throw new Error('the processes do not come to an end');
        await turn();
        if (waiting.length === 0) continue;
        between();
        const [next] = waiting.splice(choose(waiting.length), 1);
        next?.();
      }
    },
  };
}
