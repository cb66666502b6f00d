import { expect, it } from 'vitest';
import { noticeMutation } from '../simulation/mutations/apply-mutation.ts';
import { brokenIn } from '../simulation/run-seeds.ts';

const patience = { timeout: 600_000 };

/** The seeds after those of test/integration/simulation.test.ts. */
it('the simulation finds every promise kept under all faults', patience, async () => {
  const broken = [
    ...(await brokenIn({ first: 6, last: 120 }, { events: 60, parts: ['orders', 'storefront'] })),
    ...(await brokenIn({ first: 6, last: 50 }, { events: 60, parts: ['observed'] })),
  ];
  expect(broken, 'npm run simulate -- --part P --events 60 --seed N shows the story').toEqual([]);
});

/** Found soon, as those of test/integration/simulation.test.ts; `npm run simulate -- --mutations` tries all. */
it.each([
  'no-version-guard',
  'dedup-by-event-id',
  'older-messages-leave-first',
  'retried-messages-are-deleted',
  'lost-answer-counts-as-not-sent',
])('the oracles notice the bug %s', patience, async (name) => {
  expect(await noticeMutation(name, 20, 100)).toMatchObject({ oracle: expect.any(String) });
});
