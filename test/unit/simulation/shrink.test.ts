import { expect, it } from 'vitest';
import { shrink, tellStory } from '../../simulation/shrink.ts';
import type { SimulationResult, SimulationSettings } from '../../simulation/simulate.ts';

const STEPS = Array.from({ length: 60 }, (_, index) => index);
const FAULTS = [11, 12, 13, 14, 15].map((name) => ({ name, text: `fault ${name}` }));

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
    },
  };
}

it('leaves of a failing run only what its failure needs', async () => {
  const shrunk = await shrink({ seed: 1, events: 200 }, await simulate({}), simulate);
  expect(shrunk?.result.steps).toEqual([17, 41]);
  expect(shrunk?.result.faults.map(({ name }) => name)).toEqual([14]);
});

it('tells what is left as a story, up to the complaint that it is about', async () => {
  const shrunk = await shrink({ seed: 1, events: 200 }, await simulate({}), simulate);
  if (!shrunk) throw new Error('it failed before');
  expect(tellStory(shrunk)).toBe(`orders: order 1 is wrong

It takes 2 steps of the store and 1 faults:
  - fault 14

  01:02:03.456  store: order 1 is placed
  01:02:03.456  !! in-flight: 2 messages never settle
  01:02:03.456  !! orders: order 1 is wrong`);
});

it('has no story of a run that keeps every promise', async () => {
  const fine = await simulate({ steps: [1] });
  expect(await shrink({ seed: 1, events: 200 }, fine, simulate)).toBeUndefined();
});
