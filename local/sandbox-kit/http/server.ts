import {
  createServer,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Server {
  /** `http://127.0.0.1:4010` */
  readonly address: string;
  /** At once: a call that is still waiting is disconnected and not executed. */
  stop(): Promise<void>;
}

export type Dispatch = (
  request: IncomingMessage,
  response: ServerResponse,
  stopped: AbortSignal,
) => Promise<void>;

/** Its credentials are public, so a sandbox must never be reachable from another machine. */
const loopback = '127.0.0.1';

/** Longer than a client's pause between two calls, which could otherwise use a closing connection. */
const keepAliveTimeout = 60_000;

/** An escaped id needs up to twelve bytes per character; Node's default of 16 KiB would refuse long ids. */
const maxHeaderSize = 64 * 1024;

export async function startServer(dispatch: Dispatch, port: number): Promise<Server> {
  const stopped = new AbortController();
  const server = createServer({ keepAliveTimeout, maxHeaderSize }, (request, response) => {
    dispatch(request, response, stopped.signal).catch((error) => {
      if (stopped.signal.aborted) return;
      console.error('The sandbox has a bug.', error);
      if (response.headersSent) response.destroy();
      else respond(response, bugAnswer(request));
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, loopback, () => resolve());
  });
  const { port: actual } = server.address() as AddressInfo;
  return {
    address: `http://${loopback}:${actual}`,
    stop: async () => {
      stopped.abort();
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

/** A person at a browser gets a page. */
function bugAnswer({ headers }: IncomingMessage): Answer {
  const problem = 'The sandbox has a bug.';
  if (!headers.accept?.includes('text/html')) return jsonAnswer(500, { problems: [problem] });
  return {
    status: 500,
    headers: { 'content-type': 'text/html; charset=utf-8' },
    body: `<!doctype html><html lang="en"><meta name="viewport" content="width=device-width">
<title>${problem}</title><h1>${problem}</h1><p>Its terminal says more. <a href="/">Start page</a></p></html>`,
  };
}

export interface Answer {
  readonly status: number;
  readonly headers?: OutgoingHttpHeaders;
  readonly body: string | Buffer;
}

export function jsonAnswer(status: number, value: unknown, headers?: OutgoingHttpHeaders): Answer {
  return {
    status,
    headers: { 'content-type': 'application/json; charset=utf-8', ...headers },
    body: JSON.stringify(value),
  };
}

/** Half of it: the whole body is announced, and the connection ends after its first half. */
export function respond(
  response: ServerResponse,
  { status, headers, body }: Answer,
  part: 'whole' | 'half-of-it' = 'whole',
): void {
  const bytes = Buffer.from(body);
  const length = { 'content-length': bytes.length, 'cache-control': 'no-store' };
  response.writeHead(status, { ...headers, ...length });
  if (part === 'whole') response.end(bytes);
  // Closed only after the write: closing earlier would lose this half as well.
  else response.write(bytes.subarray(0, bytes.length >> 1), () => response.destroy());
}
