import { describe, expect, it } from 'vitest';
import { mutations } from '../../simulation/mutations/mutations.ts';
import { explore } from '../../simulation/schedules/explore.ts';
import type { Scheduler } from '../../simulation/schedules/scheduler.ts';
import { searches } from '../../simulation/schedules/searches.ts';

/** Two processes add one to a number: with a plain write, or with one that is conditional on the read. */
function counting(scheduler: Scheduler, isConditional: boolean) {
  let number = 0;
  const add = async (process: string): Promise<void> => {
    for (;;) {
      const read = await scheduler.call(process, 'reads', async () => number);
      const isWritten = await scheduler.call(process, 'writes', async () => {
        if (isConditional && number !== read) return false;
        number = read + 1;
        return true;
      });
      if (isWritten) return;
    }
  };
  return {
    begin: () => {
      for (const process of ['a', 'b']) void add(process);
    },
    state: () => number,
    finish: async () => (number === 2 ? [] : [`the number is ${number}`]),
  };
}

/**
 * A process passes on what it reads, as a map; another process changes it. What a dead process passed on may arrive
 * later. `ends`: what arrived at last, and how.
 */
function passingOn(scheduler: Scheduler, ends: Set<string>) {
  let word = 'old';
  let arrived = 'nothing';
  const passOn = async (): Promise<void> => {
    const read = async () => new Map([['word', word]]);
    const found = await scheduler.call('a', 'reads', read, { canDie: false });
    const given = found.get('word') ?? '';
    const arrive = async () => {
      arrived = given;
    };
    await scheduler.call('a', 'passes on', arrive, { arrivesLate: true, given: [given] });
  };
  const change = async () => {
    word = 'new';
  };
  return {
    begin: () => {
      void passOn();
      void scheduler.call('b', 'changes', change, { canDie: false });
    },
    state: () => [word, arrived],
    async finish() {
      const isLate = scheduler.journal.includes('network passes on: answered');
      ends.add(isLate ? `${arrived}, late` : arrived);
      return [];
    },
  };
}

const NO_FAULTS = { crashes: 0, lostAnswers: 0 };
const CRASH = { crashes: 1, lostAnswers: 0 };

describe('the search over all schedules', () => {
  it('finds the schedule in which one addition is lost', async () => {
    const { wrong } = await explore((scheduler) => counting(scheduler, false), NO_FAULTS);

    expect(wrong?.what).toEqual(['the number is 1']);
    expect(wrong?.schedule.filter((step) => step.includes('writes'))).toHaveLength(2);
  });

  it('finds nothing where the write is conditional, and says that it tried everything', async () => {
    const explored = await explore((scheduler) => counting(scheduler, true), NO_FAULTS);

    expect(explored).toMatchObject({ isComplete: true });
    expect(explored.wrong).toBeUndefined();
    expect(explored.states).toBeGreaterThan(1);
  });

  it('lets a call of a dead process arrive late, with what the process had read', async () => {
    const ends = new Set<string>();
    await explore((scheduler) => passingOn(scheduler, ends), CRASH);

    expect([...ends].sort()).toEqual(['new', 'new, late', 'nothing', 'old', 'old, late']);
  });

  it.each([
    [0, undefined],
    [1, ['the number is 1']],
  ])('leaves a process that could go on %i times at most', async (preemptions, what) => {
    const bounds = { ...NO_FAULTS, preemptions };
    const { wrong } = await explore((scheduler) => counting(scheduler, false), bounds);

    expect(wrong?.what).toEqual(what);
  });

  it('stops at the given number of states, and says so', async () => {
    const bounds = { ...NO_FAULTS, mostStates: 2 };
    const explored = await explore((scheduler) => counting(scheduler, true), bounds);

    expect(explored).toMatchObject({ ends: 1, isComplete: false });
  });
});

describe('the searches', () => {
  it.each(searches)('$name: has a deliberate bug', ({ bug }) => {
    expect(mutations.map(({ name }) => name)).toContain(bug);
  });

  it.each(mutations.filter(({ within }) => within === undefined))(
    '$name, which is for no seed, is for a search',
    ({ name }) => {
      expect(searches.map(({ bug }) => bug)).toContain(name);
    },
  );
});
