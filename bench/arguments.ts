import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { readCommandLine, type Wanted } from '../local/sandbox-kit/command-line.ts';
import { benches } from './benches.ts';

export interface BenchOptions {
  readonly only: string | undefined;
  readonly quick: boolean;
  readonly jsonFile: string | undefined;
  readonly writeDocs: boolean;
}

export const help = `Measures the connector on this machine and compares it with the floor, the least
code that could work.

npm run bench -- [options]

  --only NAME   one bench: ${Object.keys(benches).join(', ')}
  --quick       fewer repetitions: rough figures in a minute or two
  --json FILE   also writes every figure to FILE, by its key
  --write-docs  writes the figures into docs/performance.md
  --help        shows this text
`;

/** Reports every problem before the run, because a run takes minutes. */
export function readArguments(args: readonly string[]): Wanted<BenchOptions> {
  return readCommandLine(
    args,
    {
      only: { type: 'string' },
      quick: { type: 'boolean', default: false },
      json: { type: 'string' },
      'write-docs': { type: 'boolean', default: false },
    },
    ({ only, quick, json: jsonFile, 'write-docs': writeDocs }) => {
      const options = { only, quick, jsonFile, writeDocs };
      const problem = problemWith(options);
      if (problem !== undefined) throw new Error(problem);
      return options;
    },
  );
}

function problemWith({ only, quick, jsonFile, writeDocs }: BenchOptions): string | undefined {
  if (only !== undefined && !Object.hasOwn(benches, only)) return `There is no bench "${only}"`;
  if (writeDocs && (only !== undefined || quick)) {
    return '--write-docs is for whole runs: leave out --only and --quick';
  }
  if (jsonFile !== undefined && !existsSync(dirname(resolve(jsonFile)))) {
    return `There is no folder for ${jsonFile}`;
  }
  return undefined;
}
