import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { installOnce } from '../../local/vendure-engine/install-once.ts';
import { PACKAGE_FOLDER } from '../../shared/config/folders.ts';

/** The programs of tools/python, in an environment of their own; every package must have the hash of the lock file. */
export async function installPython(): Promise<string> {
  const wanted = join(PACKAGE_FOLDER, 'tools/python/requirements.txt');
  const folder = await installOnce('python', wanted, (target) => {
    run('python3', '-m', 'venv', target);
    const pip = join(target, 'bin/pip');
    run(pip, 'install', '--quiet', '--require-hashes', '--requirement', wanted);
  });
  return join(folder, 'bin');
}

/** The jars of tools/dynamodb-local; Maven compares each with the checksum of its repository. */
export function installDynamoDbLocal(): Promise<string> {
  const wanted = join(PACKAGE_FOLDER, 'tools/dynamodb-local/pom.xml');
  return installOnce('dynamodb-local', wanted, (target) => {
    const options = ['--quiet', '--batch-mode', '--strict-checksums', '--file', wanted];
    run('mvn', ...options, 'dependency:copy-dependencies', `-DoutputDirectory=${target}`);
  });
}

function run(program: string, ...options: readonly string[]): void {
  console.log(`Installing: ${program} ${options.join(' ')}`);
  execFileSync(program, options, { stdio: ['ignore', 'ignore', 'inherit'] });
}
