import { defineConfig } from 'vitest/config';

/** What needs a Vendure server, which `npm ci` does not install. */
export default defineConfig({
  test: {
    include: ['test/vendure/**/*.test.ts'],
    testTimeout: 240_000,
    hookTimeout: 240_000,
  },
});
