import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { VERSION } from '../../../shared/config/release.ts';
import { EXIT, type ExitCode, Problem } from '../exit.ts';
import type { CommonOptions } from '../session.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { askAnswers, type Given } from './answers.ts';
import { PROJECT_PATHS, projectFiles } from './project-files.ts';

export interface InitOptions extends Given {
  readonly yes?: boolean;
}

/** Writes the project of a merchant, and no file that is already there. */
export async function init(
  terminal: Terminal,
  { yes = false, ...given }: InitOptions & CommonOptions,
  folder: string,
): Promise<ExitCode> {
  const target = resolve(folder);
  // Before the questions: no one answers in vain.
  const taken = PROJECT_PATHS.filter((file) => existsSync(join(target, file)));
  if (taken.length > 0) {
    throw new Problem(
      `${target} already has ${taken.join(', ')}. Nothing was written.`,
      'Name a new folder.',
    );
  }
  const answers = await askAnswers(terminal, given, !yes && process.stdin.isTTY === true);
  const files = projectFiles({ ...answers, name: packageName(target) }, VERSION);
  for (const [file, text] of files) {
    mkdirSync(dirname(join(target, file)), { recursive: true });
    writeFileSync(join(target, file), text, { flag: 'wx' });
  }
  terminal.line(`Written to ${target}: ${[...files.keys()].join(', ')}.`);
  const enter = relative(process.cwd(), target);
  terminal.line('\nNext:');
  if (enter !== '') terminal.line(`  cd ${enter}`);
  terminal.line(`  npm install
  npm start                       tries it on this machine
  npx loyalty-connector setup --region ${answers.region}    puts it into your AWS account`);
  return EXIT.fine;
}

/** npm takes lower-case letters, digits and hyphens. */
function packageName(folder: string): string {
  const name = basename(folder).toLowerCase();
  return name.replaceAll(/[^a-z0-9]+/g, '-').replaceAll(/^-|-$/g, '') || 'loyalty';
}
