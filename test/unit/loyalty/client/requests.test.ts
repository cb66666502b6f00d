import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  createLoyaltyClient,
  type LoyaltyClient,
  type Turn,
} from '../../../../shared/loyalty/client.ts';
import {
  answering,
  hanging,
  resetting,
  type Script,
  type ScriptedServer,
  startScriptedServer,
} from '../../../support/scripted-server.ts';

const credentials = { token: 'token-of-example', key: 'key-of-example' };
const SUCCESS = answering(200, '{"HasError":false,"Result":{}}');

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
    server.script = SUCCESS;
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

  it('repeats a read, and nothing else, over a new connection when a used one is reset', async () => {
    await client.getCustomer('1');
    const resetOnce: Script = (_, socket) => {
      server.script = SUCCESS;
      socket.resetAndDestroy();
    };
    server.script = resetOnce;
    expect(await client.getCustomer('1')).toMatchObject({ kind: 'success' });
    server.script = resetOnce;
    const failure = { reason: 'connection', mayHaveHappened: true };
    expect(await client.sendOrder({ OriginalId: '1' })).toMatchObject(failure);
    expect(server.received.map(({ method }) => method)).toEqual(['GET', 'GET', 'GET', 'POST']);
  });

  it('does not send an order over a connection that was idle while the function was frozen', async () => {
    await client.getCustomer('1');
    server.script = (response, socket) =>
      server.received.at(-1)?.connection === 0
        ? resetting(response, socket)
        : SUCCESS(response, socket);
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 60_000 });
    const result = await client.sendOrder({ OriginalId: '1' });
    vi.useRealTimers();
    expect(result).toMatchObject({ kind: 'success' });
  });

  it.each([
    ['its own time-out', { timeoutMs: 30 }, {}],
    ['the time-out of a call', {}, { timeoutMs: 30 }],
  ])('waits for an answer until %s has passed', async (_, ofClient, ofCall) => {
    server.script = hanging;
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const patient = createLoyaltyClient({ baseUrl: server.url, credentials, ...ofClient });
    const settled = vi.fn();
    const result = patient.getCustomer('1', ofCall).finally(settled);
    while (server.received.length === 0) await new Promise(setImmediate);
    await vi.advanceTimersByTimeAsync(29);
    expect(settled).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(await result).toMatchObject({
      reason: 'time-out',
      class: 'retry',
      mayHaveHappened: true,
      message: 'No complete answer within 30 ms.',
    });
  });

  it('is aborted by the signal of a call', async () => {
    server.script = hanging;
    const controller = new AbortController();
    const results = Array.from({ length: 20 }, () =>
      client.getCustomer('1', { signal: controller.signal }),
    );
    while (server.received.length < 20) await new Promise(setImmediate);
    controller.abort();
    for (const result of await Promise.all(results)) {
      expect(result).toMatchObject({ reason: 'aborted', class: 'retry', mayHaveHappened: true });
    }
  });
});
