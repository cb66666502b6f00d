import { availableParallelism } from 'node:os';
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * Minutes in few lines. A run without a cache starts the larger files first: it would leave these to the end, where
 * other workers have nothing left to do.
 */
const LONGEST = /test\/long\/(?:lost-ledger|stack\/limits|operate\/interrupted|package|simulation)/;

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isLongest = ({ moduleId }: TestSpecification) => LONGEST.test(moduleId);
    return [...sorted.filter(isLongest), ...sorted.filter((one) => !isLongest(one))];
  }
}

/**
 * They wait even more than others, for processes, browsers and minutes that are promised. A group of their own: only so
 * may a project have a number of workers of its own.
 */
const long = (name: string, include: string[]): TestProjectInlineConfiguration => ({
  test: {
    ...{ name, include },
    maxWorkers: 2 * availableParallelism(),
    sequence: { groupOrder: 1 },
    globalSetup: 'test/support/run-folder.ts',
    setupFiles: ['test/support/leave-no-process.ts', 'test/support/property-seed.ts'],
    testTimeout: 480_000,
    hookTimeout: 480_000,
    expect: { poll: { timeout: 30_000 } },
  },
});

/** Their fakes stand in the place of modules, or of a browser: both would stay for the files after. */
export const ALONE = [
  'test/unit/given-to-functions.test.ts',
  'test/unit/connector/commands-alone.test.ts',
  'test/unit/app/shown.test.ts',
  'test/unit/console/page.test.ts',
];

/** Nothing may depend on where a server, an operator or a test is: half an hour beside the others, and not in UTC. */
const env = { TZ: 'America/St_Johns' };
const setupFiles = 'test/support/property-seed.ts';

export default defineConfig({
  test: {
    // Integration tests wait for processes and clocks a good part of their time: with one worker per
    // core, a fifth of the machine would stand idle.
    maxWorkers: Math.ceil(1.5 * availableParallelism()),
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        test: {
          name: 'unit',
          include: ['test/unit/**/*.test.ts', 'bench/**/*.test.ts'],
          exclude: ['bench/**/*.{integration,long}.test.ts', ...ALONE],
          // Only a test that hangs gets there: on a busy machine a property test of a second needs many.
          testTimeout: 180_000,
          // Unit tests keep no state of their own outside of their tests: sharing what they import
          // halves the time of the inner loop.
          isolate: false,
          ...{ setupFiles, env },
        },
      },
      {
        test: { name: 'unit-alone', include: ALONE, testTimeout: 180_000, setupFiles, env },
        oxc: { jsx: { importSource: 'preact' } },
      },
      {
        test: {
          name: 'integration',
          globalSetup: 'test/support/run-folder.ts',
          // A third of the time of a file is to load and warm up what it imports, which most files share.
          isolate: false,
          setupFiles: [
            'test/support/shared-process.ts',
            'test/support/leave-no-process.ts',
            'test/support/property-seed.ts',
          ],
          include: ['test/integration/**/*.test.ts', 'bench/**/*.integration.test.ts'],
          testTimeout: 240_000,
          hookTimeout: 240_000,
          expect: { poll: { timeout: 30_000 } },
        },
      },
      long('long', ['test/long/**/*.test.ts', 'bench/**/*.long.test.ts']),
      // How it grows: minutes each, and what they say changes seldom.
      long('night', ['test/night/*.test.ts']),
    ],
  },
});
