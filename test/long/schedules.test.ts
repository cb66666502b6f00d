import { describe, expect, it } from 'vitest';
import { explore } from '../simulation/schedules/explore.ts';
import { searches } from '../simulation/schedules/searches.ts';

const PATIENCE_MS = 600_000;

/** The quick ones; `npm run simulate -- --schedules` runs all. */
describe('all schedules of', () => {
  it.each(searches.slice(0, 5))(
    '$name: each ends with exact points',
    async ({ scenario, bounds }) => {
      const { wrong, isComplete } = await explore(await scenario(), bounds);

      expect(wrong).toBeUndefined();
      expect(isComplete).toBe(true);
    },
    PATIENCE_MS,
  );
});
