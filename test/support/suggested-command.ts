import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import type { CommandRun } from './connector-command.ts';

const LAUNCHER = fileURLToPath(new URL('../../scripts/connector/launch.mjs', import.meta.url));
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
  folder: string,
  input = '',
): Promise<readonly SuggestedRun[]> {
  const printed = stripVTControlCharacters(stdout + stderr);
  const texts = stdout.startsWith('{') ? textsIn(JSON.parse(stdout)) : [printed];
  const lines = texts.flatMap((text) => text.match(COMMAND) ?? []);
  if (lines.length === 0) throw new Error(`no command is suggested in:\n${stdout}${stderr}`);
  const bin = join(folder, 'bin');
  mkdirSync(bin, { recursive: true });
  writeFileSync(
    join(bin, 'npx'),
    `#!/bin/sh\nshift\nexec "${process.execPath}" "${LAUNCHER}" "$@"\n`,
  );
  chmodSync(join(bin, 'npx'), 0o755);
  const runs: SuggestedRun[] = [];
  for (const line of new Set(lines)) {
    const run = await runInShell(line, folder, bin, input);
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

function runInShell(
  line: string,
  folder: string,
  bin: string,
  input: string,
): Promise<SuggestedRun> {
  const env = {
    ...{ PATH: `${bin}${delimiter}${process.env.PATH}`, HOME: folder },
    AWS_EC2_METADATA_DISABLED: 'true',
  };
  return new Promise((resolve) => {
    const child = execFile('/bin/sh', ['-c', line], { cwd: folder, env }, (_, stdout, stderr) =>
      resolve({ line, code: child.exitCode, stdout, stderr }),
    );
    child.stdin?.on('error', () => {});
    child.stdin?.end(input);
  });
}
