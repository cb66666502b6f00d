import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { afterAll, describe, expect, it } from 'vitest';
import manifest from '../../../package.json' with { type: 'json' };
import { freePorts } from '../../support/free-ports.ts';
import { createProject } from '../../support/project.ts';
import { startStackCommand } from '../../support/started-command.ts';

const folder = createProject('connector-command');
afterAll(() => rmSync(folder, { recursive: true }));

describe('loyalty-connector start', () => {
  it('is what npm start runs', () => {
    expect(manifest.scripts.start).toMatch(/^exec node scripts\/connector\/launch\.mjs start$/);
  });

  it('notices a port in use before anything is synthesized', async () => {
    const first = await freePorts();
    // The last but one of the six.
    const port = first + 4;
    const server = createServer().listen(port, '127.0.0.1');
    await once(server, 'listening');
    const command = startStackCommand(folder, '--port', String(first));
    expect(await command.ended()).toBe(1);
    server.close();
    expect(command.output().trim()).toMatch(new RegExp(`^Port ${port} is in use, .*\\.$`));
  }, 60_000);

  it.each([
    [['--port', 'x'], 'Give a whole number from 0 to 65530'],
    [['--stage', 'nowhere', '--port', '0'], 'connector.config.nowhere.ts is missing'],
    [['--once', '--no-demo'], "'--no-demo' cannot be used with option '--once'"],
    [['--typo'], "unknown option '--typo'"],
  ])(
    '%j is a mistake that one line explains',
    async (args, problem) => {
      const command = startStackCommand(folder, ...args);
      expect(await command.ended()).toBeGreaterThan(0);
      expect(command.output()).toContain(problem);
      expect(command.output().trim().split('\n')).toHaveLength(1);
    },
    60_000,
  );
});
