import {
  appendFileSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type {
  LoyaltySandbox,
  LoyaltySandboxOptions,
} from '../../../local/loyalty-sandbox/sandbox.ts';
import { openDataFile } from '../../../local/sandbox-kit/data-file.ts';
import { Tables } from '../../../local/sandbox-kit/tables.ts';
import { startSandboxProcess } from '../../support/sandbox-process.ts';
import { callApi, completedOrder, orders } from './server-requests.ts';
import { startSandbox } from './start-sandbox.ts';

const folder = mkdtempSync(join(tmpdir(), 'sandbox-data-'));
afterAll(() => rmSync(folder, { recursive: true }));
let files = 0;
const newFile = () => join(folder, `${++files}.data`);
const credentials = { token: 'sandbox-token', key: 'sandbox-key' };
const lines = (file: string) => readFileSync(file, 'utf8').trimEnd().split('\n');

/** Starts on the file, does something, stops. */
async function during<T>(
  dataFile: string,
  work: (sandbox: LoyaltySandbox) => T | Promise<T>,
  options: LoyaltySandboxOptions = {},
): Promise<T> {
  const sandbox = await startSandbox({ ...options, dataFile });
  try {
    return await work(sandbox);
  } finally {
    await sandbox.stop();
  }
}

describe('a sandbox with a data file', () => {
  it('goes on where it stopped: state, journal, numbers and luck', async () => {
    const file = newFile();
    const before = await during(file, async (sandbox) => {
      await callApi(sandbox, 'POST', orders, completedOrder('1', 'customer-1', 150));
      await callApi(sandbox, 'POST', '/v1/pvt/RewardConfigurations/1/redeem', {
        CustomerId: 'customer-1',
      });
      await callApi(sandbox, 'POST', '/v1/pvt/Order/1/cancel', {
        OrderCancelledDate: '2026-10-09T00:00:00Z',
      });
      return { state: sandbox.state(), journal: sandbox.journal.entries() };
    });
    await during(file, async (sandbox) => {
      expect(sandbox.state()).toEqual(before.state);
      expect(sandbox.journal.entries()).toEqual(before.journal);
      await callApi(sandbox, 'POST', orders, completedOrder('2', 'customer-2', 500));
      const { orders: kept, customers } = sandbox.state();
      expect(kept.map(({ Id }) => Id)).toEqual([1, 2]);
      expect(new Set(customers.map(({ PublicId }) => PublicId)).size).toBe(2);
      expect(sandbox.journal.entries().map(({ n }) => n)).toEqual([1, 2, 3, 4]);
    });
  });

  it('keeps a reset and a cleared journal, too', async () => {
    const file = newFile();
    await during(file, async (sandbox) => {
      await callApi(sandbox, 'POST', orders, completedOrder('1'));
      await sandbox.reset();
      await callApi(sandbox, 'POST', orders, completedOrder('2'));
      sandbox.journal.clear();
    });
    await during(file, async (sandbox) => {
      expect(sandbox.state().orders.map(({ OriginalId }) => OriginalId)).toEqual(['2']);
      expect(sandbox.journal.entries()).toEqual([]);
      await callApi(sandbox, 'POST', orders, completedOrder('3'));
      expect(sandbox.journal.entries()).toMatchObject([{ n: 3 }]);
      expect(sandbox.journal.dropped).toBe(0);
    });
  });

  it('loses nothing it answered to kill -9', async () => {
    const file = newFile();
    const { address, child, kill } = await startSandboxProcess('loyalty', '--data', file);
    const answered: string[] = [];
    let [sent, isKilled] = [0, false];
    const sendUntilKilled = async () => {
      while (!isKilled) {
        const order = completedOrder(`o${++sent}`);
        const answer = await callApi({ address, credentials }, 'POST', orders, order).catch(
          (error) => {
            if (!isKilled) throw error;
          },
        );
        if (answer) answered.push(order.OriginalId);
        if (answered.length >= 60) isKilled = child.kill('SIGKILL');
      }
    };
    await Promise.all(Array.from({ length: 20 }, sendUntilKilled));
    await kill('SIGKILL');
    await during(file, (sandbox) => {
      const kept = sandbox.state().orders.map(({ OriginalId }) => OriginalId);
      expect(answered.filter((id) => !kept.includes(id))).toEqual([]);
    });
  });

  it('drops the history in its file while it runs, whenever that is several times the state', () => {
    const path = newFile();
    const tables = new Tables();
    const file = openDataFile(path, tables);
    const rows = tables.table<string>('rows');
    let largest = 0;
    for (let i = 0; i < 100; i++) {
      rows.put('row', `${i} ${'ü\n'.repeat(50_000)}`);
      rows.put(`small ${i}`, 'x');
      file.append(tables.takeChanges());
      largest = Math.max(largest, statSync(path).size);
    }
    expect(largest).toBeLessThan(2 * 1024 * 1024);
    file.close();
    const again = new Tables();
    openDataFile(path, again).close();
    expect([...again.all()]).toEqual([...tables.all()]);
    expect(existsSync(`${path}.new`)).toBe(false);
  });
});

describe('a damaged data file', () => {
  it('is opened when only its last line is incomplete, and says so', async () => {
    const file = newFile();
    await during(file, (sandbox) => callApi(sandbox, 'POST', orders, completedOrder('1')));
    appendFileSync(file, '[{"table":"orders","key":"2","row":{"Id');
    await during(file, (sandbox) => {
      expect(sandbox.notice).toContain('incomplete');
      expect(sandbox.state().orders).toHaveLength(1);
    });
    await during(file, (sandbox) => expect(sandbox.notice).toBeUndefined());
  });

  it.each(['{broken', '[1]', '{"table":"orders"}', ''])(
    'is refused with the line number when another line is %j, and stays as it is',
    async (broken) => {
      const file = newFile();
      await during(file, (sandbox) => callApi(sandbox, 'POST', orders, completedOrder('1')));
      const [heading, first, ...rest] = lines(file);
      writeFileSync(file, [heading, first, broken, ...rest, ''].join('\n'));
      const before = readFileSync(file);
      await expect(startSandbox({ dataFile: file })).rejects.toThrow(
        /line 3, cannot be read.*delete the line/,
      );
      expect(readFileSync(file)).toEqual(before);
      expect(existsSync(`${file}.lock`)).toBe(false);
    },
  );

  it('is not changed when it is a file of another program', async () => {
    const file = newFile();
    writeFileSync(file, '{"name":"important"}\n');
    await expect(startSandbox({ dataFile: file })).rejects.toThrow('not a data file of a sandbox');
    expect(readFileSync(file, 'utf8')).toBe('{"name":"important"}\n');
  });
});

describe('a data file in use', () => {
  it('is refused to a second sandbox, in this process or in another', async () => {
    const file = newFile();
    await during(file, () => expect(startSandbox({ dataFile: file })).rejects.toThrow('in use'));
    const other = await startSandboxProcess('loyalty', '--data', file);
    await expect(startSandbox({ dataFile: file })).rejects.toThrow(
      `in use by process ${other.child.pid}`,
    );
    await other.kill('SIGTERM');
    await during(file, () => {});
  });
});
