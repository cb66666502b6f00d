import { describe, expect, it } from 'vitest';
import { noticeMutation } from '../simulation/mutations/apply-mutation.ts';
import { PARTS, simulations } from '../simulation/parts.ts';
import { brokenIn } from '../simulation/run-seeds.ts';

const PATIENCE_MS = 600_000;

describe('the simulation', () => {
  it(
    'finds every promise kept under all faults (test/long has more seeds)',
    async () => {
      const broken = await brokenIn({ first: 1, last: 5 }, { events: 60, parts: PARTS });
      expect(broken, 'npm run simulate -- --part P --events 60 --seed N shows the story').toEqual(
        [],
      );
    },
    PATIENCE_MS,
  );

  it.each(PARTS)(
    'does the same twice in the %s part when it is given the same seed',
    async (part) => {
      const settings = { seed: 14, events: 60 };
      const simulate = simulations[part];
      const [once, again] = [await simulate(settings), await simulate(settings)];
      expect(again.trace).toBe(once.trace);
      expect(again.counts).toEqual(once.counts);
      expect((await simulate({ ...settings, seed: 15 })).trace).not.toBe(once.trace);
    },
  );
});

/** One of each part: test/long has more, and `npm run simulate -- --mutations` tries all. */
const QUICK = ['ack-before-write', 'new-key-at-each-attempt'];

describe('the oracles', () => {
  it.each(QUICK)(
    'notice the bug %s',
    async (name) => {
      expect(await noticeMutation(name, 20, 100)).toMatchObject({ oracle: expect.any(String) });
    },
    PATIENCE_MS,
  );
});
