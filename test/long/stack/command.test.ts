import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import { isAlive } from '../../../local/stack/synthesize.ts';
import { runCommand } from '../../support/connector-command.ts';
import { createProject } from '../../support/project.ts';
import { type StartedCommand, startStackCommand } from '../../support/started-command.ts';

const folder = createProject('connector-command');
afterAll(() => rmSync(folder, { recursive: true }));

const stateFile = join(folder, '.connector/stack.json');
const dataFolder = join(folder, 'data');
const patient = { timeout: 60_000, interval: 100 };
const started: StartedCommand[] = [];

function start(...args: readonly string[]): StartedCommand {
  const command = startStackCommand(folder, ...args);
  started.push(command);
  return command;
}

/** At seven ports in a row, below those that the system gives to connections: where one is in use, at others. */
async function startAtAnyPort(...args: readonly string[]) {
  for (;;) {
    const port = String(20_000 + Math.floor(Math.random() * 10_000));
    const first = start(...args, '--port', port);
    const isStarted = await first.says('The shop opens').then(
      () => true,
      () => false,
    );
    if (isStarted) return { first, port };
    expect(first.output()).toContain('is in use');
  }
}

afterEach(async () => {
  for (const command of started.splice(0)) {
    if (isAlive(command.pid)) command.kill('SIGKILL');
    await command.ended();
  }
});

const textOf = async (address: string) => (await fetch(address)).text();

describe('npm start', () => {
  it('prints all addresses, and stops on Ctrl-C without leaving a process behind', async () => {
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
    expect(await diagnosis()).toContain("accepts the shop's signature and refuses a forged one");
    // The settings have no storefront, but there is a shop to look at.
    const [, shop = ''] = /the shop +(\S+)/.exec(command.output()) ?? [];
    const [, product = ''] = /href="(\/products\/[^"]+)"/.exec(await textOf(shop)) ?? [];
    const page = await textOf(`${shop}${product}`);
    const [, script = ''] = /<script src="([^"]+)"/.exec(page) ?? [];
    const answer = await fetch(`${shop}${script}`);
    expect(answer.headers.get('content-type')).toContain('javascript');
    expect(await answer.text()).toContain('loyalty-widget');

    const processes = command.descendants();
    expect(processes.length).toBeGreaterThan(3);
    command.kill('SIGINT');
    expect(await command.ended()).toBe(0);
    await vi.waitFor(() => expect(processes.filter(isAlive)).toEqual([]), patient);
    expect(existsSync(stateFile)).toBe(false);
  });

  it('--once ends with an error when it is stopped before the comparison, and leaves no process behind', async () => {
    const command = start('--once', '--port', '0');
    await command.says('The shop opens');
    const processes = command.descendants();
    // As a pipe into `head` does it.
    command.stopReading();
    expect(await command.ended()).toBe(130);
    await vi.waitFor(() => expect(processes.filter(isAlive)).toEqual([]), patient);
    expect(command.output()).not.toContain('EPIPE');
    expect(existsSync(stateFile)).toBe(false);
  });

  it('status goes on with the settings of the start, and names the mistake in the changed file', async () => {
    const command = start('--no-demo', '--port', '0');
    await command.says('Ctrl-C stops everything.');
    const settings = join(folder, 'connector.config.ts');
    const before = readFileSync(settings, 'utf8');
    const mistakes = [
      ['export default {\n  shops: : [],\n};\n', 'connector.config.ts:2:10: unexpected ":": '],
      ['export default 1;\n', 'connector.config.ts must end in: export default defineConnector('],
    ] as const;
    try {
      for (const [text, named] of mistakes) {
        writeFileSync(settings, text);
        const { code, stdout, stderr } = await runCommand(['status'], { folder });
        expect(stdout).toContain('22 subscriptions');
        expect(stderr).toContain('connector.config.ts has changed since the start.');
        expect(stderr).toContain(`\n${named}`);
        expect(stderr).not.toContain('.mjs');
        expect(code).toBe(0);
      }
    } finally {
      writeFileSync(settings, before);
    }
  });

  it('--data resumes after a kill during an outage', async () => {
    // Those of the first run: webhooks that were not delivered go to its address.
    const { first, port } = await startAtAnyPort('--once', '--data', dataFolder);
    await first.says('and Robin sends one of the shirts back.');
    const processes = first.descendants();
    first.kill('SIGKILL');
    await first.ended();
    await vi.waitFor(() => expect(processes.filter(isAlive)).toEqual([]), patient);

    const second = start('--once', '--data', dataFolder, '--port', port);
    const code = await second.ended();
    expect(second.output()).toContain('Continuing with the data of the last run.');
    expect(second.output()).toMatch(/\nin sync: 3 orders, 5 products, 7 coupons\n$/);
    expect(code).toBe(0);
    expect(statSync(join(dataFolder, 'secrets.json')).mode & 0o077).toBe(0);
  });
});

const diagnosis = async () =>
  (await runCommand(['doctor', '--all'], { folder })).stdout.replaceAll(/\s+/g, ' ');
