// Only types: an import of node:http's values loads undici, which takes 30 ms of every cold start.
import type { Agent, ClientRequest, IncomingHttpHeaders, IncomingMessage } from 'node:http';
import https from 'node:https';
import { traceCalls } from './trace.ts';

/** Put in by the bundler: undefined without `deployment.tracing`. */
declare const IS_TRACED: true | undefined;

export interface HttpClient {
  /** Follows no redirect. Returns failures as values; rejects only for programming errors. */
  send(request: HttpRequest): Promise<HttpAnswer | HttpFailure>;
}

export interface HttpRequest {
  readonly method: string;
  /** With the query. Sent unchanged, because normalising could resolve an encoded `..`. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array | undefined;
  /** From the start to the end of the answer, including connecting and a repetition. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
  /** Executing the request twice is harmless: it only reads, or the service recognises it. */
  readonly repeatable: boolean;
}

export interface HttpAnswer {
  readonly kind: 'answer';
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** 2: the first request was lost with its connection, and may have been executed, too. */
  readonly tries: 1 | 2;
}

export interface HttpFailure {
  readonly kind: 'failure';
  readonly reason: 'time-out' | 'aborted' | 'connection' | 'not-http' | 'too-large';
  /** How far the last try came. */
  readonly phase: 'connecting' | 'sending' | 'waiting';
  /** False only when no byte of the request can have reached the service. */
  readonly mayHaveHappened: boolean;
  readonly tries: 1 | 2;
  /** The code of the operating system, TLS or Node's parser: ECONNRESET, CERT_HAS_EXPIRED. */
  readonly code?: string;
}

interface HttpLimits {
  /** Without the TLS handshake, which takes long on a small function's first start. */
  readonly connectMs: number;
  readonly maxAnswerBytes: number;
}

/**
 * A connection that was idle for longer is not reused. Lambda freezes a function between events. If the
 * service closes the connection meanwhile, the next request fails and may or may not be executed.
 */
const MAX_IDLE_MS = 15_000;

/**
 * Request paths are appended to `baseUrl`. The caller decides which addresses are allowed.
 * See docs/decisions/0009-the-queue-retries-the-http-clients-do-not.md.
 */
export function createHttpClient(baseUrl: string, limits: HttpLimits): HttpClient {
  const url = new URL(baseUrl);
  const protocol = url.protocol === 'https:' ? https : process.getBuiltinModule('node:http');
  const agent = new protocol.Agent({ keepAlive: true });
  const closeIdle = idleConnectionsOf(agent);
  const place = { agent, host: url.hostname.replace(/^\[|\]$/g, ''), port: url.port };
  const prefix = url.pathname.replace(/(?<!\/)\/+$/, '');

  function open({ method, path, headers, body }: HttpRequest): ClientRequest {
    closeIdle(MAX_IDLE_MS);
    const length = method === 'GET' ? {} : { 'content-length': Buffer.byteLength(body ?? '') };
    return protocol.request({
      ...place,
      method,
      path: prefix + path,
      headers: { ...headers, ...length },
    });
  }

  const send: HttpClient['send'] = async (request) => {
    const startedAt = performance.now();
    const { result, reused } = await exchange(limits, open, request, request.timeoutMs);
    if (result.kind === 'answer' || result.reason !== 'connection' || !reused) return result;
    // The service has probably closed the other idle connections, too.
    closeIdle(0);
    if (!request.repeatable) return result;
    const leftMs = request.timeoutMs - (performance.now() - startedAt);
    const second = (await exchange(limits, open, request, leftMs)).result;
    return second.kind === 'answer'
      ? { ...second, tries: 2 }
      : { ...second, tries: 2, mayHaveHappened: true };
  };
  return { send: typeof IS_TRACED === 'undefined' ? send : traceCalls(url.host, send) };
}

/** Uses the clock and not a timer, because timers stop while a Lambda function is frozen. */
function idleConnectionsOf(agent: Agent): (longerThanMs: number) => void {
  const idleSince = new WeakMap<object, number>();
  agent.on('free', (socket: object) => idleSince.set(socket, Date.now()));
  return (longerThanMs) => {
    for (const socket of Object.values(agent.freeSockets).flat()) {
      if (socket === undefined) continue;
      const idleMs = Date.now() - (idleSince.get(socket) ?? 0);
      if (idleMs < 0 || idleMs >= longerThanMs) socket.destroy();
    }
  };
}

/** One request and its answer with one deadline; the first event decides the result. */
function exchange(
  { connectMs, maxAnswerBytes }: HttpLimits,
  open: (request: HttpRequest) => ClientRequest,
  request: HttpRequest,
  timeoutMs: number,
): Promise<{ readonly result: HttpAnswer | HttpFailure; readonly reused: boolean }> {
  return new Promise((resolve) => {
    const { signal } = request;
    let opened: ClientRequest | undefined;
    let phase: HttpFailure['phase'] = 'connecting';
    let settled = false;
    let connecting: NodeJS.Timeout | undefined;

    const settle = (result: HttpAnswer | HttpFailure) => {
      if (settled) return;
      settled = true;
      clearTimeout(whole);
      clearTimeout(connecting);
      signal?.removeEventListener('abort', abort);
      // After an incomplete exchange the connection cannot be reused.
      if (result.kind === 'failure' || opened?.writableFinished === false) opened?.destroy();
      resolve({ result, reused: opened?.reusedSocket ?? false });
    };
    const fail = (reason: HttpFailure['reason'], code?: string) =>
      settle({
        kind: 'failure',
        reason,
        phase,
        mayHaveHappened: phase !== 'connecting',
        tries: 1,
        ...(code !== undefined && { code }),
      });
    const abort = () => fail('aborted');
    const whole = setTimeout(fail, timeoutMs, 'time-out');
    if (signal?.aborted) return abort();
    signal?.addEventListener('abort', abort);

    opened = open(request);
    const { reusedSocket } = opened;
    if (reusedSocket) phase = 'sending';
    opened.on('socket', (socket) => {
      if (reusedSocket) return;
      connecting = setTimeout(fail, connectMs, 'time-out');
      socket.once('connect', () => clearTimeout(connecting));
      // No byte of the request is sent before the connection is established.
      socket.once('encrypted' in socket ? 'secureConnect' : 'connect', () => {
        phase = 'sending';
      });
    });
    opened.on('finish', () => {
      if (phase === 'sending') phase = 'waiting';
    });
    opened.on('response', (response) => collect(response, maxAnswerBytes, settle, fail));
    opened.on('error', ({ code }: NodeJS.ErrnoException) =>
      fail(code?.startsWith('HPE_') ? 'not-http' : 'connection', code),
    );
    // Closed without an error before the end of the answer: within the body, or after a switch to
    // another protocol. ECONNRESET is Node's own code for a connection that was closed.
    opened.on('close', () => fail('connection', 'ECONNRESET'));
    opened.end(request.body);
  });
}

function collect(
  response: IncomingMessage,
  maxBytes: number,
  settle: (answer: HttpAnswer) => void,
  fail: (reason: 'too-large') => void,
): void {
  const chunks: Buffer[] = [];
  let bytes = 0;
  response.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > maxBytes) fail('too-large');
    else chunks.push(chunk);
  });
  response.on('end', () => {
    const text = Buffer.concat(chunks).toString('utf8');
    settle({
      kind: 'answer',
      status: response.statusCode ?? 0,
      headers: response.headers,
      // JSON.parse refuses a byte order mark.
      text: text.startsWith('\ufeff') ? text.slice(1) : text,
      tries: 1,
    });
  });
}
