import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Program } from '../../../local/loyalty-sandbox/call.ts';
import { defaultCatalog } from '../../../local/loyalty-sandbox/default-catalog.ts';
import { Subscriptions } from '../../../local/loyalty-sandbox/events/subscriptions.ts';
import { startServer } from '../../../local/loyalty-sandbox/http/server.ts';
import { answerBusinessError } from '../../../local/loyalty-sandbox/program/program.ts';
import { openTables } from '../../../local/loyalty-sandbox/program/rows.ts';
import { defaultServerSettings } from '../../../local/loyalty-sandbox/server-settings.ts';
import { Service } from '../../../local/loyalty-sandbox/service.ts';
import { defaultSettings } from '../../../local/loyalty-sandbox/settings.ts';
import type { DataFile } from '../../../local/sandbox-kit/data-file.ts';
import type { Server } from '../../../local/sandbox-kit/http/server.ts';
import { seededRandom } from '../../../local/sandbox-kit/seeded-random.ts';
import { type Change, Tables } from '../../../local/sandbox-kit/tables.ts';
import { callApi, completedOrder, orders } from './server-requests.ts';
import { contract } from './start-sandbox.ts';

const { credentials } = defaultSettings;
/** Within the contract of the operations called here. */
const accepted = { ErrorMessage: null, ErrorCode: null, Result: null, HasError: false };
let server: Server;
let service: Service;
afterEach(async () => {
  await server.stop();
  await service.stop();
});

/** The real server around a program of the test's own. */
async function start(program: Program, dataFile: Partial<DataFile> = {}): Promise<void> {
  const tables = new Tables();
  const now = () => new Date();
  service = new Service({
    contract,
    settings: defaultSettings,
    serverSettings: defaultServerSettings,
    tables,
    context: {
      tables: openTables(tables),
      settings: defaultSettings,
      catalog: defaultCatalog,
      now,
      random: seededRandom(1),
    },
    createProgram: () => program,
    fail: (operation, code) => answerBusinessError(defaultSettings, operation, code),
    subscriptions: new Subscriptions([], tables, 5),
    dataFile: { append: () => {}, rewrite: () => {}, close: () => {}, ...dataFile },
    createFaultRandom: () => seededRandom(1),
    now,
    advance: () => {},
  });
  server = await startServer(service, 0);
}

const sendOrder = () =>
  callApi({ address: server.address, credentials }, 'POST', orders, completedOrder('1'));

describe('a bug in the program', () => {
  it('is a 500, a crash in the journal and a word on stderr, and the server goes on', async () => {
    const stderr = vi.spyOn(console, 'error').mockImplementation(() => {});
    let calls = 0;
    await start({
      settleDue: () => {},
      answer: () => {
        if (++calls === 1) throw new TypeError('a bug');
        return accepted;
      },
    });
    expect(await sendOrder()).toMatchObject({ status: 500, json: { HasError: true } });
    expect(service.journal.entries()).toMatchObject([
      { operation: 'sendOrder', status: 500, fault: 'crash' },
    ]);
    expect(stderr.mock.calls.flat().map(String).join(' ')).toContain('a bug');
    expect(await sendOrder()).toMatchObject({ status: 200 });
    stderr.mockRestore();
  });
});

describe('the data file', () => {
  it('has the change before the answer goes out, and a change it refuses is not answered with 200', async () => {
    const stderr = vi.spyOn(console, 'error').mockImplementation(() => {});
    let isFull = false;
    const saved: string[] = [];
    const append: DataFile['append'] = (changes) => {
      if (isFull) throw new Error('no space left');
      saved.push(...changes.map(({ table, key }) => `${table} ${key}`));
    };
    await start({ settleDue: () => {}, answer: () => accepted }, { append });
    expect(await sendOrder()).toMatchObject({ status: 200 });
    isFull = true;
    expect(await sendOrder()).toMatchObject({ status: 500 });
    isFull = false;
    expect(await sendOrder()).toMatchObject({ status: 200 });
    expect(saved).toEqual(['journal 1', 'journal 2', 'journal 3']);
    stderr.mockRestore();
  });

  it('that cannot be written anew keeps a reset from happening, in all its parts', async () => {
    let isFull = true;
    const rewritten: Change[][] = [];
    const rewrite: DataFile['rewrite'] = (state) => {
      if (isFull) throw new Error('no space left');
      rewritten.push([...state]);
    };
    await start({ settleDue: () => {}, answer: () => accepted }, { rewrite });
    const { faults, journal } = service;
    const event = { id: '1', topic: 'Point_Add', payload: {}, delivery: { state: 'delivered' } };
    service.parts.tables.table('events').put('1', event);
    await sendOrder();
    faults.add({ kind: 'latency', ms: 0 });
    const before = [...service.parts.tables.all()];
    await expect(service.reset()).rejects.toThrow('no space left');
    expect([...service.parts.tables.all()]).toEqual(before);
    expect([service.faults, service.journal]).toEqual([faults, journal]);
    expect(service.events.all()).toEqual([event]);
    isFull = false;
    await Promise.all([service.reset(), service.reset()]);
    expect(rewritten).toEqual(Array(2).fill([{ table: 'journal-cleared', key: 'n', row: 1 }]));
    expect([...service.parts.tables.all()]).toEqual(rewritten[0]);
    expect(await sendOrder()).toMatchObject({ status: 200 });
    expect(service.journal.entries()).toMatchObject([{ n: 2 }]);
  });
});

describe('a call', () => {
  it('reaches the program with its faults named, or without any', async () => {
    const seen: unknown[] = [];
    await start({
      settleDue: () => {},
      answer: (call) => {
        seen.push(call);
        return accepted;
      },
    });
    const where = { address: server.address, credentials };
    await callApi(where, 'PUT', '/v1/pvt/Product/a%2Fb?x=1&x=2', '{');
    await callApi(where, 'PUT', '/v1/pvt/Product/1', { OriginalId: 5 });
    await callApi(where, 'GET', '/v1/pvt/Quiz/list?customerId=a%20b', '{');
    expect(seen).toEqual([
      {
        operation: 'updateProduct',
        path: { id: 'a/b' },
        query: { x: '2' },
        body: undefined,
        faults: [{ path: '', problem: 'is not JSON' }],
      },
      expect.objectContaining({
        body: { OriginalId: 5 },
        faults: [{ path: 'OriginalId', problem: 'must be string' }],
      }),
      {
        operation: 'listQuizzes',
        path: {},
        query: { customerId: 'a b' },
        body: undefined,
        faults: [],
      },
    ]);
  });
});
