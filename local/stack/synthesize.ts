import { spawn } from 'node:child_process';
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { getCompileCacheDir } from 'node:module';
import { dirname, join } from 'node:path';
import { type Concurrency, concurrencyText } from '../../shared/config/concurrency.ts';
import { moduleFile } from '../../shared/config/folders.ts';
import { type Assembly, readAssembly } from './template/template.ts';

/** A problem that the user can fix; the message says how. */
export class CannotStart extends Error {}

interface SynthesisOptions {
  readonly project: string;
  /** Used instead of the settings file of the stage. */
  readonly settings?: string | undefined;
  /** As `deploy` would fit it to a quota. Absent: the defaults. */
  readonly concurrency?: Concurrency | undefined;
  readonly signal?: AbortSignal;
}

/**
 * Runs the program that `cdk deploy` runs, in a process of its own, for this stage only. Skips
 * the validation of the template: it takes most of the time, and `cdk deploy` does it anyway.
 */
export async function synthesize(
  stage: string,
  folder: string,
  { project, settings, concurrency, signal }: SynthesisOptions,
): Promise<Assembly> {
  rmSync(folder, { recursive: true, force: true });
  const child = spawn(process.execPath, [moduleFile('infra/app')], {
    cwd: project,
    env: {
      ...process.env,
      ...compileCache(),
      CDK_OUTDIR: folder,
      CDK_CONTEXT_JSON: JSON.stringify({
        stage,
        settings,
        concurrency: concurrency && concurrencyText(concurrency),
      }),
      CDK_VALIDATION: 'false',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(signal && { signal }),
  });
  let printed = '';
  for (const output of [child.stdout, child.stderr]) {
    output.setEncoding('utf8').on('data', (text: string) => {
      printed += text;
    });
  }
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject).once('close', resolve);
  });
  if (code !== 0) throw new CannotStart(`The stack cannot be synthesized.\n${printed.trim()}`);
  return readAssembly(folder);
}

const NAME = /^assembly-(\d+)$/;

export interface AssemblyFolder {
  readonly path: string;
  remove(): void;
}

/**
 * The folder for the synthesized stack and its settings. They are read as long as this process runs,
 * so each process has its own. Removes the folders that killed processes left behind.
 */
export function openAssemblyFolder(parent: string): AssemblyFolder {
  mkdirSync(parent, { recursive: true });
  for (const name of readdirSync(parent)) {
    const [, pid] = NAME.exec(name) ?? [];
    if (pid !== undefined && !isAlive(Number(pid))) removeFolder(join(parent, name));
  }
  const path = join(parent, `assembly-${process.pid}`);
  return { path, remove: () => removeFolder(path) };
}

export function isAlive(pid: number): boolean {
  // 0 and negative numbers stand for process groups.
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    // Signal 0 only checks; it is never delivered.
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // The process runs, but belongs to another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function removeFolder(path: string): void {
  rmSync(path, { recursive: true, force: true });
}

/** A process of this environment compiles nothing that this one, or another with its cache, has compiled. */
export function compileCache(): { readonly NODE_COMPILE_CACHE?: string } {
  const compiled = getCompileCacheDir();
  return compiled === undefined ? {} : { NODE_COMPILE_CACHE: dirname(compiled) };
}
