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

export const help = `Measures the connector on this machine beside two others: the peer, what a good engineer would
put together from libraries today, and the floor, the least that could work.

npm run bench -- [options]

  --only NAME   one bench: ${Object.keys(benches).join(', ')}
  --quick       fewer repetitions: rough figures in a minute or two
  --json FILE   writes every figure there too, under its key
  --write-docs  puts the figures into docs/performance.md
  --help        this text
`;

/** All that can be wrong is told now: a run takes minutes, and its end is too late to learn of it. */
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
    // parseArgs throws for what was typed; its first sentence says what it was.
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
