import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

/** What the files of one run of tests share: a folder that is deleted after it, and the cache of compiled code. */
export default function createRunFolder(): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'connector-tests-'));
  process.env.TEST_RUN_FOLDER = folder;
  process.env.NODE_COMPILE_CACHE = resolve('node_modules/.cache/compiled');
  return () => rmSync(folder, { recursive: true, force: true });
}
