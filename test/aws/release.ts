import { execFileSync } from 'node:child_process';
import { globSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { CannotStart } from '../../local/stack/synthesize.ts';
import { PACKAGE_FOLDER } from '../../shared/config/folders.ts';

/** No release is published yet: a commit whose messages and ledger items have the form of the first one. */
const EARLIER = 'f27c44320bfae36d6765c626550e3c2486c6e8f7';

/** Packs it and installs it in the project, as a merchant has it. Returns its launcher. */
export function packEarlier(clone: string, project: string): string {
  const target = join(project, 'node_modules/loyalty-connector');
  for (const folder of [clone, target]) mkdirSync(folder, { recursive: true });
  const packages = join(PACKAGE_FOLDER, 'node_modules');
  const files = `${clone}.tar`;
  try {
    const words = ['archive', '--output', files, EARLIER];
    execFileSync('git', words, { cwd: PACKAGE_FOLDER, stdio: 'pipe' });
  } catch {
    throw new CannotStart(
      `The earlier release is not in this clone (${EARLIER}): git fetch --unshallow`,
    );
  }
  execFileSync('tar', ['-xf', files, '-C', clone]);
  symlinkSync(packages, join(clone, 'node_modules'));
  execFileSync('npm', ['pack', '--silent'], { cwd: clone, stdio: ['ignore', 'ignore', 'inherit'] });
  const [packed = ''] = globSync('*.tgz', { cwd: clone });
  execFileSync('tar', ['-xzf', join(clone, packed), '--strip-components=1', '-C', target]);
  symlinkSync(packages, join(target, 'node_modules'));
  return join(target, 'scripts/connector/launch.mjs');
}
