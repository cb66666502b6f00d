import { spawnSync } from 'node:child_process';
import dns from 'node:dns';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import tls from 'node:tls';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { createSelfSignedCertificate } from '../../local/harness/self-signed-certificate.ts';
import { createHttpClient, type HttpRequest } from '../../shared/http/http-client.ts';
import {
  answering,
  dribbling,
  hanging,
  resetting,
  type ScriptedServer,
  sendingRaw,
  startScriptedServer,
} from '../support/scripted-server.ts';

const call: HttpRequest = {
  method: 'POST',
  path: '/v1/pvt/POS/orders',
  headers: { 'content-type': 'application/json', authorization: 'Basic dG9rZW46a2V5' },
  body: '{"OriginalId":"1"}',
  timeoutMs: 5000,
  repeatable: false,
};
const get: HttpRequest = { ...call, method: 'GET', body: undefined, repeatable: true };

const httpTo = (baseUrl: string, connectMs = 5000) =>
  createHttpClient(baseUrl, { connectMs, maxAnswerBytes: 8 * 1024 * 1024 });

/** From now on, no time-out passes unless the test lets it. */
function holdTimers(): void {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  onTestFinished(() => void vi.useRealTimers());
}

async function received(count: number): Promise<void> {
  while (server.received.length < count) await new Promise(setImmediate);
}

let server: ScriptedServer;
beforeEach(async () => {
  server = await startScriptedServer();
});
afterEach(() => server.stop());

describe('the HTTP client', () => {
  it('sends method, path, headers and body as they are given', async () => {
    const path = '/v1/pvt/Product/%2E%2E/a%2Fb?x=%20';
    await httpTo(`${server.url}/tenant/`).send({ ...call, path });
    expect(server.received).toMatchObject([
      {
        method: 'POST',
        url: `/tenant${path}`,
        body: '{"OriginalId":"1"}',
        headers: {
          authorization: 'Basic dG9rZW46a2V5',
          'content-type': 'application/json',
          'content-length': '18',
        },
      },
    ]);
  });

  it('sends a POST without a body as an empty one, and a GET with none', async () => {
    const http = httpTo(server.url);
    await http.send({ ...call, body: undefined });
    await http.send(get);
    const [post, read] = server.received;
    expect(post?.headers).toMatchObject({ 'content-length': '0' });
    expect(read?.headers).not.toHaveProperty('content-length');
  });

  it('reads UTF-8 that arrives in pieces, with or without a byte order mark', async () => {
    const body = Buffer.from('\ufeff{"Name":"Zoë 🎁"}');
    server.script = (response) => {
      response.writeHead(200);
      const at = body.length - 4;
      response.write(body.subarray(0, at));
      setImmediate(() => response.end(body.subarray(at)));
    };
    const answer = await httpTo(server.url).send(get);
    expect(answer).toMatchObject({ kind: 'answer', status: 200, text: '{"Name":"Zoë 🎁"}' });
  });

  it('never follows a redirect', async () => {
    server.script = answering(307, '', { location: `${server.url}/elsewhere` });
    expect(await httpTo(server.url).send(call)).toMatchObject({ status: 307 });
    expect(server.received).toHaveLength(1);
  });

  it('uses one connection for calls after each other, and leaves nothing on it', async () => {
    const warned = vi.fn();
    process.on('warning', warned);
    const http = httpTo(server.url);
    for (let n = 0; n < 30; n += 1) await http.send(call);
    expect(new Set(server.received.map(({ connection }) => connection))).toEqual(new Set([0]));
    // Node warns of listeners that pile up.
    await new Promise((resolve) => setImmediate(resolve));
    process.off('warning', warned);
    expect(warned).not.toHaveBeenCalled();
  });

  it('does not use a connection again that lay idle for long, as in a frozen Lambda', async () => {
    const http = httpTo(server.url);
    await http.send(call);
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 15_001 });
    await http.send(call);
    vi.useRealTimers();
    expect(server.received.map(({ connection }) => connection)).toEqual([0, 1]);
  });
});

describe('a cold start', () => {
  it.each(['https://loyalty.invalid', 'http://127.0.0.1:1'])('to %s loads no undici', (baseUrl) => {
    // 30 ms of every cold start, and what an import of node:http as a module brings in.
    const script = `
      const { createLoyaltyClient } = await import('./shared/loyalty/client.ts');
      const settings = { baseUrl: '${baseUrl}', credentials: { token: 't', key: 'k' } };
      const { kind } = await createLoyaltyClient(settings).getCustomer('1');
      console.log(kind, process.moduleLoadList.filter((name) => /undici/.test(name)).length);`;
    const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
      encoding: 'utf8',
    });
    expect(stdout.trim()).toBe('transport-failure 0');
  });
});

const timedOut = { kind: 'failure', reason: 'time-out', tries: 1 };

describe('the deadline', () => {
  it.each([
    ['the answer never begins', hanging],
    ['its headers dribble', dribbling('HTTP/1.1 200 OK\r\nx-pad: ')],
    ['its body dribbles', dribbling('HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\n')],
  ])('ends a call of which %s', async (_, script) => {
    server.script = script;
    holdTimers();
    const sent = httpTo(server.url).send({ ...call, timeoutMs: 1_000 });
    await received(1);
    vi.advanceTimersByTime(1_000);
    expect(await sent).toEqual({ ...timedOut, phase: 'waiting', mayHaveHappened: true });
  });

  it('covers connecting, and then knows that nothing was sent', async () => {
    // Takes connections and never answers the TLS greeting.
    const mute = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => mute.once('listening', resolve));
    const { port } = mute.address() as AddressInfo;
    const failure = await httpTo(`https://127.0.0.1:${port}`).send({
      ...call,
      timeoutMs: 60,
    });
    mute.close();
    expect(failure).toEqual({ ...timedOut, phase: 'connecting', mayHaveHappened: false });
  });

  it('ends connecting earlier than the whole', async () => {
    vi.spyOn(dns, 'lookup').mockImplementation((() => {}) as never);
    const client = httpTo('https://unanswered.invalid', 30);
    const failure = await client.send(call);
    vi.restoreAllMocks();
    expect(failure).toEqual({ ...timedOut, phase: 'connecting', mayHaveHappened: false });
  });
});

describe('an abort', () => {
  it('ends a call under way', async () => {
    server.script = hanging;
    const controller = new AbortController();
    const sent = httpTo(server.url).send({ ...call, signal: controller.signal });
    await received(1);
    controller.abort();
    expect(await sent).toMatchObject({ reason: 'aborted', mayHaveHappened: true });
  });

  it('that came before the call sends nothing', async () => {
    const signal = AbortSignal.abort();
    const failure = await httpTo(server.url).send({ ...call, signal });
    expect(failure).toMatchObject({ reason: 'aborted', mayHaveHappened: false });
    expect(await server.openConnections()).toBe(0);
  });

  it('that comes after the answer changes nothing, and leaves no listener behind', async () => {
    const controller = new AbortController();
    const { signal } = controller;
    const removed = vi.spyOn(signal, 'removeEventListener');
    const http = httpTo(server.url);
    expect(await http.send({ ...call, signal })).toMatchObject({ kind: 'answer' });
    controller.abort();
    expect(removed).toHaveBeenCalledOnce();
    await http.send(call);
    expect(server.received.map(({ connection }) => connection)).toEqual([0, 0]);
  });
});

describe('a broken connection', () => {
  it('is known not to have carried anything when it was refused', async () => {
    await server.stop();
    const failure = await httpTo(server.url).send(call);
    expect(failure).toMatchObject({ code: 'ECONNREFUSED', mayHaveHappened: false });
  });

  it('is known not to have carried anything when there is no such host', async () => {
    const failure = await httpTo('https://loyalty.invalid').send(call);
    expect(failure).toMatchObject({ kind: 'failure', mayHaveHappened: false });
  });

  it('may have carried the request when it was reset after it', async () => {
    server.script = resetting;
    const failure = await httpTo(server.url).send(call);
    expect(failure).toMatchObject({ code: 'ECONNRESET', mayHaveHappened: true });
  });

  it('may have carried the request when it was one used before', async () => {
    const http = httpTo(server.url);
    await http.send(call);
    server.script = resetting;
    expect(await http.send(call)).toMatchObject({
      reason: 'connection',
      mayHaveHappened: true,
    });
  });

  it('is replaced once, at once, for a request that may be repeated', async () => {
    const http = httpTo(server.url);
    await Promise.all([http.send(get), http.send(get), http.send(get)]);
    // Every connection was closed behind the client's back.
    const old = new Set(server.received.map(({ connection }) => connection));
    server.script = (response, socket) =>
      old.has(server.received.at(-1)?.connection ?? -1)
        ? resetting(response, socket)
        : answering(200, 'new')(response, socket);
    expect(await http.send(get)).toMatchObject({ status: 200, text: 'new', tries: 2 });
    expect(await http.send(call)).toMatchObject({ status: 200, text: 'new', tries: 1 });
    expect(server.received).toHaveLength(6);
  });

  it('is not replaced twice, nor when it was new', async () => {
    const http = httpTo(server.url);
    await http.send(get);
    server.script = resetting;
    expect(await http.send(get)).toMatchObject({ reason: 'connection', tries: 2 });
    expect(await http.send(get)).toMatchObject({ reason: 'connection', tries: 1 });
    expect(server.received).toHaveLength(4);
  });

  it('leaves the repetition the rest of the time', async () => {
    const http = httpTo(server.url);
    await http.send(get);
    const first = Promise.withResolvers<Socket>();
    server.script = (_, socket) => {
      server.script = hanging;
      first.resolve(socket);
    };
    holdTimers();
    const settled = vi.fn();
    const sent = http.send({ ...get, timeoutMs: 3_000 }).finally(settled);
    const socket = await first.promise;
    vi.advanceTimersByTime(1_000);
    socket.resetAndDestroy();
    await received(3);
    await vi.advanceTimersByTimeAsync(1_900);
    expect(settled).not.toHaveBeenCalled();
    vi.advanceTimersByTime(100);
    const end = { reason: 'time-out', mayHaveHappened: true, tries: 2 };
    expect(await sent).toMatchObject(end);
  });

  it('is a failure when it ends before the answer does', async () => {
    server.script = sendingRaw('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{"HasError":fal');
    expect(await httpTo(server.url).send(call)).toMatchObject({
      reason: 'connection',
      code: 'ECONNRESET',
      mayHaveHappened: true,
    });
  });

  it('is a failure at once, not a time-out, whenever the server resets', async () => {
    server.resetsOnConnect = true;
    const failure = await httpTo(server.url).send(call);
    expect(failure).toMatchObject({ kind: 'failure', reason: 'connection' });
  });
});

describe('what is not an answer', () => {
  it.each([
    ['not HTTP', 'not-http', 'SSH-2.0-OpenSSH_9.6\r\n'],
    ['headers without end', 'not-http', `HTTP/1.1 200 OK\r\nx: ${'a'.repeat(100_000)}\r\n\r\n`],
    [
      'an upgrade that was not asked for',
      'connection',
      'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: other\r\n\r\n',
    ],
  ])('%s becomes a failure', async (_, reason, bytes) => {
    server.script = sendingRaw(bytes);
    expect(await httpTo(server.url).send(call)).toMatchObject({ kind: 'failure', reason });
  });

  it('is given up on beyond 8 MiB', async () => {
    server.script = answering(200, Buffer.alloc(8 * 1024 * 1024 + 1, 0x20));
    const failure = await httpTo(server.url).send(call);
    expect(failure).toMatchObject({ reason: 'too-large', mayHaveHappened: true });
    server.script = answering(200, Buffer.alloc(8 * 1024 * 1024, 0x20));
    expect(await httpTo(server.url).send(call)).toMatchObject({ kind: 'answer' });
  });
});

describe('connections', () => {
  it('do not pile up, however the calls end', async () => {
    const http = httpTo(server.url);
    const scripts = [
      hanging,
      resetting,
      dribbling('HTTP/1.1 200 OK\r\ncontent-length: 9999\r\n\r\n'),
      sendingRaw('nonsense\r\n\r\n'),
      answering(500, 'x'.repeat(100_000)),
      // Answers and closes for writing, while the request may still be under way.
      answering(413, '', { connection: 'close' }),
    ];
    for (const script of scripts) {
      server.script = script;
      await Promise.all(
        Array.from({ length: 5 }, () =>
          http.send({ ...call, body: 'x'.repeat(200_000), timeoutMs: 100 }),
        ),
      );
    }
    // What remains are the five that ended well and may be used again.
    await vi.waitFor(async () => expect(await server.openConnections()).toBeLessThanOrEqual(5), {
      timeout: 20_000,
    });
  });

  it('are not kept for an answer that came before the request was taken', async () => {
    const early = createServer((socket) => {
      socket.on('error', () => {});
      socket.once('data', () => {
        socket.pause();
        socket.write('HTTP/1.1 413 Too Large\r\ncontent-length: 0\r\n\r\n');
      });
    });
    const open = new Set<Socket>();
    early.on('connection', (socket) => {
      open.add(socket);
      socket.on('close', () => open.delete(socket));
    });
    await new Promise<void>((resolve) => early.listen(0, '127.0.0.1', resolve));
    const { port } = early.address() as AddressInfo;
    const body = 'x'.repeat(32 * 1024 * 1024);
    const answer = await httpTo(`http://127.0.0.1:${port}`).send({ ...call, body });
    expect(answer).toMatchObject({ status: 413 });
    // Writing is how a side that does not read finds out that the other one is gone.
    await vi.waitFor(
      () => {
        for (const socket of open) socket.write(' ');
        expect(open.size).toBe(0);
      },
      { timeout: 20_000 },
    );
    early.close();
  });
});

describe('the connections of a process that serves hundreds of shops', () => {
  const HOSTS = 450;
  const MOST = 400;

  /** Each port is a host of its own. */
  async function startHosts() {
    const open = new Set<Socket>();
    const held: (() => void)[] = [];
    const hosts = { open, held, holds: false, urls: [] as string[] };
    const servers = Array.from({ length: HOSTS }, () =>
      createServer((socket) => {
        open.add(socket);
        socket.on('error', () => {}).on('close', () => open.delete(socket));
        socket.on('data', () => {
          const answer = () => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n');
          if (hosts.holds) held.push(answer);
          else answer();
        });
      }),
    );
    for (const one of servers) {
      await new Promise<void>((resolve) => one.listen(0, '127.0.0.1', resolve));
      hosts.urls.push(`http://127.0.0.1:${(one.address() as AddressInfo).port}`);
    }
    onTestFinished(() => {
      for (const socket of open) socket.destroy();
      for (const one of servers) one.close();
    });
    return hosts;
  }

  it('stay below the file descriptors of Lambda, one host after the other or all at once', async () => {
    const hosts = await startHosts();
    const clients = hosts.urls.map((url) => httpTo(url));
    for (const http of clients) expect(await http.send(get)).toMatchObject({ status: 200 });
    await vi.waitFor(() => expect(hosts.open.size).toBe(MOST));
    hosts.holds = true;
    const calls = clients.map((http) => http.send({ ...get, timeoutMs: 60_000 }));
    await vi.waitFor(() => expect(hosts.held).toHaveLength(MOST), { timeout: 20_000 });
    await vi.waitFor(() => expect(hosts.open.size).toBe(MOST), { timeout: 20_000 });
    hosts.holds = false;
    for (const answer of hosts.held) answer();
    for (const one of await Promise.all(calls)) expect(one).toMatchObject({ status: 200 });
  });

  it('that lie idle are closed by a request to any host', async () => {
    const hosts = await startHosts();
    const [first = '', ...others] = hosts.urls.slice(0, 100);
    for (const url of others) await httpTo(url).send(get);
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 15_001 });
    onTestFinished(() => void vi.useRealTimers());
    await httpTo(first).send(get);
    await vi.waitFor(() => expect(hosts.open.size).toBe(1));
  });

  it('are shared by all clients of one host', async () => {
    for (let shop = 0; shop < 10; shop += 1) await httpTo(server.url).send(call);
    expect(new Set(server.received.map(({ connection }) => connection))).toEqual(new Set([0]));
  });

  it('count the wait for one of them as part of the time, and send nothing after it', async () => {
    const hosts = await startHosts();
    hosts.holds = true;
    const end = new AbortController();
    const [url = ''] = hosts.urls;
    const held = Array.from({ length: MOST }, () =>
      httpTo(url).send({ ...get, timeoutMs: 60_000, signal: end.signal }),
    );
    await vi.waitFor(() => expect(hosts.held).toHaveLength(MOST), { timeout: 20_000 });
    const late = httpTo(server.url).send({ ...call, timeoutMs: 1 });
    await new Promise((resolve) => setTimeout(resolve, 5));
    end.abort();
    expect(await late).toMatchObject({ ...timedOut, mayHaveHappened: false });
    await Promise.all(held);
    expect(server.received).toEqual([]);
  });
});

describe('over TLS', () => {
  const certificate = createSelfSignedCertificate(new Date());
  let secure: ScriptedServer;
  beforeEach(async () => {
    secure = await startScriptedServer(certificate);
  });
  afterEach(() => secure.stop());

  it('never sends the credentials to a server whose certificate is not vouched for', async () => {
    const failure = await httpTo(secure.url).send(call);
    expect(failure).toMatchObject({
      reason: 'connection',
      code: 'DEPTH_ZERO_SELF_SIGNED_CERT',
      mayHaveHappened: false,
    });
    expect(secure.received).toEqual([]);
  });

  it('never falls back to plain HTTP', async () => {
    const failure = await httpTo(server.url.replace('http:', 'https:')).send(call);
    expect(failure).toMatchObject({ reason: 'connection', mayHaveHappened: false });
    expect(server.received).toEqual([]);
  });

  it('answers, and keeps the connection, when the certificate is trusted', async () => {
    const trusted = tls.getCACertificates('default');
    tls.setDefaultCACertificates([...trusted, certificate.cert]);
    try {
      const http = httpTo(secure.url);
      for (let n = 0; n < 3; n += 1) {
        expect(await http.send(call)).toMatchObject({ kind: 'answer', status: 200 });
      }
      secure.script = resetting;
      expect(await http.send(call)).toMatchObject({ mayHaveHappened: true });
    } finally {
      tls.setDefaultCACertificates(trusted);
    }
    expect(new Set(secure.received.map(({ connection }) => connection))).toEqual(new Set([0]));
  });
});
