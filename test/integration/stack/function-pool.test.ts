import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  AccountConcurrency,
  FunctionPool,
} from '../../../local/stack/functions/function-runner.ts';
import type { FunctionDescription } from '../../../local/stack/template/describe-resources.ts';

const folder = join(import.meta.dirname, '../../../.connector/test-function');

const HANDLER = `
let count = 0;
exports.handler = async (event, context) => {
  count += 1;
  switch (event.do) {
    case 'count': return count;
    case 'pid': return process.pid;
    case 'environment': return Object.keys(process.env);
    case 'wait': await new Promise((resolve) => setTimeout(resolve, event.ms)); return process.pid;
    case 'spin': for (;;) {}
    case 'throw': throw new TypeError('no');
    case 'exit': process.exit(3);
    case 'log': console.log('a line'); console.error('another'); return null;
  }
};`;

const description: FunctionDescription = {
  logicalId: 'F',
  name: 'f',
  arn: 'arn:aws:lambda:us-east-1:000000000000:function:f',
  roleArn: 'arn:aws:iam::000000000000:role/r',
  assetKey: 'k',
  handler: 'index.handler',
  timeoutSeconds: 20,
  memoryMb: 256,
  environment: {},
  logGroup: 'g',
  reservedConcurrency: undefined,
};

const lines: string[] = [];
let pool: FunctionPool;
const open = (changes: Partial<FunctionDescription> = {}) => {
  pool = new FunctionPool({
    description: { ...description, ...changes },
    folder,
    environment: { ONLY: 'this' },
    onLine: (line) => lines.push(line),
  });
  return pool;
};
const value = async (event: unknown) => {
  const result = await pool.invoke(event);
  if (result.kind !== 'returned') throw new Error(result.kind);
  return JSON.parse(result.json);
};

beforeAll(() => {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{"type":"commonjs"}');
  writeFileSync(join(folder, 'index.js'), HANDLER);
});
afterEach(() => pool.stop());
afterAll(() => rmSync(folder, { recursive: true }));

describe('a function', () => {
  it('keeps its process while it is warm', async () => {
    open();
    expect([await value({ do: 'count' }), await value({ do: 'count' })]).toEqual([1, 2]);
    expect(pool.pids).toHaveLength(1);
  });

  it('gets another process for a concurrent invocation, and never runs two in one process', async () => {
    open();
    const pids = await Promise.all([1, 2, 3].map(() => value({ do: 'wait', ms: 500 })));
    expect(new Set(pids).size).toBe(3);
    expect(pool.pids.toSorted()).toEqual(pids.toSorted());
  });

  it('is throttled beyond its reserved concurrency', async () => {
    open({ reservedConcurrency: 1 });
    const first = pool.invoke({ do: 'wait', ms: 500 });
    expect(await pool.invoke({ do: 'count' })).toEqual({ kind: 'throttled' });
    expect((await first).kind).toBe('returned');
  });

  it('shares the quota of the account with the others, unless it has a reservation', async () => {
    const account = new AccountConcurrency(2, 1);
    const another = (reservedConcurrency?: number) =>
      new FunctionPool(
        {
          description: { ...description, reservedConcurrency },
          folder,
          environment: {},
          onLine() {},
        },
        account,
      );
    const [busy, starved, reserved] = [another(), another(), another(1)];
    const first = busy.invoke({ do: 'wait', ms: 500 });
    expect(await starved.invoke({ do: 'count' })).toEqual({ kind: 'throttled' });
    expect((await reserved.invoke({ do: 'count' })).kind).toBe('returned');
    expect((await first).kind).toBe('returned');
    expect((await starved.invoke({ do: 'count' })).kind).toBe('returned');
    await Promise.all([busy, starved, reserved].map((one) => one.stop()));
  });

  it('sees its own environment and nothing of the parent process', async () => {
    process.env.OF_THE_PARENT = 'secret';
    open();
    const names = await value({ do: 'environment' });
    delete process.env.OF_THE_PARENT;
    expect(names).toContain('ONLY');
    const own = [
      'ONLY',
      'AWS_LAMBDA_LOG_STREAM_NAME',
      'NODE_CHANNEL_FD',
      'NODE_CHANNEL_SERIALIZATION_MODE',
    ];
    // Node adds its own channel to the parent; macOS adds a variable with the text's encoding.
    expect(names.filter((name: string) => !own.includes(name) && !name.startsWith('__CF'))).toEqual(
      [],
    );
  });

  it.each(['wait', 'spin'])('is killed at its time-out in any state (%s)', async (what) => {
    open({ timeoutSeconds: 1 });
    await pool.warm();
    const [before = 0] = pool.pids;
    const result = await pool.invoke({ do: what, ms: 60_000 });
    expect(result).toMatchObject({ kind: 'failed', errorType: 'Sandbox.Timedout' });
    expect(lines.at(-1)).toContain('Task timed out after 1.00 seconds');
    expect(() => process.kill(before, 0)).toThrow('ESRCH');
    expect(pool.pids).toEqual([]);
  });

  it('fails and stays warm when it throws, and fails and restarts when it exits', async () => {
    open();
    const pid = await value({ do: 'pid' });
    expect(await pool.invoke({ do: 'throw' })).toEqual({
      kind: 'failed',
      errorType: 'TypeError',
      errorMessage: 'no',
    });
    expect(await value({ do: 'pid' })).toBe(pid);
    expect(await pool.invoke({ do: 'exit' })).toMatchObject({ errorType: 'Runtime.ExitError' });
    expect(await value({ do: 'pid' })).not.toBe(pid);
  });

  it('writes its output to its log', async () => {
    open();
    await value({ do: 'log' });
    await expect.poll(() => lines).toEqual(expect.arrayContaining(['a line', 'another']));
  });

  it('ends with its pool', async () => {
    open();
    const pid = await value({ do: 'pid' });
    await pool.stop();
    expect(() => process.kill(pid, 0)).toThrow('ESRCH');
  });
});
