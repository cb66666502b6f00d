import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startLoyaltySandbox } from '../../../local/loyalty-sandbox/sandbox.ts';
import { startStoreSandbox } from '../../../local/store-sandbox/sandbox.ts';
import { askAdmin, control } from './ask-admin.ts';
import { startReceiver, type WebhookReceiver } from './webhook-receiver.ts';

const main = 'local/store-sandbox/main.ts';
let folder: string;
let receiver: WebhookReceiver;
const children = new Set<ChildProcess>();

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'store-sandbox-'));
  receiver = await startReceiver();
});
afterEach(() => {
  for (const child of children) child.kill('SIGKILL');
  children.clear();
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await receiver.stop();
});

function startProcess(...args: readonly string[]) {
  const child = spawn(process.execPath, [main, '--port', '0', ...args]);
  children.add(child);
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
  return new Promise<{
    address: string;
    greeting: string;
    kill: (signal: NodeJS.Signals) => Promise<number | null>;
  }>((resolve, reject) => {
    let greeting = '';
    child.stderr.on('data', (data) => reject(new Error(String(data))));
    child.stdout.on('data', (data) => {
      greeting += data;
      const [, address] = /API +(http:\/\/127\.0\.0\.1:\d+)\//.exec(greeting) ?? [];
      if (!address || !greeting.includes('-d ')) return;
      const kill = (signal: NodeJS.Signals) => {
        child.kill(signal);
        return ended;
      };
      resolve({ address, greeting, kill });
    });
  });
}

function run(
  ...args: readonly string[]
): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const child = spawn(process.execPath, [main, ...args]);
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (data) => {
    stdout += data;
  });
  child.stderr.on('data', (data) => {
    stderr += data;
  });
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, stdout, stderr })));
}

const credentials = {
  clientId: '',
  clientSecret: '',
  previousSecret: '',
  accessToken: 'shpat_sandbox',
};

describe('a killed store', () => {
  it('has everything again after a restart, and sends what it had not yet sent', async () => {
    const file = join(folder, 'killed.jsonl');
    const args = ['--data', file, '--webhooks-to', receiver.address];
    receiver.answer = () => undefined;
    const first = await startProcess(...args);
    const placed = await control(first, 'POST', 'actions/placeRandomOrder', {});
    const { result } = (await placed.json()) as { result: { id: string; number: number } };
    await control(first, 'POST', 'actions/createDiscount', { codes: ['KEPT'], percentage: 5 });
    await first.kill('SIGKILL');

    receiver.answer = () => 200;
    receiver.received.length = 0;
    const second = await startProcess(...args);
    const { data } = await askAdmin(
      { address: second.address, credentials },
      '{ orders(first: 5) { nodes { id } } codeDiscountNodeByCode(code: "KEPT") { id } productsCount { count } }',
    );
    expect(data.orders.nodes).toEqual([{ id: `gid://shopify/Order/${result.id}` }]);
    expect(data.codeDiscountNodeByCode).not.toBeNull();
    expect(data.productsCount.count).toBe(5);
    await expect
      .poll(() => receiver.topics())
      .toEqual(expect.arrayContaining(['orders/create', 'discounts/create']));
    const next = await control(second, 'POST', 'actions/placeRandomOrder', {});
    const { result: later } = (await next.json()) as { result: { id: string; number: number } };
    expect(later.number).toBe(result.number + 1);
    expect(later.id).not.toBe(result.id);
    expect(await second.kill('SIGTERM')).toBe(0);
  });

  it('refuses the file of another sandbox, and does not change it', async () => {
    const file = join(folder, 'loyalty.jsonl');
    await (await startLoyaltySandbox({ dataFile: file })).stop();
    await expect(startStoreSandbox({ dataFile: file })).rejects.toThrow('another sandbox');
    await (await startLoyaltySandbox({ dataFile: file })).stop();
  });
});

describe('npm run store', () => {
  it('greets with what a newcomer needs, and a command that works', async () => {
    const { address, greeting, kill } = await startProcess(
      '--secret',
      "it's secret",
      '--token',
      'my-token',
    );
    for (const needed of ["it's secret", 'my-token', `${address}/`, 'sandbox.myshopify.com'])
      expect(greeting).toContain(needed);
    const { data } = await askAdmin(
      { address, credentials: { ...credentials, accessToken: 'my-token' } },
      '{ shop { name } }',
    );
    expect(data.shop.name).toBe('Sandbox Store');
    expect(await kill('SIGINT')).toBe(0);
  });

  it('stops at once, even while a delivery has no answer, another waits for its retry and a call hangs', async () => {
    receiver.answer = ({ headers }) =>
      headers['x-shopify-topic'] === 'orders/create' ? 500 : undefined;
    const { address, kill } = await startProcess('--webhooks-to', receiver.address);
    await control({ address }, 'POST', 'actions/placeRandomOrder', {});
    await control({ address }, 'POST', 'faults', { kind: 'hang' });
    const hanging = askAdmin({ address, credentials }, '{ shop { name } }').catch(() => 'cut off');
    const journal = async () => (await control({ address }, 'GET', 'journal')).json();
    await expect.poll(journal).toMatchObject({ entries: [{ fault: 'hang' }] });
    expect(await kill('SIGTERM')).toBe(0);
    expect(await hanging).toBe('cut off');
  });

  it('explains itself, and answers a mistyped option with one clear line', async () => {
    const help = await run('--help');
    expect(help).toMatchObject({ code: 0, stderr: '' });
    for (const option of ['--port', '--webhooks-to', '--secret', '--seed', '--data'])
      expect(help.stdout).toContain(option);
    for (const args of [
      ['--prot', '1'],
      ['--port', 'x'],
      ['--webhooks-to', 'ftp://x'],
      ['--shop', 'example.com'],
      ['--secret', ''],
    ]) {
      const wrong = await run(...args);
      expect(wrong).toMatchObject({ code: 2, stdout: '' });
      expect(wrong.stderr).toMatch(/^[^\n]*--help[^\n]*\n$/);
    }
  });

  it('reports that the port is in use or the file cannot be used', async () => {
    const other = await startStoreSandbox();
    const { port } = new URL(other.address);
    const taken = await run('--port', port);
    expect(taken).toMatchObject({ code: 1, stdout: '' });
    expect(taken.stderr).toBe(
      `Port ${port} is in use, perhaps by another sandbox. Stop that sandbox, or give another --port.\n`,
    );
    await other.stop();
    const file = await run('--port', '0', '--data', '/nowhere/at/all');
    expect(file).toMatchObject({ code: 1, stdout: '' });
  });
});
