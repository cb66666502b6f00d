import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { benches } from './benches.ts';

export interface BenchOptions {
  readonly only: string | undefined;
  readonly quick: boolean;
  readonly jsonFile: string | undefined;
  readonly writeDocs: boolean;
}

export type BenchArguments =
  | { readonly kind: 'run'; readonly options: BenchOptions }
  | { readonly kind: 'help' }
  | { readonly kind: 'wrong'; readonly problem: string };

export const help = `Measures the connector on this machine and compares it with two others: the peer, a good
implementation with today's libraries, and the floor, the least code that could work.

npm run bench -- [options]

  --only NAME   one bench: ${Object.keys(benches).join(', ')}
  --quick       fewer repetitions: rough figures in a minute or two
  --json FILE   also writes every figure to FILE, by its key
  --write-docs  writes the figures into docs/performance.md
  --help        shows this text
`;

/** Reports every problem before the run, because a run takes minutes. */
export function readArguments(args: readonly string[]): BenchArguments {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        only: { type: 'string' },
        quick: { type: 'boolean', default: false },
        json: { type: 'string' },
        'write-docs': { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    });
    if (values.help) return { kind: 'help' };
    const { only, quick, json: jsonFile, 'write-docs': writeDocs } = values;
    const problem = problemWith({ only, quick, jsonFile, writeDocs });
    return problem === undefined
      ? { kind: 'run', options: { only, quick, jsonFile, writeDocs } }
      : { kind: 'wrong', problem };
  } catch (error) {
    // The first sentence of parseArgs's message says what is wrong.
    const [problem = ''] = error instanceof Error ? error.message.split(/\.\s|\n/) : [];
    return { kind: 'wrong', problem };
  }
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
