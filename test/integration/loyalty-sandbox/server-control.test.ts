import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { LoyaltySandbox } from '../../../local/loyalty-sandbox/sandbox.ts';
import { callApi, completedOrder, control, orders, send } from './server-requests.ts';
import { startSandbox } from './start-sandbox.ts';

const ADDED = {
  name: 'added',
  address: 'http://127.0.0.1:1/add',
  topics: ['Point_Add'],
  headers: { 'x-secret': 'not-shown' },
} as const;
let sandbox: LoyaltySandbox;
beforeAll(async () => {
  sandbox = await startSandbox({ subscriptions: [ADDED] });
});
beforeEach(() => sandbox.reset());
afterAll(() => sandbox.stop());

describe('the controls', () => {
  it('reset everything, and the next ids are the first ones again', async () => {
    const first = await callApi(sandbox, 'POST', orders, completedOrder('1'));
    sandbox.faults.add({ kind: 'latency', ms: 1 });
    expect((await control(sandbox, 'POST', '/sandbox/reset')).status).toBe(200);
    expect(sandbox.state()).toMatchObject({
      customers: [],
      orders: [],
      points: [],
      events: [],
      faults: [],
      journal: { entries: 0 },
    });
    const again = await callApi(sandbox, 'POST', orders, completedOrder('1'));
    const ids = ({ json }: { json: unknown }) => {
      const { Id, Customer } = (json as { Result: { Id: number; Customer: { PublicId: string } } })
        .Result;
      return { Id, PublicId: Customer.PublicId };
    };
    expect(ids(again)).toEqual(ids(first));
  });
});

describe('a page of another origin', () => {
  // The types a browser sends across origins without asking first.
  it.each([
    undefined,
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data',
    'text/plain; application/json',
  ])('cannot change anything with a body of type %s', async (type) => {
    await callApi(sandbox, 'POST', orders, completedOrder('1'));
    const headers = type === undefined ? {} : { 'content-type': type };
    const attacks = [
      send(sandbox.address, 'POST', '/sandbox/reset', { headers, body: '{}' }),
      send(sandbox.address, 'POST', '/sandbox/faults', { headers, body: '{"kind":"outage"}' }),
      send(sandbox.address, 'DELETE', '/sandbox/journal', { headers }),
    ];
    for (const attack of attacks) expect(await attack).toMatchObject({ status: 415 });
    expect(sandbox.state()).toMatchObject({ orders: [{}], faults: [], journal: { entries: 1 } });
  });

  it('is not given leave when the browser asks first', async () => {
    const { headers, status } = await send(sandbox.address, 'OPTIONS', '/sandbox/faults', {
      headers: { origin: 'https://attacker.example.com', 'access-control-request-method': 'POST' },
    });
    expect(status).toBe(405);
    expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
  });
});

describe('a name that was made to resolve to this machine', () => {
  it.each([
    'attacker.example.com',
    '127.0.0.1.example.com',
    'localhost.example.com:80',
    '127.0.0.1@x',
  ])('reaches nothing as %j', async (host) => {
    for (const path of ['/', '/state', '/openapi.json', '/sandbox/state', '/v1/pvt/Quiz/list']) {
      expect(await send(sandbox.address, 'GET', path, { headers: { host } })).toMatchObject({
        status: 403,
      });
    }
  });
});
