import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { createSqsCalls } from '../../shared/aws/aws-client.ts';
import { createEmfTelemetry } from '../../shared/aws/emf-telemetry.ts';
import { createHttpClient } from '../../shared/http/http-client.ts';

const ROOT = '1-5759e988-bd862e3fe1be46a994272793';
const PARENT = '53995c3f42cd8ad8';
/** As Lambda sets it: the lineage counts how often a message came round. */
const traceOf = (sampled: 0 | 1) =>
  `Root=${ROOT};Parent=${PARENT};Sampled=${sampled};Lineage=1:a87bd80c:1`;

let headers: IncomingHttpHeaders;
const server = createServer((request, response) => {
  headers = request.headers;
  response.statusCode = request.url === '/busy' ? 429 : 200;
  // The MD5 of "hello", as SQS answers.
  response.end(JSON.stringify({ MD5OfMessageBody: '5d41402abc4b2a76b9719d911017c592' }));
});
/** Stands for X-Ray's daemon, which Lambda runs beside a function. */
const daemon = createSocket('udp4');
let address: string;

beforeAll(async () => {
  daemon.bind(0, '127.0.0.1');
  server.listen(0, '127.0.0.1');
  await Promise.all([once(daemon, 'listening'), once(server, 'listening')]);
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterAll(() => {
  server.close();
  server.closeAllConnections();
  daemon.close();
});

beforeEach(() => {
  vi.stubGlobal('IS_TRACED', true);
  vi.stubEnv('AWS_XRAY_DAEMON_ADDRESS', `127.0.0.1:${daemon.address().port}`);
  vi.stubEnv('_X_AMZN_TRACE_ID', traceOf(1));
});

afterEach(() => {
  vi.unstubAllGlobals();
  vi.unstubAllEnvs();
});

const sendMessage = () =>
  createSqsCalls({
    budget: { connectMs: 5_000, attemptMs: 5_000, attempts: 1 },
    region: 'us-east-1',
    endpointOf: () => address,
    credentials: () => ({ accessKeyId: 'key', secretAccessKey: 'secret' }),
  }).sendMessage({ QueueUrl: 'queue', MessageBody: 'hello' });

const call = (path: string) =>
  createHttpClient(address, { connectMs: 5_000, maxAnswerBytes: 1_000 }).send({
    ...{ method: 'GET', path, headers: {}, timeoutMs: 5_000, repeatable: true },
  });

/** What the daemon is told next. */
async function told(): Promise<{ readonly line: unknown; readonly segment: unknown }> {
  const [packet] = await once(daemon, 'message');
  const [line = '', segment = ''] = String(packet).split('\n');
  return { line: JSON.parse(line), segment: JSON.parse(segment) };
}

describe('with deployment.tracing', () => {
  it('a message carries the trace of its webhook, not signed and without its lineage', async () => {
    const next = told();
    await sendMessage();
    expect((await next).segment).toMatchObject({ http: { request: { method: 'POST' } } });
    expect(headers['x-amzn-trace-id']).toBe(`Root=${ROOT};Parent=${PARENT};Sampled=1`);
    expect(headers.authorization).not.toContain('x-amzn-trace-id');
  });

  it('a call of the loyalty service is a part of the trace, without a path that may name a customer', async () => {
    const next = told();
    await call('/busy');
    const { line, segment } = await next;
    expect(line).toEqual({ format: 'json', version: 1 });
    expect(segment).toEqual({
      ...{ name: new URL(address).host, id: expect.stringMatching(/^[0-9a-f]{16}$/) },
      ...{ trace_id: ROOT, parent_id: PARENT, type: 'subsegment', namespace: 'remote' },
      ...{ start_time: expect.any(Number), end_time: expect.any(Number) },
      http: { request: { method: 'GET' }, response: { status: 429 } },
      ...{ error: true, throttle: true },
    });
    // Only AWS is told of the trace.
    expect(headers).not.toHaveProperty('x-amzn-trace-id');
  });

  it('what Lambda does not sample is not told of, and neither is its worker', async () => {
    const next = told();
    vi.stubEnv('_X_AMZN_TRACE_ID', traceOf(0));
    await sendMessage();
    expect(headers['x-amzn-trace-id']).toBe(`Root=${ROOT};Parent=${PARENT};Sampled=0`);
    // The first packet is that of the call that is sampled.
    vi.stubEnv('_X_AMZN_TRACE_ID', traceOf(1));
    await call('/sampled');
    expect((await next).segment).toMatchObject({ http: { request: { method: 'GET' } } });
  });

  it('a log line names the trace', () => {
    const lines: string[] = [];
    const settings = { namespace: 'n', service: 'sync-orders', monitoring: 'full' } as const;
    createEmfTelemetry(settings, (line) => lines.push(line)).log('info', 'applied', {});
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ message: 'applied', trace: ROOT });
  });
});
