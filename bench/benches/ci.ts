import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Bench } from '../bench.ts';

const FOLDER = 'node_modules';
const BLOCK_BYTES = 512;

/** What `npm ci` puts on the disk, without the caches that later commands add. */
export const ci: Bench = {
  name: 'ci',
  async run() {
    const installed = (await readdir(FOLDER)).filter((name) => !name.startsWith('.'));
    const sizes = new Map<number, number>();
    await Promise.all(installed.map((name) => addSizes(join(FOLDER, name), sizes)));
    const bytes = [...sizes.values()].reduce((sum, one) => sum + one, 0);
    return [
      {
        key: 'ci.install',
        value: bytes / 1024 / 1024,
        unit: 'MB',
        note: 'node_modules, as it lies on the disk',
        bar: { kind: 'at-most', limit: 550, of: 'value' },
      },
    ];
  },
};

/** By inode: Node's installer links its program, which lies on the disk once. */
async function addSizes(folder: string, sizes: Map<number, number>): Promise<void> {
  const files = await readdir(folder, { recursive: true, withFileTypes: true });
  for (const file of files) {
    if (!file.isFile()) continue;
    const { ino, blocks } = await stat(join(file.parentPath, file.name));
    sizes.set(ino, blocks * BLOCK_BYTES);
  }
}
