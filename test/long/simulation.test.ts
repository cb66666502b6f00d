import { expect, it } from 'vitest';
import { PARTS } from '../simulation/parts.ts';
import { brokenIn } from '../simulation/run-seeds.ts';

/** The seeds after those of test/integration/simulation.test.ts. */
it('the simulation finds every promise kept, whatever fails', { timeout: 600_000 }, async () => {
  const broken = await brokenIn({ first: 21, last: 300 }, { events: 60, parts: PARTS });
  expect(broken, 'npm run simulate -- --part P --events 60 --seed N shows the story').toEqual([]);
});
