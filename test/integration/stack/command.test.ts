import { existsSync, mkdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { PROJECT } from '../../../local/stack/synthesize.ts';
import {
  isAlive,
  type StartedCommand,
  startByNpm,
  startStackCommand,
} from '../../support/started-command.ts';

const stateFile = join(PROJECT, '.connector/stack.json');
const dataFolder = join(PROJECT, '.connector/test-data');
const patient = { timeout: 20_000, interval: 100 };
const started: StartedCommand[] = [];

function start(...args: readonly string[]): StartedCommand {
  const command = startStackCommand(...args);
  started.push(command);
  return command;
}

afterEach(async () => {
  for (const command of started.splice(0)) {
    if (isAlive(command.pid)) command.kill('SIGKILL');
    await command.ended();
  }
  rmSync(dataFolder, { recursive: true, force: true });
});

/** The first of some ports that nobody uses. */
async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  await new Promise((resolve) => {
    server.close(resolve);
  });
  // Away from those that are given to whoever asks for any.
  return 10_000 + ((typeof address === 'object' && address ? address.port : 0) % 10_000);
}

describe('npm start', () => {
  it('--once plays a day in the store and ends with 0 when both sides agree', async () => {
    const command = startByNpm('--once', '--port', '0');
    const code = await command.ended();
    expect(command.output()).toMatch(/\nin sync: 3 orders, 5 products, 6 coupons\n$/);
    expect(code).toBe(0);
    expect(command.output()).toContain('again in');
    expect(existsSync(stateFile)).toBe(false);
  }, 180_000);

  it('says where everything is, and ends on Ctrl-C without leaving a process behind', async () => {
    const command = start('--no-demo', '--port', '0');
    await command.says('Ctrl-C stops everything.');
    const state = JSON.parse(readFileSync(stateFile, 'utf8'));
    expect(state).toMatchObject({
      pid: command.pid,
      stack: 'loyalty-connector-prod',
      stage: 'prod',
      region: 'us-east-1',
      outputs: { OrdersQueueUrl: expect.stringContaining(state.endpoint) },
    });
    // It holds what opens everything.
    expect(statSync(stateFile).mode & 0o077).toBe(0);
    const [curl = ''] = /curl -i .*?'\{"id":1\}'/s.exec(command.output()) ?? [];
    expect(await statusOf(curl)).toBe(200);

    const processes = command.descendants();
    expect(processes.length).toBeGreaterThan(3);
    command.kill('SIGINT');
    expect(await command.ended()).toBe(0);
    await vi.waitFor(() => expect(processes.filter(isAlive)).toEqual([]), patient);
    expect(existsSync(stateFile)).toBe(false);
  }, 120_000);

  it('says in one line which port is taken, and how to take another', async () => {
    const port = await freePort();
    const server = createServer();
    await new Promise<void>((resolve) => {
      server.listen(port, '127.0.0.1', resolve);
    });
    const command = start('--port', String(port));
    const code = await command.ended();
    server.close();
    expect(code).toBe(1);
    expect(command.output().trim().split('\n').at(-1)).toBe(
      `Port ${port} is taken, perhaps by another stack. Stop that one, or give another --port than ${port}.`,
    );
  }, 60_000);

  it('--data: killed in the middle of an outage, it goes on where it was', async () => {
    mkdirSync(dataFolder, { recursive: true });
    const port = String(await freePort());
    const first = start('--once', '--data', dataFolder, '--port', port);
    await first.says('and Robin sends one of the shirts back.');
    const processes = first.descendants();
    first.kill('SIGKILL');
    await first.ended();
    await vi.waitFor(() => expect(processes.filter(isAlive)).toEqual([]), patient);

    const second = start('--once', '--data', dataFolder, '--port', port);
    const code = await second.ended();
    expect(second.output()).toContain('Going on where it was.');
    expect(second.output()).toMatch(/\nin sync: 3 orders, 5 products, 7 coupons\n$/);
    expect(code).toBe(0);
    expect(statSync(join(dataFolder, 'secrets.json')).mode & 0o077).toBe(0);
  }, 240_000);

  it.each([
    [['--port', 'x'], '--port must be a whole number'],
    [['--stage', 'nowhere'], 'connector.config.nowhere.ts is missing'],
    [['--once', '--no-demo'], 'leave nothing to do'],
    [['--typo'], "Unknown option '--typo'"],
  ])(
    '%j is a mistake, told in a line',
    async (args, problem) => {
      const command = start(...args);
      expect(await command.ended()).toBeGreaterThan(0);
      expect(command.output()).toContain(problem);
      expect(command.output().trim().split('\n')).toHaveLength(1);
    },
    60_000,
  );
});

/** Sends what the printed command would send. */
async function statusOf(curl: string): Promise<number> {
  const [, address = ''] = /curl -i (\S+)/.exec(curl) ?? [];
  const headers = Object.fromEntries(
    [...curl.matchAll(/-H '([^:]+): ([^']+)'/g)].map(([, name, value]) => [name, value]),
  );
  const [, body = ''] = /-d '([^']+)'/.exec(curl) ?? [];
  const answer = await fetch(address, { method: 'POST', headers, body });
  return answer.status;
}
