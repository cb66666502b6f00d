import type { Command } from 'commander';
import { type Action, runAction } from './run-action.ts';

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
