import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { vi } from 'vitest';

/** In the place of the program that opens a browser: notes the words that every user of the machine could read. */
export function replaceOpener(name: string) {
  const folder = mkdtempSync(join(tmpdir(), 'browser-opener-'));
  const noted = join(folder, 'words');
  const program = join(folder, name);
  writeFileSync(program, `#!/bin/sh\necho "$0 $*" > ${noted}.part && mv ${noted}.part ${noted}\n`);
  chmodSync(program, 0o755);
  const path = process.env.PATH;
  process.env.PATH = `${folder}:/usr/bin:/bin`;
  return {
    /** Of the process that was started. */
    words: () =>
      vi.waitUntil(() => existsSync(noted) && readFileSync(noted, 'utf8').trim(), 60_000),
    restore() {
      process.env.PATH = path;
      rmSync(folder, { recursive: true });
    },
  };
}
