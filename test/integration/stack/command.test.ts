import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { afterAll, describe, expect, it } from 'vitest';
import manifest from '../../../package.json' with { type: 'json' };
import { createProject } from '../../support/project.ts';
import { startStackCommand } from '../../support/started-command.ts';

const folder = createProject('connector-command');
afterAll(() => rmSync(folder, { recursive: true }));

describe('loyalty-connector start', () => {
  it('is what npm start runs', () => {
    expect(manifest.scripts.start).toMatch(/^exec node scripts\/connector\/launch\.mjs start$/);
  });

  it('notices a port in use before anything is synthesized', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    // The last but one of the six that would be used; another program may use those before it.
    const command = startStackCommand(folder, '--port', String(port - 4));
    expect(await command.ended()).toBe(1);
    server.close();
    const said = /^Port (\d+) is in use(?: by process (\d+) \(.+\))?\. .*--port\.$/;
    const [, inUse, holder] = said.exec(command.output().trim()) ?? [];
    expect([4, 3, 2, 1, 0].map((before) => port - before)).toContain(Number(inUse));
    // One of those before it may be the end of a connection, which no process listens at.
    if (Number(inUse) === port) expect(Number(holder)).toBe(process.pid);
  });

  it.each([
    [['--port', 'x'], 'Give a whole number from 0 to 65529'],
    [
      ['--stage', 'nowhere', '--port', '0'],
      'connector.config.nowhere.ts is not in',
      'Stages: prod.',
    ],
    [['--once', '--no-demo'], "'--no-demo' cannot be used with option '--once'"],
    [['--typo'], "unknown option '--typo'"],
  ])(
    '%j is a mistake that a line explains',
    async (args, problem, ...next) => {
      const command = startStackCommand(folder, ...args);
      expect(await command.ended()).toBeGreaterThan(0);
      expect(command.output()).toContain(problem);
      expect(command.output().trim().split('\n').slice(1)).toEqual(next);
    },
    60_000,
  );
});
