import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const GUARD = fileURLToPath(new URL('run-guard.ts', import.meta.url));

/**
 * What the files of one run of tests share: a folder, which the processes that they start have in their environment,
 * and the cache of compiled code. However the run ends, the guard then ends those processes and deletes the folder.
 */
export default function createRunFolder(): () => Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'connector-tests-'));
  const guard = spawn(process.execPath, [GUARD, folder], {
    stdio: ['pipe', 'ignore', 'inherit'],
    // Ctrl-C must not reach it before this process has ended.
    detached: true,
  });
  guard.unref();
  const ended = once(guard, 'exit');
  process.env.TEST_RUN_FOLDER = folder;
  process.env.NODE_COMPILE_CACHE = resolve('node_modules/.cache/compiled');
  return async () => {
    guard.ref();
    guard.stdin.end();
    await ended;
  };
}
