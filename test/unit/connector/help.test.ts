import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { createProgram } from '../../../scripts/connector/create-program.ts';
import { SECRET_MAX_AGE_MS } from '../../../shared/aws/secrets.ts';

function pathOf(command: Command): string {
  const { parent } = command;
  return parent ? `${pathOf(parent)} ${command.name()}`.trim() : '';
}

function allOf(command: Command): readonly Command[] {
  return [command, ...command.commands.flatMap(allOf)];
}

function helpOf(command: Command): string {
  let text = '';
  command.configureOutput({
    writeOut: (part) => {
      text += part;
    },
  });
  command.outputHelp();
  return text;
}

/** The words of each example, without what the shell takes and without the remark beside it. */
function examplesIn(help: string): readonly (readonly string[])[] {
  const lines = help.replaceAll(/\\\n\s*/g, '').matchAll(/^ {2}npx loyalty-connector (.+)$/gm);
  return [...lines].map(([, line = '']) => {
    const [said = ''] = line.split(/ {2,}| [|<>]/, 1);
    return (said.match(/"[^"]*"|\S+/g) ?? []).map((word) => word.replaceAll('"', ''));
  });
}

/** The command that the real program runs for these words; throws for a mistake in them. */
function commandFor(words: readonly string[]): string {
  const program = createProgram();
  let found = '';
  for (const command of allOf(program)) {
    command.configureOutput({ writeErr: () => {} });
    if (command.commands.length > 0 && command.name() !== 'reconcile') continue;
    command.action(() => {
      found = pathOf(command);
    });
  }
  program.parse(words, { from: 'user' });
  return found;
}

const helps = allOf(createProgram()).map((command) => ({
  path: pathOf(command),
  help: helpOf(command),
}));

describe('the help', () => {
  it('agrees with the runbook and the receiver on what counts as refused, and how soon a secret is used', () => {
    const of = (path: string) => helps.find((one) => one.path === path)?.help;
    const runbook = readFileSync('docs/runbook.md', 'utf8');
    // test/unit/shopify/receive-webhook.test.ts holds the receiver to it.
    expect(of('doctor')).toContain('one forged signature, which is refused and not counted');
    expect(runbook).toContain('the webhooks that `doctor` sends are not counted');
    const minutes = SECRET_MAX_AGE_MS / 60_000;
    expect(of('secrets set')).toContain(`within ${minutes} minutes only the new one`);
    expect(runbook).toContain(`\`--finish\` ended is accepted for ${minutes} more minutes at most`);
  });

  it.each(helps)('of "$path" has an example that the program accepts', ({ path, help }) => {
    const shown = examplesIn(help).map(commandFor);
    expect(shown.filter((one) => `${one} `.startsWith(path && `${path} `))).not.toEqual([]);
    expect(shown).not.toContain('');
  });
});
