import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { synthesize } from '../../local/stack/synthesize.ts';
import { type Assembly, readAssembly } from '../../local/stack/template/template.ts';
import createRunFolder from './run-folder.ts';

const STAGE = 'prod';

/**
 * The synthesized stack. It takes seconds of both cores, so equal settings are synthesized once in a run of tests:
 * the first process that asks makes it, and the others wait.
 */
export async function sharedAssembly(options: Parameters<typeof synthesize>[2]): Promise<Assembly> {
  const name = createHash('sha256').update(JSON.stringify(options)).digest('hex').slice(0, 16);
  // Outside of vitest.
  if (process.env.TEST_RUN_FOLDER === undefined) createRunFolder();
  const folder = join(process.env.TEST_RUN_FOLDER ?? '', name);
  const [assembly, ready] = [join(folder, 'cdk.out'), join(folder, 'ready')];
  while (!existsSync(ready)) {
    if (isMade(folder)) {
      await synthesize(STAGE, assembly, options).catch((error: unknown) => {
        rmSync(folder, { recursive: true });
        throw error;
      });
      writeFileSync(ready, '');
    } else await sleep(50);
  }
  return readAssembly(assembly, `loyalty-connector-${STAGE}`);
}

function isMade(folder: string): boolean {
  try {
    mkdirSync(folder);
    return true;
  } catch {
    return false;
  }
}
