// Only types: an import of node:http's values loads undici, which takes 30 ms of every cold start.
import type { Agent, ClientRequest, IncomingHttpHeaders, IncomingMessage } from 'node:http';
import https from 'node:https';
import type { Duplex } from 'node:stream';

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

/** Of a process, idle ones included: far below Lambda's 1,024 file descriptors ("Lambda quotas"). */
const MOST_CONNECTIONS = 400;

/**
 * Request paths are appended to `baseUrl`. The caller decides which addresses are allowed.
 * See docs/decisions/0009-the-queue-retries-the-http-clients-do-not.md.
 */
export function createHttpClient(baseUrl: string, limits: HttpLimits): HttpClient {
  const url = new URL(baseUrl);
  const isSecure = url.protocol === 'https:';
  const protocol = isSecure ? https : process.getBuiltinModule('node:http');
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const place = { host, port: Number(url.port) || (isSecure ? 443 : 80) };
  const agent = connections.agentOf(protocol);
  const prefix = url.pathname.replace(/(?<!\/)\/+$/, '');

  function open({ method, path, headers, body }: HttpRequest): ClientRequest {
    // As a list: Node writes it as it is, in half the time.
    const sent = headers.host === undefined ? ['host', url.host] : [];
    for (const [name, value] of Object.entries(headers)) sent.push(name, value);
    if (method !== 'GET') sent.push('content-length', String(Buffer.byteLength(body ?? '')));
    return protocol.request({
      ...place,
      agent,
      method,
      path: prefix + path,
      headers: sent,
    });
  }

  const send: HttpClient['send'] = async (request) => {
    const endsAt = performance.now() + request.timeoutMs;
    const attempt = () =>
      connections.use(() => exchange(limits, open, request, endsAt - performance.now()));
    const { result, reused } = await attempt();
    if (result.kind === 'answer' || result.reason !== 'connection' || !reused) return result;
    // The service has probably closed the other idle connections, too.
    connections.closeIdle(place);
    if (!request.repeatable) return result;
    const second = (await attempt()).result;
    return second.kind === 'answer'
      ? { ...second, tries: 2 }
      : { ...second, tries: 2, mayHaveHappened: true };
  };
  return { send };
}

interface Place {
  readonly host: string;
  readonly port: number;
}

interface Protocol {
  readonly Agent: new (options: { readonly keepAlive: true }) => Agent;
}

/**
 * All clients share their connections: with one pool for each of hundreds of shops, a process would run out of file
 * descriptors. Uses the clock and not a timer, because timers stop while a Lambda function is frozen.
 */
const connections = openConnections();

function openConnections() {
  const agents = new Map<Protocol, Agent>();
  /** The longest idle first. */
  const idle = new Map<Duplex, Place & { readonly since: number }>();
  const waiting: (() => void)[] = [];
  let inUse = 0;

  function open(protocol: Protocol): Agent {
    const agent = new protocol.Agent({ keepAlive: true });
    agent.on('free', (socket: Duplex, { host, port }: Place) => {
      if (!socket.destroyed) idle.set(socket, { host, port, since: Date.now() });
    });
    // At once, and not with the request's event: until then it could be closed as an idle one.
    const reuse = agent.reuseSocket;
    agent.reuseSocket = (socket, request) => {
      idle.delete(socket);
      reuse.call(agent, socket, request);
    };
    agents.set(protocol, agent);
    return agent;
  }

  function close(socket: Duplex): void {
    idle.delete(socket);
    socket.destroy();
  }

  /** Those that were idle for too long, and the longest idle ones where there are too many. */
  function makeRoom(): void {
    for (const [socket, { since }] of idle) {
      const idleMs = Date.now() - since;
      const isFull = inUse + idle.size > MOST_CONNECTIONS;
      if (!isFull && idleMs >= 0 && idleMs < MAX_IDLE_MS) return;
      close(socket);
    }
  }

  return {
    agentOf: (protocol: Protocol) => agents.get(protocol) ?? open(protocol),
    /** Makes one request, when there is room for it. */
    async use<T>(work: () => Promise<T>): Promise<T> {
      if (inUse < MOST_CONNECTIONS) inUse += 1;
      else await new Promise<void>((resolve) => waiting.push(resolve));
      makeRoom();
      try {
        return await work();
      } finally {
        const next = waiting.shift();
        if (next) next();
        else inUse -= 1;
      }
    },
    closeIdle({ host, port }: Place): void {
      for (const [socket, one] of idle) if (one.host === host && one.port === port) close(socket);
    },
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
    const whole = setTimeout(fail, Math.max(timeoutMs, 1), 'time-out');
    if (signal?.aborted) return abort();
    // It waited for too long until there was room.
    if (timeoutMs <= 0) return fail('time-out');
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
