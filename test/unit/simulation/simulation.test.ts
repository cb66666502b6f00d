import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { plantedBugs } from '../../foreign/planted-bugs.ts';
import { mutate } from '../../simulation/mutations/apply-mutation.ts';
import { mutations } from '../../simulation/mutations/mutations.ts';
import { type RunPlan, SavedRun } from '../../simulation/saved-run.ts';
import { shrink } from '../../simulation/shrink.ts';
import type { SimulationResult, SimulationSettings } from '../../simulation/simulate.ts';
import type { SeedReport } from '../../simulation/totals.ts';

describe('the mutations', () => {
  it.each([...mutations, ...Object.values(plantedBugs)])(
    '$bug: still has its place in the source',
    (mutation) => {
      expect(() => mutate(mutation)).not.toThrow();
    },
  );

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
