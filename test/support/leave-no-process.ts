import { afterAll } from 'vitest';
import { descendantsOf } from './descendants.ts';

/** It serves every build of the process, and ends with it. */
const SHARED = /esbuild.* --service=/;

/** Ends what a test has started and, because it failed or its time was over, did not stop. */
afterAll(() => {
  const left = descendantsOf(process.pid).filter(({ command }) => !SHARED.test(command));
  for (const { pid } of left) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It has just ended.
    }
  }
});
