import { constants, copyFileSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { VERSION } from '../../../shared/config/release.ts';
import { BadArguments, EXIT, type ExitCode, Problem } from '../exit.ts';
import type { CommonOptions } from '../session.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { askAnswers, type Given } from './answers.ts';
import { PROJECT_PATHS, projectFiles } from './project-files.ts';

export interface InitOptions extends Given {
  readonly yes?: boolean;
  /** The connector as a file. Absent: npm finds it in its registry. */
  readonly package?: string;
}

/** Writes the project of a merchant, and no file that is already there. */
export async function init(
  terminal: Terminal,
  { yes = false, package: packed, ...given }: InitOptions & CommonOptions,
  folder: string,
): Promise<ExitCode> {
  const target = resolve(folder);
  // Before the questions: no one answers in vain.
  if (packed !== undefined && !(packed.endsWith('.tgz') && existsSync(packed))) {
    throw new BadArguments(`--package must be a file that "npm pack" wrote, not ${packed}.`);
  }
  const copy = packed === undefined ? [] : [basename(packed)];
  const taken = [...PROJECT_PATHS, ...copy].filter((file) => existsSync(join(target, file)));
  if (taken.length > 0) {
    throw new Problem(
      `${target} already has ${taken.join(', ')}. Nothing was written.`,
      'Name a new folder.',
    );
  }
  const answers = await askAnswers(terminal, given, !yes && process.stdin.isTTY === true);
  const source = packed === undefined ? VERSION : `file:${basename(packed)}`;
  const files = projectFiles({ ...answers, name: packageName(target) }, source);
  for (const [file, text] of files) {
    mkdirSync(dirname(join(target, file)), { recursive: true });
    writeFileSync(join(target, file), text, { flag: 'wx' });
  }
  if (packed !== undefined) {
    // Inside of the project, so that its repository and its workflow have it, too.
    copyFileSync(packed, join(target, basename(packed)), constants.COPYFILE_EXCL);
  }
  terminal.line(`Written to ${target}: ${[...files.keys(), ...copy].join(', ')}.`);
  const enter = relative(process.cwd(), target);
  terminal.line('\nNext:');
  if (enter !== '') terminal.line(`  cd ${enter}`);
  if (packed === undefined) {
    terminal.line(
      `  npm install                     takes loyalty-connector@${VERSION} from npm's registry`,
    );
  } else {
    terminal.line('  npm install');
  }
  terminal.line(`  npm start                       tries it on this machine
  npx loyalty-connector setup --region ${answers.region}    puts it into your AWS account`);
  return EXIT.fine;
}

/** npm takes lower-case letters, digits and hyphens. */
function packageName(folder: string): string {
  const name = basename(folder).toLowerCase();
  return name.replaceAll(/[^a-z0-9]+/g, '-').replaceAll(/^-|-$/g, '') || 'loyalty';
}
