import { defineConfig } from 'vitest/config';

/** The tests that must notice a changed line of the core: those that need no process, no socket and no clock. */
export default defineConfig({
  test: {
    include: [
      'test/unit/core/**/*.test.ts',
      'test/unit/pins/**/*.test.ts',
      'test/unit/{event-envelope,message-ids,memory-models}.test.ts',
    ],
    exclude: ['test/unit/pins/logical-ids.test.ts'],
    testTimeout: 30_000,
    isolate: false,
  },
});
