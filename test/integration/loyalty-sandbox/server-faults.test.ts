import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { FaultRule } from '../../../local/loyalty-sandbox/fault-rule.ts';
import type { LoyaltySandbox } from '../../../local/loyalty-sandbox/sandbox.ts';
import { callApi, completedOrder, control, orders, send } from './server-requests.ts';
import { contract, startSandbox } from './start-sandbox.ts';

let sandbox: LoyaltySandbox;
beforeAll(async () => {
  sandbox = await startSandbox();
});
beforeEach(() => sandbox.reset());
afterAll(() => sandbox.stop());

let sent = 0;
const sendOrder = () => callApi(sandbox, 'POST', orders, completedOrder(`order-${++sent}`));
const kept = () => sandbox.state().orders.length;
const faultsMet = () => sandbox.journal.entries().map(({ fault }) => fault);

describe('a fault that keeps the call from being carried out', () => {
  it.each<[FaultRule, object]>([
    [{ kind: 'http-429' }, { status: 429 }],
    [
      { kind: 'http-429', retryAfterSeconds: 7 },
      { status: 429, headers: { 'retry-after': '7' } },
    ],
    [{ kind: 'http-500' }, { status: 500 }],
    [
      { kind: 'http-503', retryAfterSeconds: 0 },
      { status: 503, headers: { 'retry-after': '0' } },
    ],
    [{ kind: 'code-103' }, { status: 200, json: { HasError: true, ErrorCode: 103, Result: null } }],
    [
      { kind: 'business-error', code: 36 },
      { status: 200, json: { HasError: true, ErrorCode: 36 } },
    ],
    [
      { kind: 'not-json' },
      { status: 502, headers: { 'content-type': 'text/html; charset=utf-8' } },
    ],
    [
      { kind: 'not-json', status: 200 },
      { status: 200, json: undefined },
    ],
  ])('%o', async (rule, expected) => {
    sandbox.faults.add(rule);
    expect(await sendOrder()).toMatchObject(expected);
    expect(kept()).toBe(0);
    expect(faultsMet()).toEqual([rule.kind]);
  });

  it('reset-before: the connection is reset', async () => {
    sandbox.faults.add({ kind: 'reset-before' });
    await expect(sendOrder()).rejects.toMatchObject({ code: 'ECONNRESET' });
    expect(kept()).toBe(0);
    const [entry] = sandbox.journal.entries();
    expect(entry).toMatchObject({ fault: 'reset-before', body: { OriginalId: `order-${sent}` } });
    expect(entry).not.toHaveProperty('status');
  });

  it('outage: every call is reset, even with wrong credentials, until it is cleared', async () => {
    const { id } = sandbox.faults.add({ kind: 'outage' });
    await expect(sendOrder()).rejects.toMatchObject({ code: 'ECONNRESET' });
    await expect(send(sandbox.address, 'GET', '/v1/anything')).rejects.toMatchObject({
      code: 'ECONNRESET',
    });
    expect(faultsMet()).toEqual(['outage', 'outage']);
    sandbox.faults.clear(id);
    expect((await sendOrder()).json).toMatchObject({ HasError: false });
    expect(kept()).toBe(1);
  });
});

describe('a fault that strikes after the call was carried out', () => {
  it('reset-after: the connection is reset, and the journal has the lost answer', async () => {
    sandbox.faults.add({ kind: 'reset-after' });
    await expect(sendOrder()).rejects.toMatchObject({ code: 'ECONNRESET' });
    expect(kept()).toBe(1);
    expect(sandbox.journal.entries()).toMatchObject([
      { fault: 'reset-after', answer: { HasError: false } },
    ]);
  });

  it('truncated: half of the answer comes, then the end', async () => {
    sandbox.faults.add({ kind: 'truncated' });
    const { hostname, port } = new URL(sandbox.address);
    await expect(sendOrder()).rejects.toMatchObject({ message: 'aborted' });
    expect(kept()).toBe(1);
    // By hand, to see the bytes before the end.
    const { connect } = await import('node:net');
    const received = await new Promise<string>((resolve) => {
      let text = '';
      const socket = connect(Number(port), hostname, () =>
        socket.write(
          `GET /v1/pvt/Quiz/list HTTP/1.1\r\nHost: ${hostname}\r\nAuthorization: Basic ${Buffer.from('sandbox-token:sandbox-key').toString('base64')}\r\n\r\n`,
        ),
      );
      socket.on('data', (data) => {
        text += data;
      });
      socket.on('error', () => {}).on('close', () => resolve(text));
    });
    const [head = '', body = ''] = received.split('\r\n\r\n');
    const promised = Number(/content-length: (\d+)/i.exec(head)?.[1]);
    expect(Buffer.byteLength(body)).toBe(Math.floor(promised / 2));
    expect(() => JSON.parse(body)).toThrow();
  });

  it('empty: 200 without a body', async () => {
    sandbox.faults.add({ kind: 'empty' });
    expect(await sendOrder()).toMatchObject({ status: 200, text: '' });
    expect(kept()).toBe(1);
  });

  it('latency: cut off by a stop, the call is not carried out', async () => {
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

describe('faults over HTTP', () => {
  it('are added, listed and removed one by one or all together', async () => {
    const first = await control(sandbox, 'POST', '/sandbox/faults', { kind: 'http-500', count: 3 });
    expect(first).toMatchObject({ status: 201, json: { kind: 'http-500', count: 3, met: 0 } });
    await control(sandbox, 'POST', '/sandbox/faults', { kind: 'latency', ms: 1 });
    const { id } = first.json as { id: number };
    expect((await sendOrder()).status).toBe(500);
    await control(sandbox, 'DELETE', `/sandbox/faults?id=${id}`);
    expect((await control(sandbox, 'GET', '/sandbox/faults')).json).toMatchObject({
      faults: [{ kind: 'latency', ms: 1, seen: 1, met: 1 }],
    });
    await control(sandbox, 'DELETE', '/sandbox/faults');
    expect(sandbox.faults.list()).toEqual([]);
  });
});
