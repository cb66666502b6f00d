import { execFileSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import { describe, expect, it } from 'vitest';
import { startLoyaltySandbox } from '../../../local/loyalty-sandbox/sandbox.ts';
import { runSandbox, startSandboxProcess } from './server-process.ts';

/** The shell takes the command apart; the request is made here, because not every machine has curl. */
async function runCurl(command: string): Promise<unknown> {
  const print = `'${process.execPath}' -p 'JSON.stringify(process.argv.slice(1))' --`;
  const split = execFileSync('sh', ['-c', command.replace('curl', print)], { encoding: 'utf8' });
  const { values, positionals } = parseArgs({
    args: JSON.parse(split),
    options: {
      u: { type: 'string', short: 'u' },
      H: { type: 'string', short: 'H' },
      d: { type: 'string', short: 'd' },
    },
    allowPositionals: true,
  });
  const [name, value] = values.H?.split(': ') ?? [];
  const response = await fetch(positionals[0] ?? '', {
    ...(values.d && { method: 'POST', body: values.d }),
    headers: {
      ...(values.u && { authorization: `Basic ${btoa(values.u)}` }),
      ...(name && value && { [name]: value }),
    },
  });
  return response.json();
}

describe('npm run sandbox', () => {
  it('greets with commands that work as they are', async () => {
    const { address, greeting, kill } = await startSandboxProcess(
      '--token',
      "it's",
      '--key',
      'a $HOME "b"',
    );
    const [order = '', customer = '', state = ''] = greeting
      .replaceAll('\\\n', ' ')
      .split('\n')
      .filter((line) => line.trimStart().startsWith('curl'));
    expect(await runCurl(order)).toMatchObject({ HasError: false });
    expect(await runCurl(customer)).toMatchObject({
      HasError: false,
      Result: { OriginalId: 'customer-1' },
    });
    expect(await runCurl(state)).toMatchObject({ customers: [{ points: 64.9 }] });
    expect(greeting).toContain(`${address}/state`);
    expect(await kill('SIGTERM')).toBe(0);
  });

  it.each(['SIGINT', 'SIGTERM'] as const)(
    'stops cleanly on %s, even while a call hangs',
    async (signal) => {
      const { address, kill } = await startSandboxProcess();
      await fetch(`${address}/sandbox/faults`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '{"kind":"hang"}',
      });
      const hanging = fetch(`${address}/v1/pvt/Quiz/list`, {
        headers: { authorization: `Basic ${btoa('sandbox-token:sandbox-key')}` },
      }).catch(() => 'cut off');
      const journal = async () => (await fetch(`${address}/sandbox/journal`)).json();
      await expect
        .poll(journal, { timeout: 5_000 })
        .toMatchObject({ entries: [{ fault: 'hang' }] });
      expect(await kill(signal)).toBe(0);
      expect(await hanging).toBe('cut off');
    },
  );

  it('explains itself', async () => {
    const { code, stdout, stderr } = await runSandbox('--help');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    for (const option of ['--port', '--data', '--seed', '--events-to', '--token', '--key']) {
      expect(stdout).toContain(option);
    }
  });

  it('answers a mistyped option with one clear line and exit code 2', async () => {
    const { code, stdout, stderr } = await runSandbox('--prot', '4010');
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/^[^\n]*--prot[^\n]*--help[^\n]*\n$/);
  });

  it('says plainly that the port is taken or the file cannot be used', async () => {
    const other = await startLoyaltySandbox();
    const { port } = new URL(other.address);
    const taken = await runSandbox('--port', port);
    expect(taken).toMatchObject({ code: 1, stdout: '' });
    expect(taken.stderr).toBe(
      `Port ${port} is taken, perhaps by another sandbox. Stop that one, or give another --port.\n`,
    );
    await other.stop();
    const file = await runSandbox('--port', '0', '--data', '/nowhere/at/all');
    expect(file).toMatchObject({ code: 1, stdout: '' });
    expect(file.stderr).toMatch(/^[^\n]*\/nowhere\/at\/all[^\n]*\n$/);
  });
});
