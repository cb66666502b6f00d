import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Bench } from '../bench.ts';

const FOLDER = 'node_modules';
const BLOCK_BYTES = 512;

/**
 * What `npm ci` puts on the disk, without the caches that later commands add. Without a bar: most of it is
 * CDK, Node itself and the tools of development, of which no function loads anything.
 */
export const ci: Bench = {
  name: 'ci',
  async run() {
    const installed = (await readdir(FOLDER)).filter((name) => !name.startsWith('.'));
    const sizes = await Promise.all(installed.map((name) => bytesIn(join(FOLDER, name))));
    return [
      {
        key: 'ci.install',
        value: sizes.reduce((sum, bytes) => sum + bytes, 0) / 1024 / 1024,
        unit: 'MB',
        note: 'node_modules, as it lies on the disk',
      },
    ];
  },
};

/** A file of two names, as the program of the runtime is, counts once. */
async function bytesIn(folder: string): Promise<number> {
  const files = await readdir(folder, { recursive: true, withFileTypes: true });
  const bytes = new Map<number, number>();
  for (const file of files) {
    if (!file.isFile()) continue;
    const { ino, blocks } = await stat(join(file.parentPath, file.name));
    bytes.set(ino, blocks * BLOCK_BYTES);
  }
  return [...bytes.values()].reduce((sum, one) => sum + one, 0);
}
