// node:http only as types: importing its value as a module loads undici, 30 ms for nothing.
import type { Agent, IncomingHttpHeaders } from 'node:http';
import https from 'node:https';
import { readBaseAddress } from './base-address.ts';
import { exchange } from './exchange.ts';

export interface TransportRequest {
  readonly method: string;
  /** Sent as it is: no normalising, which would turn an encoded `..` into a step. */
  readonly path: string;
  readonly body: string | undefined;
  /**
   * Its time counts. A rejection is the fault `no-credentials`; one whose error has the name
   * `Unreachable` says that they cannot be had just now.
   */
  readonly authorize: () => Promise<string>;
  /** For everything: credentials, connecting, sending and the whole answer. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
}

export interface TransportAnswer {
  readonly kind: 'answer';
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

export interface TransportFault {
  readonly kind: 'fault';
  readonly reason:
    | 'time-out'
    | 'aborted'
    | 'connection'
    | 'no-credentials'
    | 'credentials-unreachable'
    | 'not-http'
    | 'too-large';
  readonly mayHaveHappened: boolean;
  readonly errno?: string;
}

export interface Transport {
  /** One attempt: no retry and no redirect. Rejects for programming errors only. */
  send(request: TransportRequest): Promise<TransportAnswer | TransportFault>;
}

/**
 * A connection unused for longer is not used again. Lambda freezes between events, and a connection
 * that the service closed meanwhile would fail the next call with no way to tell whether it arrived.
 */
const longestIdleMs = 15_000;

export function createTransport(baseUrl: string): Transport {
  const address = readBaseAddress(baseUrl);
  const protocol = address.secure ? https : process.getBuiltinModule('node:http');
  const agent = new protocol.Agent({ keepAlive: true });
  const dropIdle = idleDropper(agent);

  const open = ({ method, path, body }: TransportRequest, authorization: string) => {
    dropIdle();
    return protocol.request({
      agent,
      host: address.host,
      port: address.port,
      method,
      path: address.path + path,
      headers: {
        accept: 'application/json',
        'accept-encoding': 'identity',
        authorization,
        'user-agent': 'loyalty-connector',
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(method !== 'GET' && { 'content-length': Buffer.byteLength(body ?? '') }),
      },
    });
  };

  return { send: (request) => exchange(request, open, address.secure) };
}

/** By the clock and not by a timer: timers stand still while a Lambda is frozen. */
function idleDropper(agent: Agent): () => void {
  const idleSince = new WeakMap<object, number>();
  agent.on('free', (socket: object) => idleSince.set(socket, Date.now()));
  return () => {
    for (const socket of Object.values(agent.freeSockets).flat()) {
      if (socket === undefined) continue;
      const idleMs = Date.now() - (idleSince.get(socket) ?? 0);
      if (idleMs < 0 || idleMs > longestIdleMs) socket.destroy();
    }
  };
}
