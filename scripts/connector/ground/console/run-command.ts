import { type Command, CommanderError } from 'commander';
import * as v from 'valibot';
import { COMMAND_KINDS } from '../session/command-kinds.ts';
import type { Deployment } from '../session/deployment.ts';
import { setHost } from '../session/run-action.ts';
import type { Host } from '../session/session.ts';
import type { Document } from '../terminal/document.ts';
import { EXIT, type ExitCode } from '../terminal/exit.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** What the page asks for: a command in words, as at a terminal. */
export const commandLine = v.object({
  command: v.pipe(v.string(), v.maxLength(50)),
  operands: v.optional(v.array(v.pipe(v.string(), v.maxLength(1_000))), []),
  options: v.optional(
    v.record(
      v.pipe(v.string(), v.regex(/^[a-z][a-z-]{0,30}$/)),
      v.union([
        v.pipe(v.string(), v.maxLength(1_000)),
        v.number(),
        v.boolean(),
        // An option that may be repeated.
        v.pipe(v.array(v.pipe(v.string(), v.maxLength(1_000))), v.maxLength(200)),
      ]),
    ),
    {},
  ),
});
export type CommandLine = v.InferOutput<typeof commandLine>;

/** What a command has said, and how it ended. The page receives it line by line, each with what is new. */
export interface Ran {
  readonly run?: string;
  /** Undefined while it runs, when the console was stopped, and when the request broke off. */
  readonly code?: ExitCode;
  /** The last one that it has shown. */
  readonly document?: Document;
  readonly notes?: readonly string[];
  readonly problem?: { readonly message: string; readonly next?: string | undefined };
  readonly progress?: {
    readonly doing: string;
    readonly done: number;
    readonly total: number | undefined;
    readonly detail: string | undefined;
  };
}

/** They need a terminal, other rights, or files of this machine. */
const NOT_OFFERED: ReadonlySet<string> = new Set([
  ...['secrets set', 'probe', 'app write', 'storefront setup', 'import balances'],
]);
/** They choose the stack, never end, or write a file of this machine. */
const OPTIONS_OF_THE_CONSOLE: ReadonlySet<string> = new Set([
  ...['stack', 'region', 'profile', 'verbose', 'watch', 'help', 'version', 'csv'],
]);

type OfferedCommands = Readonly<Record<string, 'asks' | 'changes'>>;

export function offeredCommands(readOnly: boolean): OfferedCommands {
  const offered: Record<string, 'asks' | 'changes'> = {};
  for (const [name, kind] of Object.entries(COMMAND_KINDS)) {
    if (kind === 'own' || NOT_OFFERED.has(name) || (readOnly && kind === 'changes')) continue;
    offered[name] = kind === 'changes' ? 'changes' : 'asks';
  }
  return offered;
}

export interface RunSettings {
  /** The whole command line, anew for each command. */
  readonly createProgram: () => Command;
  readonly deployment: Deployment;
  readonly readOnly: boolean;
  readonly signal: AbortSignal;
  readonly send: (said: Ran) => unknown;
}

/** Runs one command as the command line does, with the page in the place of the terminal. */
export async function runCommand(line: CommandLine, settings: RunSettings): Promise<void> {
  const { send } = settings;
  const refuse = (message: string) => {
    send({ problem: { message } });
    send({ code: EXIT.badArguments });
  };
  const offered = offeredCommands(settings.readOnly);
  if (!Object.hasOwn(offered, line.command)) {
    refuse(`This console does not offer "${line.command}".`);
    return;
  }
  const foreign = Object.keys(line.options).find((name) => OPTIONS_OF_THE_CONSOLE.has(name));
  if (foreign !== undefined) {
    refuse(`The option --${foreign} belongs to the console itself.`);
    return;
  }
  const program = settings.createProgram();
  captureMistakes(program, (message) => send({ problem: { message } }));
  // A question has nothing to end in order: at a terminal, Ctrl-C ends the process at once.
  const stopped = Promise.withResolvers<'stopped'>();
  const isQuestion = offered[line.command] === 'asks';
  let isStopped = false;
  setHost(
    program,
    hostOf({
      ...settings,
      send: (said) => isStopped || send(said),
      stopAtOnce: () => isQuestion && stopped.resolve('stopped'),
    }),
  );
  try {
    const run = program.parseAsync(wordsOf(line), { from: 'user' });
    isStopped = (await Promise.race([run, stopped.promise])) === 'stopped';
    if (isStopped) send({ code: EXIT.interrupted });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    send({ code: EXIT.badArguments });
  }
}

/** An operand or a value can begin with a hyphen and must not become an option. */
export function wordsOf({ command, operands, options }: CommandLine): readonly string[] {
  const given = Object.entries(options).flatMap(([name, value]) => {
    if (typeof value === 'boolean') return value ? [`--${name}`] : [];
    return [value].flat().map((one) => `--${name}=${one}`);
  });
  return [...command.split(' '), ...given, '--', ...operands];
}

function captureMistakes(command: Command, report: (message: string) => void): void {
  // Of an option, what its parser says: the page has a field in its place.
  const foreword = /^error: (option '.*' argument '.*' is invalid\. (?=.))?/;
  command.configureOutput({ outputError: (text) => report(text.replace(foreword, '').trim()) });
  for (const child of command.commands) captureMistakes(child, report);
}

function hostOf({
  deployment,
  signal,
  send,
  stopAtOnce,
}: RunSettings & { readonly stopAtOnce: () => void }): Host {
  return {
    createTerminal: () => terminalTo(send),
    showDocument: (document) => send({ document }),
    findDeployment: async () => deployment,
    onInterruption: (interrupt) =>
      signal.addEventListener('abort', () => {
        if (interrupt() === undefined) stopAtOnce();
      }),
    reportProblem: ({ message, next }) => send({ problem: { message, next } }),
    end: (code) => send({ code }),
  };
}

const WIDTH = 100;
const PROGRESS_EVERY_MS = 200;

function terminalTo(send: RunSettings['send']): Terminal {
  const notes: string[] = [];
  return {
    width: WIDTH,
    style: (_format, text) => text,
    // What a command prints beside its document is for a terminal.
    line: () => {},
    note(text) {
      notes.push(text);
      send({ notes });
    },
    progress(doing, total) {
      let sentAt = Number.NEGATIVE_INFINITY;
      return {
        report(done, detail) {
          if (performance.now() - sentAt < PROGRESS_EVERY_MS) return;
          sentAt = performance.now();
          send({ progress: { doing, done, total, detail } });
        },
      };
    },
    // The page asks before it sends the command, with --yes.
    confirm: async () => false,
  };
}
