import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createVitest, type TestCase } from 'vitest/node';
import { PACKAGE_FOLDER } from '../../shared/config/folders.ts';
import { mutate } from '../simulation/mutations/apply-mutation.ts';
import type { PlantedBug } from '../simulation/mutations/mutation.ts';
import type { Judgement } from './part.ts';

export interface Suites {
  /** Test files of the project, as they are. */
  readonly files: readonly string[];
  /** Modules that start what we test with, each with the one that starts the engine instead. */
  readonly instead: Readonly<Record<string, string>>;
  readonly environment: Readonly<Record<string, string>>;
  /** Tests in which the engine differs from AWS, by their full name, with the reason. */
  readonly differences: Readonly<Record<string, string>>;
}

const ORIGINAL = '?original';

/** Runs the suites on the engine; the known differences must be there, too. */
export async function runSuites(suites: Suites, planted?: PlantedBug): Promise<Judgement> {
  const { files, instead, environment, differences } = suites;
  const absolute = (path: string) => resolve(PACKAGE_FOLDER, path);
  const replaced = new Map(
    Object.entries(instead).map(([ours, theirs]) => [absolute(ours), absolute(theirs)]),
  );
  const used = new Set<string>();
  const mutated = planted && mutate(planted);
  const vitest = await createVitest(
    {
      config: false,
      root: PACKAGE_FOLDER,
      watch: false,
      // Another run must not load what was replaced here.
      fsModuleCache: false,
      include: [...files],
      reporters: planted ? [] : ['default'],
      silent: true,
      // One engine, which is emptied for each file.
      fileParallelism: false,
      env: { ...environment },
      testTimeout: 240_000,
      hookTimeout: 240_000,
      expect: { poll: { timeout: 60_000 } },
    },
    {
      plugins: [
        {
          name: 'engines-of-others',
          enforce: 'pre',
          // An engine's module has the rest of what it replaces from the original.
          async resolveId(source, importer) {
            if (!importer?.startsWith(import.meta.dirname)) return undefined;
            const found = await this.resolve(source, importer, { skipSelf: true });
            return found && replaced.has(found.id) ? `${found.id}${ORIGINAL}` : undefined;
          },
          load(id) {
            const theirs = replaced.get(id);
            if (theirs !== undefined) used.add(id);
            return theirs && `export * from ${JSON.stringify(theirs)};`;
          },
          transform: (_, id) =>
            mutated && !replaced.has(id) && id.split('?')[0] === fileURLToPath(mutated.href)
              ? mutated.source
              : undefined,
        },
      ],
    },
  );
  const { testModules, unhandledErrors } = await vitest.start();
  await vitest.close();
  const faults = unhandledErrors.map((error) => (error as Error).message);
  let checks = 0;
  for (const module of testModules) {
    faults.push(...module.errors().map(({ message }) => `${module.relativeModuleId}: ${message}`));
    for (const test of module.children.allTests()) {
      const { state } = test.result();
      if (state === 'skipped') continue;
      checks += 1;
      const fault = faultOf(test, differences);
      if (fault !== undefined) faults.push(fault);
    }
  }
  if (checks === 0) faults.push('no test ran');
  const unused = [...replaced.keys()].filter((ours) => !planted && !used.has(ours));
  faults.push(...unused.map((ours) => `no test asked for ${ours}`));
  return { checks, faults };
}

function faultOf(test: TestCase, differences: Suites['differences']): string | undefined {
  const { state, errors = [] } = test.result();
  const isKnown = Object.hasOwn(differences, test.fullName);
  if (isKnown === (state === 'failed')) return undefined;
  return isKnown
    ? `${test.fullName}: is a known difference, and agrees now`
    : `${test.fullName}: ${errors.map(({ message }) => message).join('; ')}`;
}
