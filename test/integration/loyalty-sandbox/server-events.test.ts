import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type {
  LoyaltySandbox,
  LoyaltySandboxOptions,
} from '../../../local/loyalty-sandbox/sandbox.ts';
import {
  answering,
  type ScriptedServer,
  startScriptedServer,
} from '../../support/scripted-server.ts';
import { callApi, completedOrder, orders } from './server-requests.ts';
import { contract, startSandbox } from './start-sandbox.ts';

let receiver: ScriptedServer;
let sandbox: LoyaltySandbox;
const ALL = { name: 'all', headers: { 'X-Secret': 'of-the-subscription' } };
const quick = { eventFirstDelayMs: 10, eventLongestDelayMs: 40, eventTimeoutMs: 60_000 };

async function start(options: LoyaltySandboxOptions = {}): Promise<void> {
  sandbox = await startSandbox({
    subscriptions: [{ ...ALL, address: `${receiver.url}/events` }],
    serverSettings: quick,
    ...options,
  });
}

const earn = (id: string, customer?: string, total?: number) =>
  callApi(sandbox, 'POST', orders, completedOrder(id, customer, total));
const deliveries = () => sandbox.events.all().map(({ delivery }) => delivery);
const pointIds = () => receiver.received.map(({ body }) => JSON.parse(body).Payload.PointId);

beforeEach(async () => {
  receiver = await startScriptedServer();
});
afterEach(async () => {
  await sandbox.stop();
  await receiver.stop();
});

describe('point events', () => {
  it('report each change with its topic, in the form of the contract, with the headers of the subscription', async () => {
    await start();
    await earn('1', 'customer-1', 100);
    await earn('1', 'customer-1', 60);
    await callApi(sandbox, 'POST', orders, {
      ...completedOrder('1'),
      IsCompleted: false,
      IsCancelledOrReturned: true,
      OrderCancelledDate: '2026-10-09T00:00:00Z',
    });
    await sandbox.events.settled();
    expect(receiver.received.map(({ body }) => JSON.parse(body).Topic)).toEqual([
      'Point_Add',
      'Point_Update',
      'Point_Removed',
    ]);
    for (const { method, headers, body } of receiver.received) {
      expect(method).toBe('POST');
      expect(headers['content-type']).toBe('application/json');
      expect(headers['x-secret']).toBe('of-the-subscription');
      const { Uuid, Timestamp, Payload } = JSON.parse(body);
      expect(Uuid).toMatch(/^[0-9a-f-]{36}$/);
      expect(Date.parse(Timestamp)).not.toBeNaN();
      expect(contract.validatePointEvent(Payload)).toEqual([]);
    }
    expect(deliveries()).toMatchObject(Array(3).fill({ state: 'delivered', attempts: 1 }));
  });

  it('come bare, or with a numbered topic, where the settings say so', async () => {
    await start({ settings: { eventForm: 'bare' } });
    await earn('1');
    await sandbox.events.settled();
    await sandbox.stop();
    await start({ settings: { eventForm: 'numbered-topic' } });
    await earn('1');
    await sandbox.events.settled();
    const [bare, numbered] = receiver.received.map(({ body }) => JSON.parse(body));
    expect(bare).toMatchObject({ PointId: 1, Customer: { Id: 'customer-1' } });
    expect(numbered).toMatchObject({
      Topic: 1,
      TopicName: 'Point_Add',
      Payload: { PointId: 1 },
    });
  });

  it('carry a Uuid of their own at each attempt', async () => {
    await start();
    let failures = 1;
    receiver.script = (response, socket) =>
      answering(failures-- > 0 ? 503 : 204, '')(response, socket);
    await earn('1');
    await sandbox.events.settled();
    const [first, second] = receiver.received.map(({ body }) => JSON.parse(body).Uuid);
    expect(first).not.toBe(second);
  });

  it('are tried again until they are taken, and later ones of the customer wait', async () => {
    await start();
    let failures = 3;
    receiver.script = (response, socket) =>
      answering(failures-- > 0 ? 503 : 204, '')(response, socket);
    for (const id of ['1', '2', '3']) await earn(id);
    await sandbox.events.settled();
    expect(pointIds()).toEqual([1, 1, 1, 1, 2, 3]);
    expect(deliveries()).toMatchObject([{ attempts: 4 }, { attempts: 1 }, { attempts: 1 }]);
  });

  it('of one customer do not hold up those of another', async () => {
    await start({ serverSettings: { ...quick, eventAttempts: 1000, subscriptionFailures: 0 } });
    let luckyCame = false;
    receiver.script = (response, socket) => {
      const isLucky = receiver.received.at(-1)?.body.includes('"Id":"lucky"') === true;
      luckyCame ||= isLucky;
      answering(luckyCame ? 200 : 500, '')(response, socket);
    };
    await earn('1', 'unlucky');
    await earn('2', 'lucky');
    await sandbox.events.settled();
    expect(deliveries()).toMatchObject([
      { state: 'delivered' },
      { state: 'delivered', attempts: 1 },
    ]);
    expect(pointIds().lastIndexOf(1)).toBeGreaterThan(pointIds().indexOf(2));
  });

  it.each<[string, () => void, RegExp, object?]>([
    [
      'a redirect',
      () => {
        receiver.script = answering(302, '', { location: '/' });
      },
      /^HTTP 302$/,
    ],
    [
      'silence',
      () => {
        receiver.script = () => {};
      },
      /^no answer within 300 ms$/,
      { eventTimeoutMs: 300 },
    ],
    [
      'a reset',
      () => {
        receiver.resetsOnConnect = true;
      },
      /^(?:ECONNRESET|EPIPE)$/,
    ],
  ])('are not delivered by %s', async (_what, misbehave, problem, settings = {}) => {
    await start({ serverSettings: { ...quick, eventAttempts: 2, ...settings } });
    misbehave();
    await earn('1');
    await sandbox.events.settled();
    expect(deliveries()).toMatchObject([{ state: 'undelivered', attempts: 2 }]);
    expect(deliveries()[0]?.problem).toMatch(problem);
  });

  it('not yet delivered at a stop are delivered after the next start, those delivered are not', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'sandbox-events-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const dataFile = join(folder, 'data');
    await start({ dataFile });
    await earn('1');
    await sandbox.events.settled();
    receiver.script = () => {};
    await earn('2');
    await earn('3');
    await expect.poll(pointIds).toEqual([1, 2]);
    await sandbox.stop();
    receiver.script = answering(200, '');
    await start({ dataFile });
    await sandbox.events.settled();
    expect(pointIds()).toEqual([1, 2, 2, 3]);
    expect(deliveries().map((delivery) => delivery?.state)).toEqual(Array(3).fill('delivered'));
  });

  it('go to every subscription of their topic, again only to the one that failed', async () => {
    const other = await startScriptedServer();
    onTestFinished(() => other.stop());
    await start({
      subscriptions: [
        { ...ALL, address: receiver.url },
        { name: 'other', address: other.url },
      ],
    });
    let failures = 2;
    receiver.script = (response, socket) =>
      answering(failures-- > 0 ? 503 : 204, '')(response, socket);
    for (const id of ['1', '2']) await earn(id);
    await sandbox.events.settled();
    expect(pointIds()).toEqual([1, 1, 1, 2]);
    expect(other.received.map(({ body }) => JSON.parse(body).Payload.PointId)).toEqual([1, 2]);
    expect(deliveries()).toMatchObject([{ attempts: 3 }, { attempts: 1 }]);
  });
});

describe('a subscription', () => {
  it('is switched off after five failures in a row, and what happens then is not sent', async () => {
    await start();
    receiver.script = answering(500, '');
    await earn('1');
    await sandbox.events.settled();
    expect(receiver.received).toHaveLength(5);
    expect(sandbox.state().subscriptions).toMatchObject([{ isOn: false, failuresInRow: 5 }]);
    receiver.script = answering(200, '');
    await earn('2');
    await sandbox.events.settled();
    expect(receiver.received).toHaveLength(5);
    expect(deliveries()).toMatchObject([
      { state: 'undelivered', attempts: 5, problem: 'HTTP 500' },
      { state: 'not-sent' },
    ]);
    const page = await (await fetch(`${sandbox.address}/state`)).text();
    expect(page).toContain('data-switch-on="all"');
    expect(page).not.toContain('of-the-subscription');
  });
});
