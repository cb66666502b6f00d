import { inspect } from 'node:util';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createLoyaltyClient, type LoyaltyClient } from '../../../../shared/loyalty/client.ts';
import {
  answering,
  type ScriptedServer,
  startScriptedServer,
} from '../../../support/scripted-server.ts';

const credentials = { token: 'token-of-example', key: 'clé:ключ-秘密' };
let server: ScriptedServer;
let client: LoyaltyClient;
beforeEach(async () => {
  server = await startScriptedServer();
  client = createLoyaltyClient({ baseUrl: server.url, credentials });
});
afterEach(() => server.stop());

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
      message: 'The credentials could not be had, or are not usable.',
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
