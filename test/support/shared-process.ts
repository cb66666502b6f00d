import { afterAll, vi } from 'vitest';

/** The test files of a worker share its process: each leaves the environment and the clock as they were. */
const before = { ...process.env };
afterAll(() => {
  vi.useRealTimers();
  for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name];
  Object.assign(process.env, before);
});
