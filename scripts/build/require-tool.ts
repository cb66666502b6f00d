import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

/**
 * Loads a package from `tools/<tool>`, which has a lock file of its own and is installed on first use:
 * `npm ci` does not bring what few commands need.
 */
export function requireTool(tool: string): unknown {
  const folder = join(import.meta.dirname, '../../tools', tool);
  const lock = join(folder, 'package-lock.json');
  const installed = join(folder, 'node_modules/.installed-lock.json');
  if (!existsSync(installed) || readFileSync(installed, 'utf8') !== readFileSync(lock, 'utf8')) {
    execFileSync('npm', ['ci', '--silent', '--no-audit'], { cwd: folder, stdio: 'inherit' });
    copyFileSync(lock, installed);
  }
  return createRequire(join(folder, 'package.json'))(tool);
}
