import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PACKAGE_FOLDER } from '../../shared/config/folders.ts';

/** Of all files but pages of text, committed or not: results of other code prove nothing about this one. */
export function hashOfCode(): string {
  const wanted = ['--cached', '--others', '--exclude-standard', '--', '.', ':!*.md'];
  const listed = execFileSync('git', ['ls-files', '-z', ...wanted], {
    ...{ cwd: PACKAGE_FOLDER, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 },
  });
  const hash = createHash('sha1');
  for (const name of new Set(listed.split('\0').filter(Boolean).sort())) {
    const file = join(PACKAGE_FOLDER, name);
    // Deleted, and not yet committed.
    if (existsSync(file)) hash.update(`${name}\0`).update(readFileSync(file));
  }
  return hash.digest('hex').slice(0, 12);
}
