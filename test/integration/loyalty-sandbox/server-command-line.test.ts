import { describe, expect, it } from 'vitest';
import { runSandbox, startSandboxProcess } from '../../support/sandbox-process.ts';
import { runCurl } from './run-curl.ts';

describe('npm run sandbox', () => {
  it('greets with commands that work as they are', async () => {
    const { address, greeting, kill } = await startSandboxProcess(
      'loyalty',
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
      const { address, kill } = await startSandboxProcess('loyalty');
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

  it('answers a mistyped option with one clear line and exit code 2', async () => {
    const { code, stdout, stderr } = await runSandbox('loyalty', '--prot', '4010');
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/^[^\n]*--prot[^\n]*--help[^\n]*\n$/);
  });
});
