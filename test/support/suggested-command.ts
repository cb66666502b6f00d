import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify, stripVTControlCharacters } from 'node:util';
import type { CommandRun, WarmCommands } from './connector-command.ts';

const COMMAND = /npx loyalty-connector .*$/gm;

export interface SuggestedRun extends CommandRun {
  readonly line: string;
}

/**
 * Runs every command that an output suggests, as text or in a JSON document, each to the end of its line and through
 * a shell, as a person pastes it. Throws for one that cannot be understood or ends with a problem: a verdict, such as
 * that of `trace`, may be bad, but it is an answer. `input`: what it asks for.
 */
export async function runSuggested(
  { stdout, stderr }: Pick<CommandRun, 'stdout' | 'stderr'>,
  { folder, commands }: { readonly folder: string; readonly commands: WarmCommands },
  input = '',
): Promise<readonly SuggestedRun[]> {
  const printed = stripVTControlCharacters(stdout + stderr);
  const texts = stdout.startsWith('{') ? textsIn(JSON.parse(stdout)) : [printed];
  const lines = texts.flatMap((text) => text.match(COMMAND) ?? []);
  if (lines.length === 0) throw new Error(`no command is suggested in:\n${stdout}${stderr}`);
  const bin = join(folder, 'bin');
  mkdirSync(bin, { recursive: true });
  writeFileSync(join(bin, 'npx'), `#!/bin/sh\nprintf '%s\\0' "$@"\n`);
  chmodSync(join(bin, 'npx'), 0o755);
  const runs: SuggestedRun[] = [];
  for (const line of new Set(lines)) {
    // What a person must add, such as a reason.
    const whole = line.replace(/'<[^']*>'/g, "'a test'");
    const run = { line, ...(await commands.run(await wordsIn(whole, bin), input)) };
    if (run.code === 2 || run.stdout === '') {
      throw new Error(`the suggested "${line}" ends with ${run.code}: ${run.stderr}`);
    }
    runs.push(run);
  }
  return runs;
}

function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  return value && typeof value === 'object' ? Object.values(value).flatMap(textsIn) : [];
}

/** As a shell understands it. */
async function wordsIn(line: string, bin: string): Promise<readonly string[]> {
  const env = { PATH: `${bin}${delimiter}${process.env.PATH}` };
  const { stdout } = await promisify(execFile)('/bin/sh', ['-c', line], { env });
  return stdout.split('\0').slice(1, -1);
}
