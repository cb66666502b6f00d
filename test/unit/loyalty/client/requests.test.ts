import { inspect } from 'node:util';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  createLoyaltyClient,
  type LoyaltyClient,
  type Turn,
} from '../../../../shared/loyalty/client.ts';
import type { CallSender } from '../../../../shared/loyalty/result.ts';
import {
  answering,
  type ScriptedServer,
  startScriptedServer,
} from '../../../support/scripted-server.ts';

const credentials = { token: 'token-of-example', key: 'clé:ключ-秘密' };
const baseUrl = 'http://localhost:1';

describe('the settings of the client', () => {
  it.each([
    'http://loyalty.example.com',
    'http://127.0.0.1.example.com',
    'http://localhost.example.com',
    'http://10.0.0.1',
    'ftp://localhost',
    'loyalty.example.com',
    'https://user:secret-word@loyalty.example.com',
    'https://loyalty.example.com/?key=secret-word',
    'https://loyalty.example.com/#secret-word',
  ])('throws on the base address %s and does not quote it', (baseUrl) => {
    expect(() => createLoyaltyClient({ baseUrl, credentials })).toThrow(/^Loyalty base address/);
    expect(() => createLoyaltyClient({ baseUrl, credentials })).not.toThrow(/secret|example/);
  });

  it.each([
    'http://localhost:1',
    'http://127.0.0.1:1',
    'http://127.8.9.1:1',
    'http://[::1]:1/x/',
    'https://loyalty.example.com/tenant',
  ])('takes the base address %s', (baseUrl) => {
    expect(() => createLoyaltyClient({ baseUrl, credentials })).not.toThrow();
  });

  it.each([
    { token: 'left:right', key: 'secret-word' },
    { token: '', key: 'secret-word' },
    { token: 'secret-word', key: '' },
  ])('throws on unusable credentials and does not quote them', (unusable) => {
    const create = () => createLoyaltyClient({ baseUrl, credentials: unusable });
    expect(create).toThrow(/^Loyalty API (token|key)/);
    expect(create).not.toThrow(/left|right|secret/);
  });

  it.each([0, -1, Number.NaN, 2 ** 31])('throws on a time-out of %d ms', async (timeoutMs) => {
    const create = () => createLoyaltyClient({ baseUrl, credentials, timeoutMs });
    expect(create).toThrow(RangeError);
    const client = createLoyaltyClient({ baseUrl, credentials });
    await expect(client.getCustomer('1', { timeoutMs })).rejects.toThrow(RangeError);
  });
});

let server: ScriptedServer;
let client: LoyaltyClient;
beforeEach(async () => {
  server = await startScriptedServer();
  client = createLoyaltyClient({ baseUrl: server.url, credentials });
});
afterEach(() => server.stop());

describe('a request of the client', () => {
  it('waits for its turn outside its time-out, and is not sent without one', async () => {
    const turns: Turn[] = [
      { kind: 'go' },
      { kind: 'wait', why: 'out-of-tokens', afterSeconds: 10 },
      { kind: 'wait', why: 'tokens-unreachable', afterSeconds: 10 },
    ];
    const took: number[] = [];
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    server.script = answering(200, '{"HasError":false,"Result":{}}');
    const patient = createLoyaltyClient({
      baseUrl: server.url,
      credentials,
      timeoutMs: 5_000,
      takeTurn: async () => {
        await vi.advanceTimersByTimeAsync(60_000);
        return turns.shift() ?? { kind: 'aborted' };
      },
      onEnd: (tookMs) => took.push(tookMs),
    });
    expect(await patient.getCustomer('1')).toMatchObject({ kind: 'success' });
    for (const reason of ['out-of-tokens', 'tokens-unreachable']) {
      const failure = { kind: 'transport-failure', reason, class: 'retry', retryAfterSeconds: 10 };
      const notSent = { ...failure, mayHaveHappened: false };
      expect(await patient.getCustomer('1')).toMatchObject(notSent);
    }
    const aborted = await patient.getCustomer('1', { signal: AbortSignal.abort() });
    expect(aborted).toMatchObject({ reason: 'aborted', mayHaveHappened: false });
    expect(server.received).toHaveLength(1);
    expect(took).toHaveLength(2);
  });

  it('has its time-out and its signal, and may be repeated only if it reads', async () => {
    const requests: Parameters<CallSender['send']>[0][] = [];
    const send: CallSender['send'] = async (request) => {
      requests.push(request);
      return { kind: 'failure', reason: 'time-out', mayHaveHappened: true };
    };
    const recorded = createLoyaltyClient({ http: { send }, credentials, timeoutMs: 30 });
    const { signal } = new AbortController();
    expect(await recorded.getCustomer('1')).toMatchObject({
      reason: 'time-out',
      class: 'retry',
      mayHaveHappened: true,
      message: 'No complete answer within 30 ms.',
    });
    await recorded.sendOrder({ OriginalId: '1' }, { timeoutMs: 40, signal });
    expect(requests).toMatchObject([
      { method: 'GET', timeoutMs: 30, repeatable: true },
      { method: 'POST', timeoutMs: 40, repeatable: false, signal },
    ]);
  });
});

type Settings = Parameters<typeof createLoyaltyClient>[0];
const clientWith = (credentials: Settings['credentials'], timeoutMs = 5_000) =>
  createLoyaltyClient({ baseUrl: server.url, credentials, timeoutMs });
const sent = () => server.received.map(({ headers }) => headers.authorization);

describe('the client, with its credentials', () => {
  it('sends the credentials as UTF-8, and a key with a colon whole', async () => {
    await client.getCustomer('1');
    const [header = ''] = sent();
    const decoded = Buffer.from(header.replace('Basic ', ''), 'base64').toString('utf8');
    expect(decoded).toBe('token-of-example:clé:ключ-秘密');
  });

  it('asks a function for the credentials before every call', async () => {
    const keys = ['old', 'new'];
    const rotating = clientWith(async () => ({ token: 't', key: keys.shift() ?? '' }));
    await rotating.getCustomer('1');
    await rotating.getCustomer('1');
    expect(sent()).toEqual([`Basic ${btoa('t:old')}`, `Basic ${btoa('t:new')}`]);
    // The third key is missing: an answer like any other, and nothing leaves.
    expect(await rotating.getCustomer('1')).toEqual({
      kind: 'transport-failure',
      reason: 'no-credentials',
      class: 'misconfigured',
      mayHaveHappened: false,
      message: 'The credentials could not be read, or are not usable.',
    });
    expect(server.received).toHaveLength(2);
  });

  it('tries other credentials at once when the service refuses the first, and the same ones never twice', async () => {
    server.script = answering(401, '{}');
    let stored = 'old';
    const asked: string[] = [];
    const rotated = clientWith(async (given) => {
      asked.push(given);
      return { token: 't', key: given === 'were-refused' ? stored : 'old' };
    });
    expect(await rotated.getCustomer('1')).toMatchObject({ class: 'misconfigured' });
    expect(server.received).toHaveLength(1);
    stored = 'new';
    await rotated.getCustomer('1');
    expect(asked).toEqual(['for-a-call', 'were-refused', 'for-a-call', 'were-refused']);
    expect(sent().slice(1)).toEqual([`Basic ${btoa('t:old')}`, `Basic ${btoa('t:new')}`]);
  });

  it('takes credentials whose keeper does not answer for a fault that passes', async () => {
    const unread = clientWith(async () => 'unreachable');
    const failure = { reason: 'credentials-unreachable', class: 'retry', mayHaveHappened: false };
    expect(await unread.getCustomer('1')).toMatchObject(failure);
    expect(server.received).toEqual([]);
  });

  it('ends in time while it waits for the credentials, and sends nothing when they come late', async () => {
    const late = Promise.withResolvers<typeof credentials>();
    const waiting = clientWith(() => late.promise, 20);
    const notSent = { kind: 'transport-failure', mayHaveHappened: false };
    expect(await waiting.getCustomer('1')).toMatchObject({ ...notSent, reason: 'time-out' });
    const signal = AbortSignal.timeout(5);
    const aborted = await waiting.getCustomer('1', { signal, timeoutMs: 5_000 });
    expect(aborted).toMatchObject({ ...notSent, reason: 'aborted' });
    late.resolve(credentials);
    // Whatever the late credentials set off would arrive before a call that begins after them.
    await client.getCustomer('another');
    expect(server.received.map(({ url }) => url)).toEqual(['/v1/pvt/Customer/another']);
  });

  it('does not ask for credentials after an abort', async () => {
    const read = vi.fn(async () => credentials);
    const failure = await clientWith(read).getCustomer('1', { signal: AbortSignal.abort() });
    expect(failure).toMatchObject({ reason: 'aborted', mayHaveHappened: false });
    expect(read).not.toHaveBeenCalled();
  });

  it('never shows them when it is inspected, logged or serialized', async () => {
    server.script = answering(401, '');
    const result = await client.getCustomer('1');
    expect(result).toMatchObject({ reason: 'misconfigured', class: 'misconfigured', status: 401 });
    for (const thing of [client, result]) {
      const shown = `${inspect(thing, { depth: 20, showHidden: true })} ${JSON.stringify(thing)}`;
      expect(shown).not.toContain(credentials.token);
      expect(shown).not.toContain(credentials.key);
      expect(shown).not.toContain(btoa('token-of-example').slice(0, 20));
    }
  });

  it('never shows them in a message, even when the service repeats them', async () => {
    const encoded = Buffer.from(`${credentials.token}:${credentials.key}`).toString('base64');
    const ErrorMessage = `${credentials.token} / ${credentials.key} / Basic ${encoded} is wrong`;
    server.script = answering(200, JSON.stringify({ HasError: true, ErrorMessage }));
    const message = '*** / *** / Basic *** is wrong';
    expect(await client.getCustomer('1')).toMatchObject({ message });
  });
});
