import { expect, it } from 'vitest';
import { PARTS } from '../simulation/parts.ts';
import { runSeeds } from '../simulation/run-seeds.ts';

/** The seeds after those of test/integration/simulation.test.ts. */
it('the simulation finds every promise kept, whatever fails', { timeout: 600_000 }, async () => {
  const broken: string[] = [];
  const range = { first: 21, stride: 1, last: 300, events: 60, parts: PARTS };
  await runSeeds(range, ({ seed, part, violations }) => {
    for (const { oracle, what } of violations) {
      broken.push(`${part}, ${oracle}: ${what} (seed ${seed})`);
    }
    return true;
  });
  expect(broken, 'npm run simulate -- --part P --events 60 --seed N shows the story').toEqual([]);
});
