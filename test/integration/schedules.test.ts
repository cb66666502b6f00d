import { describe, expect, it } from 'vitest';
import { explore } from '../simulation/schedules/explore.ts';
import { searches } from '../simulation/schedules/print-schedules.ts';

const PATIENCE_MS = 600_000;

/** The two quick ones; `npm run simulate -- --schedules` runs all. */
describe('all schedules of', () => {
  it.each(searches.slice(0, 2))(
    '$name: points are spent once, and every code or its points are there',
    async ({ scenario, bounds }) => {
      const { wrong, isComplete } = await explore(scenario, bounds);

      expect(wrong).toBeUndefined();
      expect(isComplete).toBe(true);
    },
    PATIENCE_MS,
  );
});
