import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PACKAGE_FOLDER } from '../../shared/config/folders.ts';

const CACHE = join(PACKAGE_FOLDER, 'node_modules/.cache/foreign');

/** Installs again only after a change of the file that names the versions. */
export async function installOnce(
  name: string,
  wanted: string,
  install: (target: string) => Promise<void> | void,
): Promise<string> {
  const target = join(CACHE, name);
  const stamp = join(target, '.installed');
  const versions = readFileSync(wanted, 'utf8');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === versions) return target;
  rmSync(target, { recursive: true, force: true });
  mkdirSync(target, { recursive: true });
  await install(target);
  writeFileSync(stamp, versions);
  return target;
}
