import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { isAlive } from './is-alive.ts';
import { PROJECT } from './synthesize.ts';

const NAME = /^assembly-(\d+)$/;

export interface AssemblyFolder {
  readonly path: string;
  remove(): void;
}

/**
 * Where this process has the stack described. Its functions are started from there as long as it
 * runs, so no other process may write to it. What killed processes left behind is taken away.
 */
export function openAssemblyFolder(parent = join(PROJECT, '.connector')): AssemblyFolder {
  mkdirSync(parent, { recursive: true });
  for (const name of readdirSync(parent)) {
    const [, pid] = NAME.exec(name) ?? [];
    if (pid !== undefined && !isAlive(Number(pid))) removeFolder(join(parent, name));
  }
  const path = join(parent, `assembly-${process.pid}`);
  return { path, remove: () => removeFolder(path) };
}

function removeFolder(path: string): void {
  rmSync(path, { recursive: true, force: true });
}
