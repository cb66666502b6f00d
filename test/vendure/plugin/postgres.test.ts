import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, globSync, mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'vitest';
import { describePlugin } from './suite.ts';

/** Where Debian keeps it, which has no link in the path. */
const programs = globSync('/usr/lib/postgresql/*/bin/initdb').toSorted().at(-1)?.slice(0, -7);

if (programs && existsSync(programs)) {
  const data = mkdtempSync(join(tmpdir(), 'vendure-postgres-'));
  // It refuses to run as root.
  const asRoot = process.getuid?.() === 0;
  const idOf = (option: string) =>
    Number(execFileSync('id', [option, 'postgres'], { encoding: 'utf8' }));
  const as = asRoot ? { uid: idOf('-u'), gid: idOf('-g') } : {};
  let stop: () => unknown = () => {};

  describePlugin(
    'Postgres',
    async () => {
      if (as.uid !== undefined) chownSync(data, as.uid, as.gid);
      const listener = createServer().listen(0, '127.0.0.1');
      await once(listener, 'listening');
      const { port } = listener.address() as AddressInfo;
      listener.close();
      const run = { ...as, cwd: data, stdio: 'ignore' } as const;
      execFileSync(
        `${programs}/initdb`,
        ['-D', data, '-U', 'shop', '-A', 'trust', '-E', 'UTF8'],
        run,
      );
      const options = ['-D', data, '-p', String(port), '-k', data, '-h', '127.0.0.1'];
      const database = spawn(`${programs}/postgres`, options, run);
      stop = async () => {
        database.kill('SIGINT');
        await once(database, 'exit');
        rmSync(data, { recursive: true, force: true });
      };
      const connect = ['-p', String(port), '-h', '127.0.0.1', '-U', 'shop', '-t', '60'];
      for (;;) {
        try {
          execFileSync(`${programs}/pg_isready`, connect, run);
          break;
        } catch {
          // Not yet.
        }
      }
      return { type: 'postgres', host: '127.0.0.1', port, username: 'shop', database: 'postgres' };
    },
    () => stop(),
  );
} else {
  describe.skip('the plugin on Postgres (not installed: apt-get install postgresql)', () => {
    it('is not tried', () => {});
  });
}
