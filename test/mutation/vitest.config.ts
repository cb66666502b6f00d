import { defineConfig } from 'vitest/config';
import { PACKAGE_FOLDER } from '../../shared/config/folders.ts';
import { ALONE } from '../../vitest.config.ts';
import { readPlan } from './state.ts';

const { files } = readPlan();
/** The unit tests, on code with mutants in it. */
export default defineConfig({
  root: PACKAGE_FOLDER,
  plugins: [{ name: 'planted', enforce: 'pre', transform: (_, id) => files[id] }],
  test: {
    include: ['test/unit/**/*.test.ts'],
    exclude: [...ALONE],
    isolate: false,
    runner: 'test/mutation/runner.ts',
    testTimeout: 180_000,
    setupFiles: 'test/support/property-seed.ts',
    env: { TZ: 'America/St_Johns' },
    reporters: ['dot'],
  },
});
