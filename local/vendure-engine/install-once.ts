import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PACKAGE_FOLDER } from '../../shared/config/folders.ts';

const CACHE = join(PACKAGE_FOLDER, 'node_modules/.cache/foreign');

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
