import { connect } from 'node:net';
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import type { LoyaltySandbox } from '../../../local/loyalty-sandbox/sandbox.ts';
import { basicAuthorization } from '../../../shared/loyalty/client.ts';
import { send } from './server-requests.ts';
import { contract, startSandbox } from './start-sandbox.ts';

let sandbox: LoyaltySandbox;
const stderr = vi.spyOn(console, 'error').mockImplementation(() => {});
beforeAll(async () => {
  sandbox = await startSandbox();
});
afterAll(async () => {
  await sandbox.stop();
  stderr.mockRestore();
});
afterEach(() => {
  expect(stderr).not.toHaveBeenCalled();
  expect(sandbox.journal.entries().filter(({ fault }) => fault === 'crash')).toEqual([]);
});

const authorization = basicAuthorization({ token: 'sandbox-token', key: 'sandbox-key' });

/** Bytes that may stand in a request target: anything visible. */
const target = fc
  .string({
    unit: fc.integer({ min: 0x21, max: 0x7e }).map((c) => String.fromCharCode(c)),
    maxLength: 60,
  })
  .map((text) => `/${text}`);
const near = fc
  .tuple(
    fc.constantFrom('/v1/pvt/', '/v1/', '/sandbox/', '/docs-assets/', '/assets/', '/state', '/'),
    target,
  )
  .map(([prefix, text]) => prefix + text.slice(1));
const operationPath = fc
  .tuple(fc.constantFrom(...contract.operations), fc.string({ unit: 'binary', maxLength: 20 }))
  .map(([{ method, path }, id]) => ({ method, path: path.replace(/\{\w+\}/, encodeId(id)) }));
const encodeId = (id: string) => encodeURIComponent(id.toWellFormed()) || 'x';

describe('whatever is sent', () => {
  it('never gets a 500: any method, path, header value and body', async () => {
    const method = fc.constantFrom(
      'GET',
      'POST',
      'PUT',
      'DELETE',
      'PATCH',
      'HEAD',
      'OPTIONS',
      'PROPFIND',
    );
    const headerValue = fc.string({
      unit: fc.integer({ min: 0x20, max: 0x7e }).map((c) => String.fromCharCode(c)),
    });
    await fc.assert(
      fc.asyncProperty(
        method,
        fc.oneof(target, near),
        fc.record({
          authorization: fc.oneof(headerValue, fc.constant(authorization)),
          'content-type': fc.oneof(headerValue, fc.constant('application/json')),
        }),
        fc.uint8Array({ maxLength: 200 }),
        async (verb, path, headers, body) => {
          const { status } = await send(sandbox.address, verb, path, { headers, body });
          expect(status).toBeLessThan(500);
        },
      ),
      { numRuns: 300 },
    );
  });

  it('never gets a 500 from an operation: any id and any body', async () => {
    const body = fc.oneof(
      fc.uint8Array({ maxLength: 300 }),
      fc.json(),
      fc.json().map((text) => Buffer.from(text).subarray(0, -1)),
    );
    await fc.assert(
      fc.asyncProperty(operationPath, body, async ({ method, path }, bytes) => {
        const headers = { authorization };
        const { status, json } = await send(sandbox.address, method, path, {
          headers,
          body: bytes,
        });
        expect(status).toBe(200);
        expect(json).toBeDefined();
      }),
      { numRuns: 300 },
    );
  });

  it('never ends the server: any bytes on the wire', async () => {
    const { hostname, port } = new URL(sandbox.address);
    const line = fc.constantFrom(
      'GET / HTTP/1.1\r\n',
      'POST /v1/pvt/POS/orders HTTP/1.1\r\nHost: 127.0.0.1\r\n',
      'Transfer-Encoding: chunked\r\n\r\n',
      'Content-Length: 5\r\n\r\n',
      'x\r\n\r\n',
      '\r\n',
      '',
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(line, fc.uint8Array({ maxLength: 50 })), { maxLength: 5 }),
        async (parts) => {
          await new Promise<void>((resolve) => {
            const socket = connect(Number(port), hostname, () => {
              for (const [text, bytes] of parts) {
                socket.write(text);
                socket.write(bytes);
              }
              socket.end();
            });
            let answer = '';
            socket.on('data', (data) => {
              answer += data;
            });
            socket
              .on('error', () => {})
              .on('close', () => {
                expect(answer).not.toMatch(/^HTTP\/1\.1 5\d\d/m);
                resolve();
              });
          });
          expect((await send(sandbox.address, 'GET', '/sandbox/settings')).status).toBe(200);
        },
      ),
      { numRuns: 100 },
    );
  });
});
