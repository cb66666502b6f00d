import http, { type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import https from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { LASTING } from './lasting.ts';

interface ReceivedRequest {
  readonly method: string;
  /** As received. */
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
  /** Which connection it came over, counted from 0. */
  readonly connection: number;
}

export interface ScriptedServer {
  readonly url: string;
  readonly received: ReceivedRequest[];
  /** How the next requests are handled after their bodies have arrived. */
  script: Script;
  /** Ends every connection as soon as it is made. */
  resetsOnConnect: boolean;
  openConnections(): Promise<number>;
  stop(): Promise<void>;
}

export type Script = (response: ServerResponse, socket: Socket) => void;

/** A server with scripted behaviour, including violations of HTTP. */
export async function startScriptedServer(tls?: https.ServerOptions): Promise<ScriptedServer> {
  const connections: object[] = [];
  const listener: RequestListener = (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('error', () => {});
    request.on('end', () => {
      server.received.push({
        method: request.method ?? '',
        url: request.url ?? '',
        headers: request.headers,
        body: Buffer.concat(chunks).toString('utf8'),
        connection: connections.indexOf(request.socket),
      });
      server.script(response, request.socket);
    });
  };
  // Long ids of four-byte characters make long paths: Node's own limit is 16 KiB.
  const options = { ...LASTING, maxHeaderSize: 1024 * 1024 };
  const listening = tls
    ? https.createServer({ ...options, ...tls }, listener)
    : http.createServer(options, listener);
  listening.on(tls ? 'secureConnection' : 'connection', (socket: Socket) => {
    connections.push(socket);
    if (server.resetsOnConnect) socket.resetAndDestroy();
  });
  await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve));
  const { port } = listening.address() as AddressInfo;
  const server: ScriptedServer = {
    url: `${tls ? 'https' : 'http'}://127.0.0.1:${port}`,
    received: [],
    script: answering(200, '{}'),
    resetsOnConnect: false,
    openConnections: () =>
      new Promise((resolve, reject) =>
        listening.getConnections((error, count) => (error ? reject(error) : resolve(count))),
      ),
    stop: () =>
      new Promise((resolve) => {
        listening.close(() => resolve());
        listening.closeAllConnections();
      }),
  };
  return server;
}

export function answering(
  status: number,
  body: string | Uint8Array,
  headers: Record<string, string> = { 'content-type': 'application/json' },
): Script {
  return (response) => {
    response.writeHead(status, headers);
    response.end(body);
  };
}

export const hanging: Script = () => {};

export const resetting: Script = (_, socket) => {
  // A TLS socket cannot send a TCP reset, only close.
  if ('encrypted' in socket) socket.destroy();
  else socket.resetAndDestroy();
};

/** Any bytes instead of an answer. */
export function sendingRaw(bytes: string | Uint8Array): Script {
  return (_, socket) => {
    socket.end(bytes);
  };
}

/** The beginning at once, then one byte at a time without end. */
export function dribbling(beginning: string, everyMs = 5): Script {
  return (_, socket) => {
    socket.write(beginning);
    const timer = setInterval(() => socket.write('a'), everyMs);
    socket.on('error', () => {});
    socket.on('close', () => clearInterval(timer));
  };
}
