import { spawn } from 'node:child_process';
import { cpSync, existsSync, readFileSync, symlinkSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { PACKAGE_FOLDER } from '../../shared/config/folders.ts';
import { VERSION } from '../../shared/config/release.ts';

export interface Ran {
  readonly code: number | null;
  /** Both streams, as a terminal shows them. */
  readonly output: string;
}

/** Variables of npm's and vitest's own run; npm's settings stay. */
const NOT_INHERITED =
  /^(?:npm_(?!config_)|npm_config_local_prefix$|NODE_(?:ENV|OPTIONS|COMPILE_CACHE)$|VITEST|INIT_CWD$|AWS_|FORCE_COLOR$)/;

/** Runs a program as a merchant would: nothing of the clone is on the path. */
export function runOutside(folder: string, line: readonly string[]): Promise<Ran> {
  const path = (process.env.PATH ?? '').split(delimiter);
  const outside = path.filter((part) => !part.includes('node_modules')).join(delimiter);
  const inherited = Object.entries(process.env).filter(([name]) => !NOT_INHERITED.test(name));
  const [program = '', ...words] = line;
  const child = spawn(program, words, {
    cwd: folder,
    env: { ...Object.fromEntries(inherited), PATH: outside, AWS_EC2_METADATA_DISABLED: 'true' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, output }));
  });
}

/** The same, for what must succeed. */
export async function mustRun(folder: string, line: readonly string[]): Promise<string> {
  const { code, output } = await runOutside(folder, line);
  if (code !== 0) throw new Error(`"${line.join(' ')}" ended with ${code}:\n${output}`);
  return output;
}

/** A merchant's project with the packed connector, outside of the clone. */
export interface Installed {
  readonly folder: string;
  readonly tarballs: { readonly connector: string; readonly create: string };
  readonly project: string;
  /** What creating it printed. */
  readonly said: string;
}

export const ANSWERS = [
  ...['--shop', 'paper.myshopify.com'],
  ...['--loyalty-address', 'https://points.example.org'],
];

/** Runs what the README tells a merchant, in a copy of the clone; also packs what `npm create` will run. */
export async function createMerchantProject(folder: string): Promise<Installed> {
  const clone = await copyClone(join(folder, 'loyalty-connector'));
  let said = '';
  for (const line of merchantCommands()) {
    // No terminal: the answers are options.
    const isInit = line.includes('loyalty-connector init');
    const answered = isInit ? `${line} ${ANSWERS.join(' ')}` : line;
    const output = await mustRun(clone, ['sh', '-c', answered]);
    if (isInit) said = output;
  }
  const words = ['pack', './dist/create-loyalty-connector', '--ignore-scripts', '--silent'];
  await mustRun(clone, ['npm', ...words]);
  const file = (name: string) => join(clone, `${name}-${VERSION}.tgz`);
  const tarballs = {
    connector: file('loyalty-connector'),
    create: file('create-loyalty-connector'),
  };
  return { folder, tarballs, project: join(folder, 'my-shop'), said };
}

/** Without what the copy has already, and without the start, which does not end. */
function merchantCommands(): readonly string[] {
  const readme = readFileSync(join(PACKAGE_FOLDER, 'README.md'), 'utf8');
  const [, block = ''] = /\*\*As a merchant\*\*[^`]*```sh\n(.*?)```/s.exec(readme) ?? [];
  const lines = block.trim().split('\n');
  const commands = lines.map((line) => line.replace(/ +#.*/, '').replace('npm ci && ', ''));
  if (commands.pop() !== 'npm start' || commands.length === 0) {
    throw new Error('the README has other first commands for merchants than this test knows');
  }
  return commands;
}

/** The files of the clone with its installed packages, so that building does not disturb other tests. */
async function copyClone(to: string): Promise<string> {
  const words = ['ls-files', '--cached', '--others', '--exclude-standard'];
  const listed = await mustRun(PACKAGE_FOLDER, ['git', ...words]);
  for (const file of listed.trim().split('\n')) {
    const from = join(PACKAGE_FOLDER, file);
    if (existsSync(from)) cpSync(from, join(to, file));
  }
  symlinkSync(join(PACKAGE_FOLDER, 'node_modules'), join(to, 'node_modules'));
  return to;
}
