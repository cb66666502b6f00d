import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** One expression, and what stands in its place. */
export interface Change {
  readonly id: string;
  readonly fileName: string;
  readonly replacement: string;
  /** Stryker's name of the kind of change. */
  readonly mutatorName: string;
  readonly location: { readonly start: Place; readonly end: Place };
}

/** Lines and columns count from 0. */
interface Place {
  readonly line: number;
  readonly column: number;
}

interface SourceFile {
  readonly name: string;
  readonly content: string;
}

interface Instrumented {
  readonly files: readonly SourceFile[];
  readonly mutants: readonly Change[];
}

interface Engine {
  readonly Instrumenter: new (
    logger: object,
  ) => {
    instrument(
      files: readonly (SourceFile & { readonly mutate: true })[],
      options: object,
    ): Promise<Instrumented>;
  };
}

const ENGINE = '@stryker-mutator/instrumenter';
const VERSION = '10.1.1';

/** The files with all changes in them, each switched on at run time by its id. */
export async function instrument(cache: string, files: readonly string[]): Promise<Instrumented> {
  const place = join(cache, 'node_modules', ENGINE);
  if (!existsSync(place)) {
    mkdirSync(cache, { recursive: true });
    writeFileSync(join(cache, 'package.json'), '{"private":true}');
    const flags = ['--no-audit', '--no-fund', '--no-package-lock'];
    const options = { cwd: cache, stdio: 'inherit' } as const;
    execFileSync('npm', ['install', ...flags, `${ENGINE}@${VERSION}`], options);
  }
  const { Instrumenter } = (await import(
    pathToFileURL(join(place, 'dist/src/index.js')).href
  )) as Engine;
  const silent = { debug: () => undefined, info: () => undefined, isDebugEnabled: () => false };
  const sources = files.map((name) => ({
    ...{ name, mutate: true as const },
    content: readFileSync(name, 'utf8'),
  }));
  const options = { plugins: null, ignorers: [], excludedMutations: [] };
  return new Instrumenter(silent).instrument(sources, options);
}
