import { spawn } from 'node:child_process';
import { basename, delimiter, join } from 'node:path';
import { PACKAGE_FOLDER } from '../../shared/config/folders.ts';

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

interface Tarballs {
  readonly connector: string;
  readonly create: string;
}

/** Builds the clone and packs both packages into a folder. */
async function packConnector(folder: string): Promise<Tarballs> {
  const pack = async (what: string, ...options: readonly string[]) => {
    const words = ['pack', what, '--pack-destination', folder, '--silent', ...options];
    const printed = await mustRun(PACKAGE_FOLDER, ['npm', ...words]);
    return join(folder, basename(printed.trim().split('\n').at(-1) ?? ''));
  };
  const connector = await pack('.');
  const create = await pack('./dist/create-loyalty-connector', '--ignore-scripts');
  return { connector, create };
}

/** A merchant's project with the packed connector, outside of the clone. */
export interface Installed {
  readonly folder: string;
  readonly tarballs: Tarballs;
  readonly project: string;
  /** What creating it printed. */
  readonly said: string;
}

const QUICKLY = ['--prefer-offline', '--no-audit', '--no-fund'];

/** What `npm create loyalty-connector shop` does, and `npm install` with the packed connector. */
export async function createMerchantProject(folder: string): Promise<Installed> {
  const tarballs = await packConnector(folder);
  const { connector, create } = tarballs;
  const answers = [
    '--shop',
    'paper.myshopify.com',
    '--loyalty-address',
    'https://points.example.org',
  ];
  const words = ['exec', '--yes', `--package=${create}`, '--', 'create-loyalty-connector', 'shop'];
  const said = await mustRun(folder, ['npm', ...words, ...answers]);
  const project = join(folder, 'shop');
  await mustRun(project, ['npm', 'install', connector, ...QUICKLY]);
  return { folder, tarballs, project, said };
}
