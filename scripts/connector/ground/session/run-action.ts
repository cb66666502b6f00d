import type { Command } from 'commander';
import { VERSION } from '../../../../shared/config/release.ts';
import { NewerItem } from '../../../../shared/core/ledger/ledger.ts';
import { type Document, exitCodeOf, isEmpty, type VerdictKind } from '../terminal/document.ts';
import { BadArguments, EXIT, type ExitCode, Problem, StoppedEarly } from '../terminal/exit.ts';
import { withLineTexts } from '../terminal/line.ts';
import { printDocument } from '../terminal/print-document.ts';
import { createTerminal } from '../terminal/terminal.ts';
import { type ErrorCode, errorJson, printable, printableJson } from '../terminal/text.ts';
import type { ChangeEnded, CommandLine, RecordedChange } from './audit-records.ts';
import type { Deployment } from './deployment.ts';
import { explainAwsError } from './explain-aws-error.ts';
import type { CommonOptions, Host, Session } from './session.ts';

/** Returns what a command answers, or its exit code alone; throws a `Problem` to print it and end with 1. */
export type Action<Options> = (
  session: Session,
  options: Options & CommonOptions,
  ...operands: string[]
) => Promise<ExitCode | Document>;

const hosts = new WeakMap<Command, Host>();

/** Commands of this program run there; without it in this process, at its terminal. */
export function setHost(program: Command, host: Host): void {
  hosts.set(program, host);
}

function hostOf(command: Command): Host {
  return command.parent ? hostOf(command.parent) : (hosts.get(command) ?? processHost);
}

/** Wraps an action for commander: opens the session, handles interruptions and reports errors. */
export function runAction<Options = object>(action: Action<Options>) {
  return async (...given: unknown[]): Promise<void> => {
    // commander passes the operands, the command's own options and the command.
    const command = given.at(-1) as Command;
    const operands = given.slice(0, -2).flat() as string[];
    const options = command.optsWithGlobals<Options & CommonOptions>();
    const line = { command: pathOf(command), operands, options: command.opts() };
    const host = hostOf(command);
    const { session, wasInterrupted, reportError, end } = openSession(options, line, host);
    let code: ExitCode;
    let verdict: VerdictKind | undefined;
    try {
      const answer = await action(session, options, ...operands);
      if (typeof answer === 'object') session.show(answer);
      verdict = typeof answer === 'object' ? answer.verdict?.kind : undefined;
      code = typeof answer === 'object' ? exitCodeOf(answer) : answer;
      if (wasInterrupted()) code = EXIT.interrupted;
    } catch (error) {
      code = reportError(error);
    }
    await end(code, verdict);
    host.end(code);
  };
}

/** `dead-letters replay`; empty for the program itself. */
export function pathOf(command: Command): string {
  return command.parent ? `${pathOf(command.parent)} ${command.name()}`.trim() : '';
}

function openSession(options: CommonOptions, line: CommandLine, host: Host) {
  const terminal = host.createTerminal({ quiet: options.json === true });
  let controller: AbortController | undefined;
  let interruptions = 0;
  let ending = 'Finishing the current batch, then stopping.';
  let change: RecordedChange | undefined;
  let found: Deployment | undefined;
  let secretsDenied = false;
  /** Undefined for a bug. */
  function explain(error: unknown): Problem | undefined {
    if (!(error instanceof NewerItem)) return explainAwsError(error, options, policyOf(found));
    return new Problem(
      `In the ledger, ${error.message}.`,
      `This command is ${VERSION}. Update it (npm install --save-exact loyalty-connector@latest), then repeat the command.`,
    );
  }
  function report(code: ErrorCode, message: string, next?: string): void {
    // For a program; a person reads the same on standard error.
    if (options.json) terminal.line(errorJson(code, message, next));
    host.reportProblem({ message, next });
  }
  host.onInterruption(() => {
    interruptions += 1;
    if (!controller || interruptions > 1) return undefined;
    controller.abort();
    return ending;
  });
  const session: Session = {
    terminal,
    show({ blocks, ...rest }) {
      const document = { ...rest, blocks: blocks.filter((one) => !isEmpty(one)) };
      const place = found && { ...found, profile: found.aws.profile };
      if (host.showDocument) host.showDocument(document);
      else if (options.json) terminal.line(printableJson(withLineTexts(document, place)));
      else {
        printDocument(terminal, document, { place, full: options.full, now: new Date() });
      }
    },
    async findDeployment(stack) {
      const onSecretsDenied = () => {
        secretsDenied = true;
      };
      const named = stack === undefined ? options : { ...options, stack };
      found = { ...(await host.findDeployment(named)), onSecretsDenied };
      const note = await found.note?.();
      if (note !== undefined) terminal.note(note);
      return found;
    },
    async beginChange(deployment, recorded = 'change', about = {}) {
      // At a terminal the process may have ended by now; the console goes on with what began.
      if (!change && interruptions > 0) throw new StoppedEarly();
      const { recordChange } = await import('./audit-records.ts');
      const named = { ...line, options: { ...line.options, ...about } };
      change ??= await recordChange(deployment, named, recorded).catch((error: unknown) => {
        // No change without a record: an operator could otherwise hide one by breaking the record.
        const problem = explain(error);
        if (!problem) throw error;
        const nothing = recorded === 'reveal' ? 'No personal data is shown' : 'Nothing was changed';
        const message = `${nothing}, because the ledger does not accept the audit record of this command. ${problem.message}`;
        throw new Problem(message, problem.next);
      });
      return change;
    },
    interruption(note = ending) {
      ending = note;
      controller ??= new AbortController();
      return controller.signal;
    },
  };
  return {
    session,
    wasInterrupted: () => interruptions > 0,
    reportError(error: unknown): ExitCode {
      if (error instanceof BadArguments) {
        report('bad-arguments', `${line.command}: ${error.message}`);
        return EXIT.badArguments;
      }
      const problem = error instanceof Problem ? error : explain(error);
      const showStack = options.verbose === true || Boolean(process.env.DEBUG);
      if (showStack && !(error instanceof Problem)) console.error(error);
      if (problem) {
        const isStopped = error instanceof StoppedEarly;
        report(isStopped ? 'interrupted' : 'failed', problem.message, problem.next);
        return isStopped ? EXIT.interrupted : EXIT.failed;
      }
      const message = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
      const next =
        'This error is unexpected. To see where it happened, repeat the command with --verbose.';
      report('unexpected', message, showStack ? undefined : next);
      return EXIT.failed;
    },
    async end(code: ExitCode, verdict?: VerdictKind) {
      if (secretsDenied) {
        terminal.note(
          `Your AWS credentials may not read the secrets of this stack, so the store and the loyalty service were not asked.\nThe policy ${policyOf(found)} allows it (docs/operator-access.md).`,
        );
      }
      await change?.end(endOf(code, verdict)).catch((error: unknown) => {
        const why = explain(error)?.message ?? String(error);
        terminal.note(`The end of this command could not be recorded in the ledger. ${why}`);
      });
    },
  };
}

/** A change that was made and reported what is still wrong has not failed. */
function endOf(
  code: ExitCode,
  verdict: VerdictKind | undefined,
): Pick<ChangeEnded, 'result' | 'verdict'> {
  if (code === EXIT.interrupted) return { result: 'interrupted' };
  if (verdict) return { result: 'finished', verdict };
  return { result: code === EXIT.fine ? 'finished' : 'failed' };
}

/** Empty where the stack has no such output. */
function policyOf(deployment: Deployment | undefined): string {
  try {
    return deployment?.output('OperatorPolicy') ?? '';
  } catch (error) {
    if (error instanceof Problem) return '';
    throw error;
  }
}

/** In the place of a progress line. Without colours: it may quote what was typed or read. */
const printError = (text: string): void => {
  const start = process.stderr.isTTY ? '\r\u001b[K' : '';
  process.stderr.write(`${start}${text.split('\n').map(printable).join('\n')}\n`);
};

const processHost: Host = {
  createTerminal,
  async findDeployment(options) {
    const { findDeployment } = await import('./find-deployment.ts');
    return findDeployment(options);
  },
  onInterruption(interrupt) {
    process.on('SIGINT', () => {
      const ending = interrupt();
      if (ending === undefined) process.exit(EXIT.interrupted);
      printError(`${ending} Press Ctrl-C again to stop at once.`);
    });
  },
  reportProblem({ message, next }) {
    printError(message);
    if (next !== undefined) printError(next);
  },
  end(code) {
    process.exitCode = code;
  },
};

interface Declared<Options> {
  /** In the list of commands. */
  readonly summary: string;
  /** In the command's own help; by default the summary. */
  readonly description?: string;
  /** Examples, and what else the help says at its end. */
  readonly examples?: string;
  /** Absent: a group. Imports the code when the command runs, so that --help and a mistyped option are answered quickly. */
  readonly run?: () => Promise<Action<Options>>;
}

/** A command of the program, or of a group of it; its operands and options are added to what is returned. */
export function declare<Options = object>(
  parent: Command,
  name: string,
  { summary, description = summary, examples, run }: Declared<Options>,
): Command {
  const command = parent.command(name).summary(summary).description(description);
  // Those of a group are also the examples of its commands.
  if (examples) command.addHelpText(run ? 'after' : 'afterAll', `\nExamples:\n${examples}`);
  if (run) command.action(runAction<Options>(async (...given) => (await run())(...given)));
  return command;
}

/** Where the settings name several shops, one must be named. */
export const ONE_SHOP = [
  '--shop <shop>',
  'by its domain or path, where there are several',
] as const;

export const ANY_SHOP = ['--shop <shop>', 'only this one, by its domain or path'] as const;
