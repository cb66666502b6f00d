import { type ParseArgsConfig, parseArgs } from 'node:util';
import { listenFault } from '../../shared/config/folders.ts';

export type Wanted<Options> =
  | { readonly kind: 'help' }
  | { readonly kind: 'wrong'; readonly problem: string }
  | { readonly kind: 'start'; readonly options: Options };

type OptionTypes = NonNullable<ParseArgsConfig['options']>;
type Values<Types extends OptionTypes> = ReturnType<
  typeof parseArgs<{ options: Types & { help: { type: 'boolean' } } }>
>['values'];

/**
 * Reads a command line with these options and `--help`, and perhaps words without an option. `read` throws what is
 * wrong.
 */
export function readCommandLine<const Types extends OptionTypes, Options>(
  args: readonly string[],
  types: Types,
  read: (values: Values<Types>, words: readonly string[]) => Options,
  takesWords = false,
): Wanted<Options> {
  const options = { ...types, help: { type: 'boolean', short: 'h' } } as const;
  try {
    const { values, positionals: words } = parseArgs({
      args: [...args],
      options,
      allowNegative: true,
      allowPositionals: takesWords,
    });
    if ((values as { readonly help?: boolean }).help) return { kind: 'help' };
    return { kind: 'start', options: read(values as Values<Types>, words) };
  } catch (error) {
    // The first sentence of parseArgs's message says what is wrong.
    const [problem = ''] = error instanceof Error ? error.message.split(/\.\s|\n/) : [];
    return { kind: 'wrong', problem: problem.replace(/\.$/, '') };
  }
}

/** Undefined when the help, or what is wrong, was printed, and there is nothing to start. */
export function optionsOrHelp<Options>(wanted: Wanted<Options>, help: string): Options | undefined {
  if (wanted.kind === 'start') return wanted.options;
  if (wanted.kind === 'help') process.stdout.write(`${help.trimEnd()}\n`);
  else {
    process.stderr.write(`${wanted.problem}. (--help shows the options.)\n`);
    process.exitCode = 2;
  }
  return undefined;
}

export const PORT = { least: 0, most: 65_535, isWhole: true };
export const SEED = { least: 0, most: 2 ** 31 - 1, isWhole: true };

/** Throws for a text that is no such number. */
export function readNumber(
  name: string,
  text: string | undefined,
  { least, most, isWhole = false }: { least: number; most: number; isWhole?: boolean },
): number | undefined {
  if (text === undefined) return undefined;
  const value = Number(text);
  const isKind = text.trim() !== '' && (!isWhole || Number.isInteger(value));
  if (isKind && value >= least && value <= most) return value;
  throw new Error(`${name} must be a ${isWhole ? 'whole ' : ''}number from ${least} to ${most}`);
}

/** A text as one word for a POSIX shell. */
export const shellQuote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

interface Running {
  stop(): Promise<void>;
}

/** Runs a sandbox as a command, until a signal stops it. */
export async function runCommand<Options extends { readonly port?: number }>(
  wanted: Wanted<Options>,
  help: string,
  /** Imports its modules only when called, so that a mistyped option is reported quickly. */
  start: (options: Options) => Promise<{ readonly sandbox: Running; readonly greeting: string }>,
): Promise<void> {
  const options = optionsOrHelp(wanted, help);
  if (!options) return;
  try {
    const { sandbox, greeting } = await start(options);
    process.stdout.write(greeting);
    const stop = () => void sandbox.stop();
    process.once('SIGINT', stop).once('SIGTERM', stop);
  } catch (error) {
    const why = error instanceof Error ? (listenFault(error) ?? error.message) : error;
    process.stderr.write(`${why}\n`);
    process.exitCode = 1;
  }
}
