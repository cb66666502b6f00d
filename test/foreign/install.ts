import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PACKAGE_FOLDER } from '../../shared/config/folders.ts';

const CACHE = join(PACKAGE_FOLDER, 'node_modules/.cache/foreign');

/** The programs of tools/python, in an environment of their own; every package must have the hash of the lock file. */
export function installPython(): string {
  const wanted = join(PACKAGE_FOLDER, 'tools/python/requirements.txt');
  const folder = installOnce('python', wanted, (target) => {
    run('python3', '-m', 'venv', target);
    const pip = join(target, 'bin/pip');
    run(pip, 'install', '--quiet', '--require-hashes', '--requirement', wanted);
  });
  return join(folder, 'bin');
}

/** The jars of tools/dynamodb-local; Maven compares each with the checksum of its repository. */
export function installDynamoDbLocal(): string {
  const wanted = join(PACKAGE_FOLDER, 'tools/dynamodb-local/pom.xml');
  return installOnce('dynamodb-local', wanted, (target) => {
    const options = ['--quiet', '--batch-mode', '--strict-checksums', '--file', wanted];
    run('mvn', ...options, 'dependency:copy-dependencies', `-DoutputDirectory=${target}`);
  });
}

/** Installs again only after a change of the file that names the versions. */
export function installOnce(
  name: string,
  wanted: string,
  install: (target: string) => void,
): string {
  const target = join(CACHE, name);
  const stamp = join(CACHE, `${name}.installed`);
  const versions = readFileSync(wanted, 'utf8');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === versions) return target;
  console.log(`Installing what ${wanted.slice(PACKAGE_FOLDER.length + 1)} names…`);
  rmSync(target, { recursive: true, force: true });
  mkdirSync(CACHE, { recursive: true });
  install(target);
  writeFileSync(stamp, versions);
  return target;
}

function run(program: string, ...options: readonly string[]): void {
  execFileSync(program, options, { stdio: ['ignore', 'ignore', 'inherit'] });
}
