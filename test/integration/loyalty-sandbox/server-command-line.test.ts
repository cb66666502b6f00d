import { tmpdir } from 'node:os';
import { describe, expect, it } from 'vitest';
import { help } from '../../../local/loyalty-sandbox/arguments.ts';
import { runCurl } from './run-curl.ts';
import { runSandbox, startSandboxProcess } from './server-process.ts';
import { startSandbox } from './start-sandbox.ts';

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
    expect((await runCurl(order)).json).toMatchObject({ HasError: false });
    expect((await runCurl(customer)).json).toMatchObject({
      HasError: false,
      Result: { OriginalId: 'customer-1' },
    });
    expect((await runCurl(state)).json).toMatchObject({ customers: [{ points: 64.9 }] });
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
      await expect.poll(journal).toMatchObject({ entries: [{ fault: 'hang' }] });
      expect(await kill(signal)).toBe(0);
      expect(await hanging).toBe('cut off');
    },
  );

  it('explains itself', async () => {
    const { code, stdout, stderr } = await runSandbox('--help');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toBe(help);
  });

  it('answers a mistyped option with one clear line and exit code 2', async () => {
    const { code, stdout, stderr } = await runSandbox('--prot', '4010');
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/^[^\n]*--prot[^\n]*--help[^\n]*\n$/);
  });

  it('says plainly that the port is taken or the file cannot be used', async () => {
    const other = await startSandbox();
    const { port } = new URL(other.address);
    const taken = await runSandbox('--port', port);
    expect(taken).toMatchObject({ code: 1, stdout: '' });
    expect(taken.stderr).toBe(
      `Port ${port} is in use, perhaps by another sandbox. Stop that sandbox, or give another --port.\n`,
    );
    await other.stop();
    const file = await runSandbox('--port', '0', '--data', '/nowhere/at/all');
    expect(file).toMatchObject({ code: 1, stdout: '' });
    expect(file.stderr).toBe(
      'There is no folder for /nowhere/at/all. Create /nowhere/at, or give another file.\n',
    );
    const folder = await runSandbox('--port', '0', '--data', tmpdir());
    expect(folder).toMatchObject({ code: 1, stdout: '' });
    expect(folder.stderr).toBe(`${tmpdir()} is a folder. Give the name of a file in it.\n`);
  });
});
