import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { BUG } from '../../foreign/dynamodb-part.ts';
import { mutate } from '../../simulation/mutations/apply-mutation.ts';
import { mutations } from '../../simulation/mutations/mutations.ts';
import { type RunPlan, SavedRun } from '../../simulation/saved-run.ts';
import { explore } from '../../simulation/schedules/explore.ts';
import type { Scheduler } from '../../simulation/schedules/scheduler.ts';
import { searches } from '../../simulation/schedules/searches.ts';
import { shrink } from '../../simulation/shrink.ts';
import type { SimulationResult, SimulationSettings } from '../../simulation/simulate.ts';
import type { SeedReport } from '../../simulation/totals.ts';

describe('the mutations', () => {
  it.each([...mutations, BUG])('$bug: still has its place in the source', (mutation) => {
    expect(() => mutate(mutation)).not.toThrow();
  });

  it('have names of their own', () => {
    expect(new Set(mutations.map(({ name }) => name)).size).toBe(mutations.length);
  });
});

const STEPS = Array.from({ length: 60 }, (_, index) => index);
const FAULTS = [11, 12, 13, 14, 15].map((name) => ({ name, kind: '', text: `fault ${name}` }));

/** Fails where steps 17 and 41 meet fault 14. */
async function simulate(settings: Partial<SimulationSettings>): Promise<SimulationResult> {
  const steps = settings.steps ?? STEPS;
  const faults = FAULTS.filter(({ name }) => settings.only?.has(name) ?? true);
  const fails = steps.includes(17) && steps.includes(41) && faults.some(({ name }) => name === 14);
  const at = Date.parse('2026-10-10T13:02:03.456Z');
  return {
    violations: fails ? [{ oracle: 'orders', at, what: 'order 1 is wrong' }] : [],
    trace: '',
    steps,
    faults,
    lines: [
      { at, text: 'store: order 1 is placed' },
      { at, text: '!! in-flight: 2 messages never settle' },
      { at, text: '!! orders: order 1 is wrong' },
    ],
    counts: {
      webhooks: 0,
      deliveries: 0,
      accepted: 0,
      lost: 0,
      letters: 0,
      happened: 0,
      virtualHours: 0,
      outcomes: new Map(),
      played: new Map(),
    },
  };
}

it('leaves of a failing run only what its failure needs', async () => {
  const shrunk = await shrink({ seed: 1, events: 200 }, await simulate({}), simulate);
  expect(shrunk?.result.steps).toEqual([17, 41]);
  expect(shrunk?.result.faults.map(({ name }) => name)).toEqual([14]);
});

const folder = mkdtempSync(join(tmpdir(), 'saved-run-'));
const file = join(folder, 'state.json');
afterEach(() => rmSync(file, { force: true }));

const plan: RunPlan = { first: 11, last: 15, events: 40, parts: ['orders'] };

const reportOf = (seed: number): SeedReport => ({
  seed,
  part: 'orders',
  violations: seed === 12 ? [{ oracle: 'orders', at: 0, what: 'order 1 is wrong' }] : [],
  counts: {
    ...{ webhooks: 40, deliveries: 50, accepted: 50, lost: 1, letters: 0, happened: 900 },
    virtualHours: 12,
    outcomes: new Map([['applied', 7]]),
    played: new Map([['placeOrder', 3]]),
  },
  faults: new Map([['ledger: refused', 2]]),
});

it('goes on where it was stopped, first with the seeds that were under way', () => {
  const first = new SavedRun(plan, file);
  expect([first.takeSeed(), first.takeSeed(), first.takeSeed()]).toEqual([11, 12, 13]);
  first.end(12, [reportOf(12)]);
  first.save();

  const second = new SavedRun(plan, file);
  const left = Array.from({ length: 5 }, () => second.takeSeed());
  expect(left).toEqual([11, 13, 14, 15, undefined]);
  for (const seed of [11, 13, 14]) second.end(seed, [reportOf(seed)]);
  expect(second.isComplete).toBe(false);
  second.end(15, [reportOf(15)]);
  expect(second.isComplete).toBe(true);
  expect(second.totals.broken).toEqual([{ seed: 12, part: 'orders', oracle: 'orders' }]);
  expect(second.totals.summary).toContain('5 seeds, 1 with a broken promise');
  expect(second.totals.summary).toContain('200 webhooks: 250 deliveries, 5 never came');
  expect(second.totals.summary).toContain('faults: 10 ledger: refused');
  expect(second.totals.summary).toContain('played: 15 placeOrder');
});

it('does not take the state of another run', () => {
  new SavedRun(plan, file).save();
  expect(() => new SavedRun({ ...plan, events: 200 }, file)).toThrow('is of another run');
  expect(() => new SavedRun({ ...plan, code: 'other' }, file)).toThrow('of other code');
});

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
