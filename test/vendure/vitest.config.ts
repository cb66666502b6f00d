import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { PACKAGE_FOLDER } from '../../shared/config/folders.ts';

const ENGINE = join(PACKAGE_FOLDER, 'node_modules/.cache/foreign/vendure/node_modules');

/** What needs a Vendure server, which `npm ci` does not install. */
export default defineConfig({
  test: {
    include: ['test/vendure/**/*.test.ts'],
    testTimeout: 240_000,
    hookTimeout: 240_000,
    fileParallelism: false,
    env: { VENDURE_DISABLE_TELEMETRY: 'true' },
  },
  resolve: {
    alias: [{ find: /^(@vendure\/core|typeorm)(?=$|\/)/, replacement: `${ENGINE}/$1` }],
  },
});
