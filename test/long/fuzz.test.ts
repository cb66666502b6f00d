import { describe, expect, it } from 'vitest';
import { describeReport, runFuzz, unreached } from '../fuzz/run-fuzz.ts';
import { fuzzTargetNames } from '../fuzz/targets.ts';

/** Always the same inputs: what fails here fails everywhere. `npm run fuzz` goes on from there. */
const SEED = 20_261_115;
const INPUTS = 2_000;

describe('whatever anybody sends', () => {
  it.each(fuzzTargetNames)(
    '%s neither breaks nor hangs, grows, pollutes or loses',
    { timeout: 300_000 },
    async (target) => {
      const untilMs = Number.POSITIVE_INFINITY;
      const report = await runFuzz({ target, seed: SEED, inputs: INPUTS, untilMs });
      expect(report.failure && describeReport(target, report, 1)).toBeUndefined();
      expect(report.inputs).toBe(INPUTS);
      expect(unreached(target, report)).toEqual([]);
    },
  );
});
