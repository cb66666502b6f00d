import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { LoyaltySandbox } from '../../../local/loyalty-sandbox/sandbox.ts';
import { callApi, completedOrder, orders } from './server-requests.ts';
import { contract, startSandbox } from './start-sandbox.ts';

let sandbox: LoyaltySandbox;
beforeAll(async () => {
  sandbox = await startSandbox();
});
beforeEach(() => sandbox.reset());
afterAll(() => sandbox.stop());

let sent = 0;
const sendOrder = () => callApi(sandbox, 'POST', orders, completedOrder(`order-${++sent}`));

describe('a call that a fault holds up', () => {
  it('is not carried out when a stop cuts it off', async () => {
    const other = await startSandbox();
    other.faults.add({ kind: 'latency', ms: 60_000 });
    const waiting = callApi(other, 'POST', orders, completedOrder('1')).catch(
      (error) => error.code,
    );
    await expect.poll(() => other.faults.list()).toMatchObject([{ met: 1 }]);
    await other.stop();
    expect(await waiting).toBe('ECONNRESET');
    expect(other.state().orders).toEqual([]);
  });
});

describe('which calls a fault meets', () => {
  it('counts only the calls of its operation, after those it leaves alone', async () => {
    sandbox.faults.add({ kind: 'http-500', operation: 'sendOrder', after: 1, count: 2 });
    const statuses: number[] = [];
    for (let i = 0; i < 5; i++) {
      expect(await callApi(sandbox, 'GET', '/v1/pvt/Quiz/list')).toMatchObject({ status: 200 });
      statuses.push((await sendOrder()).status);
    }
    expect(statuses).toEqual([200, 500, 500, 200, 200]);
    expect(sandbox.faults.list()).toEqual([]);
  });
});

describe('an error on demand', () => {
  it.each(contract.operations)('comes in the envelope of $operationId', async (operation) => {
    const path = operation.path.replaceAll(/\{\w+\}/g, '1');
    for (const kind of ['code-103', 'business-error'] as const) {
      sandbox.faults.clear();
      sandbox.faults.add(kind === 'code-103' ? { kind } : { kind, code: 77 });
      const { status, json, text } = await callApi(sandbox, operation.method, path);
      expect(status).toBe(200);
      expect(json).toMatchObject({ HasError: true });
      expect(text).toMatch(kind === 'code-103' ? /103|Too_Many_Requests/ : /77|GenericError/);
      expect(contract.validateAnswer(operation.operationId, json)).toEqual([]);
    }
  });
});
