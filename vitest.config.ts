import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    // The default leaves one core to the watcher, and on two cores that is half of the machine.
    maxWorkers: '100%',
    projects: [
      {
        test: {
          name: 'unit',
          include: ['test/unit/**/*.test.ts'],
          testTimeout: 30_000,
          // Unit tests keep no state of their own outside of their tests: sharing what they import
          // halves the time of the inner loop.
          isolate: false,
        },
      },
      {
        test: {
          name: 'integration',
          include: ['test/integration/**/*.test.ts'],
          testTimeout: 60_000,
        },
      },
    ],
  },
});
