import { describe, expect, it } from 'vitest';
import { explore } from '../simulation/schedules/explore.ts';
import { searches } from '../simulation/schedules/searches.ts';

const PATIENCE_MS = 600_000;

/** The quick ones by their numbers; `npm run simulate -- --schedules` runs all. */
const QUICK = [1, 2, 10, 14, 15];

describe('all schedules of', () => {
  it.each(searches.filter((_, at) => QUICK.includes(at + 1)))(
    '$name: each ends with exact points',
    async ({ scenario, bounds }) => {
      const { wrong, isComplete } = await explore(scenario, bounds);

      expect(wrong).toBeUndefined();
      expect(isComplete).toBe(true);
    },
    PATIENCE_MS,
  );
});
