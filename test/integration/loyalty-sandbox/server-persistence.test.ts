import {
  appendFileSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type {
  LoyaltySandbox,
  LoyaltySandboxOptions,
} from '../../../local/loyalty-sandbox/sandbox.ts';
import { answering, startScriptedServer } from '../../support/scripted-server.ts';
import { startPatientSandbox, startSandboxProcess } from './server-process.ts';
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

  it('never gives a code again after a reset and a restart', async () => {
    const file = newFile();
    const publicIds = (sandbox: LoyaltySandbox) =>
      sandbox.state().customers.map(({ PublicId }) => PublicId);
    await during(file, async (sandbox) => {
      await sandbox.reset();
      await callApi(sandbox, 'POST', orders, completedOrder('1', 'customer-1'));
    });
    await during(file, async (sandbox) => {
      await callApi(sandbox, 'POST', orders, completedOrder('2', 'customer-2'));
      expect(new Set(publicIds(sandbox)).size).toBe(2);
    });
  });

  it('drops its history at the start, and the journal beyond its bound', async () => {
    const file = newFile();
    await during(file, async (sandbox) => {
      for (let i = 0; i < 20; i++)
        await callApi(sandbox, 'POST', orders, completedOrder('1', 'c', i));
    });
    const before = lines(file).length;
    await during(
      file,
      (sandbox) => {
        expect(lines(file).length).toBeLessThan(before + 20);
        expect(sandbox.journal.entries().map(({ n }) => n)).toEqual([18, 19, 20]);
        expect(sandbox.journal.dropped).toBe(17);
      },
      { serverSettings: { journalLimit: 3 } },
    );
    expect(existsSync(`${file}.new`)).toBe(false);
    expect(existsSync(`${file}.lock`)).toBe(false);
  });

  it('loses nothing it answered to kill -9, and delivers the events left over', async () => {
    const file = newFile();
    const receiver = await startScriptedServer();
    receiver.script = answering(500, '');
    const args = ['--data', file, '--events-to', receiver.url];
    const first = await startPatientSandbox(...args);
    const answered: string[] = [];
    let [sent, isKilled] = [0, false];
    const sendUntilKilled = async () => {
      while (!isKilled) {
        const order = completedOrder(`o${++sent}`, `c${sent % 7}`);
        const call = callApi({ address: first.address, credentials }, 'POST', orders, order);
        const answer = await call.catch((error) => {
          if (!isKilled) throw error;
        });
        if (!answer) continue;
        expect(answer.json).toMatchObject({ HasError: false });
        answered.push(order.OriginalId);
        if (answered.length === 150) isKilled = first.child.kill('SIGKILL');
      }
    };
    await Promise.all(Array.from({ length: 40 }, sendUntilKilled));
    await first.kill('SIGKILL');

    receiver.script = answering(200, '');
    receiver.received.length = 0;
    const second = await startPatientSandbox(...args);
    const read = async () =>
      (await (await fetch(`${second.address}/sandbox/state`)).json()) as {
        orders: { OriginalId: string; Id: number }[];
        events: { delivery?: { state: string }; payload: { PointId: number } }[];
      };
    const state = await read();
    const kept = state.orders.map(({ OriginalId }) => OriginalId);
    expect(answered.filter((id) => !kept.includes(id))).toEqual([]);
    await callApi({ address: second.address, credentials }, 'POST', orders, completedOrder('next'));
    const after = await read();
    expect(after.orders.at(-1)).toMatchObject({ OriginalId: 'next', Id: kept.length + 1 });
    const undelivered = async () =>
      (await read()).events.filter(({ delivery }) => delivery?.state !== 'delivered');
    await expect.poll(undelivered, { timeout: 120_000 }).toEqual([]);
    const told = new Set(receiver.received.map(({ body }) => JSON.parse(body).Payload.PointId));
    expect(told.size).toBe(kept.length + 1);
    await second.kill('SIGTERM');
    await receiver.stop();
  }, 180_000);
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

  it('may be empty', async () => {
    const file = newFile();
    writeFileSync(file, '');
    await during(file, (sandbox) => expect(sandbox.state().orders).toEqual([]));
  });
});

describe('a data file in use', () => {
  it('is refused to a second sandbox, in this process or in another', async () => {
    const file = newFile();
    await during(file, () => expect(startSandbox({ dataFile: file })).rejects.toThrow('in use'));
    const other = await startSandboxProcess('--data', file);
    await expect(startSandbox({ dataFile: file })).rejects.toThrow(
      `in use by process ${other.child.pid}`,
    );
    await other.kill('SIGTERM');
    await during(file, () => {});
  });

  it('is free again after a process was killed', async () => {
    const file = newFile();
    const killed = await startSandboxProcess('--data', file);
    await killed.kill('SIGKILL');
    expect(existsSync(`${file}.lock`)).toBe(true);
    await during(file, () => {});
  });

  it('is free again when the port was taken', async () => {
    const file = newFile();
    const other = await startSandbox();
    const port = Number(new URL(other.address).port);
    await expect(startSandbox({ port, dataFile: file })).rejects.toMatchObject({
      code: 'EADDRINUSE',
    });
    await during(file, () => {});
    await other.stop();
  });
});
