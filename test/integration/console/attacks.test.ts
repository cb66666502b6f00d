import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type ConsoleOnTheWire, openConsoleOnTheWire } from './console-on-the-wire.ts';

/** It would reach AWS at once. */
const CHANGE = { command: 'pause', operands: [], options: { yes: true } };

let console_: ConsoleOnTheWire;

beforeAll(async () => {
  console_ = await openConsoleOnTheWire();
});
afterAll(() => console_.stop());

/** It serves its own page as before, and AWS was asked for nothing. */
afterEach(async () => {
  expect(console_.aws.received.splice(0)).toEqual([]);
  const { cookie } = console_.own;
  expect((await console_.ask({ headers: { cookie } })).status).toBe(200);
  expect(console_.problems).toEqual([]);
});

const expectRefused = ({ status, text }: { status: number; text: string }) => {
  expect(status).toBeGreaterThanOrEqual(400);
  expect(status).toBeLessThan(500);
  expect(text).not.toContain('begun');
};

it('stops although a browser has connected in advance, and asks for nothing', async () => {
  const other = await openConsoleOnTheWire();
  const { hostname, port } = new URL(other.address);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  await other.stop();
  await once(socket, 'close');
});

it('runs a command for its own page, so that the attacks could succeed', async () => {
  const { lines } = await console_.run(CHANGE);
  expect(lines).toContainEqual({ run: expect.any(String) });
  expect(console_.aws.received.splice(0).length).toBeGreaterThan(0);
});

describe('another page', () => {
  it.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'text/plain; application/json',
    'application/json-patch+json',
    '',
  ])('cannot post a form of the type %j, even with both secrets', async (type) => {
    expectRefused(await console_.run(CHANGE, { 'content-type': type }));
  });

  it.each([
    'null',
    'http://evil.example',
    'http://127.0.0.1',
    'http://127.0.0.1:1',
    'https://127.0.0.1:PORT',
    'http://localhost:PORT',
    'http://127.0.0.1:PORT.evil.example',
    '',
    undefined,
  ])('cannot run a command with the origin %s', async (origin) => {
    const sent = origin?.replace('PORT', String(console_.port));
    expectRefused(await console_.run(CHANGE, { origin: sent }));
    expectRefused(
      await console_.ask({
        ...{ method: 'POST', path: '/stop', body: '{"run":"x"}' },
        headers: { ...console_.own, origin: sent },
      }),
    );
  });
});

describe('a name that is made to point to this machine', () => {
  it.each([
    'evil.example',
    'evil.example:PORT',
    '127.0.0.1',
    '127.0.0.1:1',
    '127.1:PORT',
    '0.0.0.0:PORT',
    '[::1]:PORT',
    'localhost:PORT',
    '127.0.0.1:PORT.evil.example',
    '127.0.0.1:PORT, evil.example',
    '',
  ])('is refused: Host %j', async (host) => {
    const headers = { ...console_.own, host: host.replace('PORT', String(console_.port)) };
    for (const path of ['/', '/page.js', '/page.css']) {
      const { status, text } = await console_.ask({ path, headers });
      expectRefused({ status, text });
      expect(text).not.toContain('console-key');
    }
    expectRefused(await console_.run(CHANGE, headers));
    const origin = `http://${headers.host}`;
    expectRefused(await console_.run(CHANGE, { ...headers, origin }));
  });

  it('is refused without Host, in both versions of HTTP, and with two', async () => {
    const rest = `Cookie: ${console_.cookie}\r\n\r\n`;
    const own = `Host: ${console_.host}\r\n`;
    for (const begin of [
      'GET / HTTP/1.1\r\n',
      'GET / HTTP/1.0\r\n',
      `GET / HTTP/1.1\r\nHost: evil.example\r\n${own}`,
    ]) {
      const answer = await console_.raw(`${begin}Connection: close\r\n${rest}`);
      expect(answer).toMatch(/^HTTP\/1\.1 4\d\d /);
      expect(answer).not.toContain('console-key');
    }
  });

  it.each(['http://evil.example/', 'http://127.0.0.1:PORT/run', 'https://127.0.0.1:PORT/'])(
    'is refused in the request line: %s',
    async (target) => {
      const path = target.replace('PORT', String(console_.port));
      const body = JSON.stringify(CHANGE);
      expectRefused(await console_.ask({ path, headers: console_.own }));
      expectRefused(await console_.ask({ path, method: 'POST', headers: console_.own, body }));
    },
  );
});

describe('a session', () => {
  it('opens once', async () => {
    const { pathname, search } = new URL(console_.address);
    for (const headers of [{}, { cookie: console_.cookie }]) {
      const { headers: answered, text } = await console_.ask({
        path: `${pathname}${search}`,
        headers,
      });
      expect(answered['set-cookie']).toBeUndefined();
      expect(text).not.toContain('console-key');
    }
  });

  it('opens with no guess, no part and no other writing of the token, and guesses leave it usable', async () => {
    const other = await openConsoleOnTheWire();
    const fresh = new URL(other.address).searchParams.get('token') ?? '';
    await other.stop();
    const token = new URL(console_.address).searchParams.get('token') ?? '';
    const guesses = ['', token.slice(0, -1), `${token}a`, token.toUpperCase(), fresh, '%00', '*'];
    for (const guess of guesses) {
      const path = `/?token=${guess}`;
      const { status, headers } = await console_.ask({ path });
      expect(status).toBe(403);
      expect(headers['set-cookie']).toBeUndefined();
    }
    for (const path of [`/?token=x&token=${token}`, `/?token[]=${token}`, `/?Token=${token}`]) {
      expect((await console_.ask({ path })).headers['set-cookie']).toBeUndefined();
    }
  });

  it('is a cookie that no script reads and no other site sends, and a key of 128 bits or more', async () => {
    const other = await openConsoleOnTheWire();
    try {
      for (const secret of [other.key, other.cookie.split('=')[1] ?? '']) {
        expect(Buffer.from(secret, 'base64url').length).toBeGreaterThanOrEqual(16);
      }
      expect(other.key).not.toBe(other.cookie.split('=')[1]);
      const headers = { ...other.own, host: console_.host, origin: console_.origin };
      expectRefused(await console_.run(CHANGE, headers));
      const renamed = other.cookie.replace(/^[^=]+/, console_.cookie.split('=')[0] ?? '');
      expectRefused(await console_.run(CHANGE, { ...headers, cookie: renamed }));
      expectRefused(await console_.run(CHANGE, { cookie: renamed }));
      expectRefused(await console_.run(CHANGE, { 'x-console-key': other.key }));
    } finally {
      await other.stop();
    }
  });

  it.each([
    ['the cookie alone', { 'x-console-key': undefined }],
    ['an empty key', { 'x-console-key': '' }],
    ['a long key', { 'x-console-key': 'a'.repeat(8_000) }],
    ['the key alone', { cookie: undefined }],
    ['an empty cookie', { cookie: '' }],
    [
      'a thousand cookies',
      { cookie: Array.from({ length: 1000 }, (_, i) => `c${i}=1`).join('; ') },
    ],
    ['neither', { cookie: undefined, 'x-console-key': undefined }],
  ])('is not opened by %s', async (_, headers) => {
    expectRefused(await console_.run(CHANGE, headers));
  });

  it('does not tell its key with the cookie alone, which other programs of this machine can see', async () => {
    const { text } = await console_.ask({ headers: { cookie: console_.cookie } });
    expect(text).not.toContain('console-key');
  });
});

describe('a method, a path', () => {
  it.each(['GET', 'HEAD', 'PUT', 'DELETE', 'PATCH', 'TRACE', 'PROPFIND'])(
    'of /run is only POST, not %s',
    async (method) => {
      const body = JSON.stringify(CHANGE);
      for (const path of ['/run', '/stop', `/run?body=${encodeURIComponent(body)}`]) {
        const headers = {
          ...console_.own,
          'x-http-method-override': 'POST',
          'x-http-method': 'POST',
        };
        const sent = method === 'GET' || method === 'HEAD' ? '' : body;
        const { status, text } = await console_.ask({ method, path, headers, body: sent });
        expect(status).toBeGreaterThanOrEqual(400);
        // TRACE echoes.
        expect(text).not.toContain('x-http-method');
      }
    },
  );

  it.each([
    '//',
    '//evil.example/',
    '/..',
    '/../../../../../../etc/passwd',
    '/%2e%2e/%2e%2e/package.json',
    '/..%2f..%2fpackage.json',
    '/..%5c..%5cpackage.json',
    '/page.js/../server.ts',
    '/page.js%00.css',
    '/%00',
    '/%',
    '/%ff%fe',
    '/page.js?token=x',
    '/RUN',
    '/run/',
    '/run;x',
    '/__proto__',
    '/constructor',
    '/toString',
    `/${'a'.repeat(8_000)}`,
    `/?${'a=1&'.repeat(2_000)}`,
  ])('answers an odd path with nothing but its own files: %s', async (path) => {
    const { status, text } = await console_.ask({ path });
    if (path.startsWith('/page.js?')) return void expect(status).toBeLessThan(500);
    expectRefused({ status, text });
    expect(text).not.toMatch(/root:|"name"|import |node_modules|at [a-z]+ \(/i);
    expectRefused(
      await console_.ask({
        ...{ method: 'POST', path, headers: console_.own },
        body: JSON.stringify(CHANGE),
      }),
    );
  });
});
