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
