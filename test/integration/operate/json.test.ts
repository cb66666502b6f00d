import { expect, it } from 'vitest';
import { faultsIn } from '../../support/command-output.ts';
import { useOperatedConnector } from '../../support/operated-connector.ts';

const operated = useOperatedConnector();

it.each([
  'status --charts',
  'doctor --all',
  'dead-letters list --limit 25',
  'reconcile status',
  'history',
  'webhooks check',
  'pause --because test --yes',
  'resume',
])('%s prints the published form with --json', async (line) => {
  const { stdout } = await operated.run(`${line} --json`);
  expect(faultsIn(JSON.parse(stdout))).toEqual([]);
});

it.each([
  ['trace order 9999999999999 --shop nowhere', 'bad-arguments', 2],
  ['history --limit none', 'bad-arguments', 2],
  ['dead-letters show nothing', 'failed', 1],
  ['status --no-such-option', 'bad-arguments', 2],
])('%s prints an error with --json, and ends with the same code', async (line, code, exitCode) => {
  const run = await operated.run(`${line} --json`);
  const printed = JSON.parse(run.stdout);
  expect(faultsIn(printed)).toEqual([]);
  expect(printed.error.code).toBe(code);
  expect(run.stderr).toContain(printed.error.message.split(': ').at(-1)?.slice(0, 20));
  expect(run.code).toBe(exitCode);
});
