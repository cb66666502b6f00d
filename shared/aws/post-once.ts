// node:http only as types: importing its value as a module loads undici, 30 ms for nothing.
import type { IncomingMessage } from 'node:http';
import https from 'node:https';
import type { CallBudget } from './call-budget.ts';

export interface PostedAnswer {
  readonly status: number;
  readonly text: string;
}

export interface Poster {
  /** Host and port, as in the header. */
  readonly host: string;
  /**
   * One POST to `/` over a connection that is kept for the next. Rejects with a `TimeoutError`, or with
   * Node's own error, when no whole answer came in time.
   */
  post(headers: Readonly<Record<string, string>>, body: Uint8Array): Promise<PostedAnswer>;
  /** Closes the connections that nobody uses. */
  dropIdle(): void;
}

export function createPoster(
  endpoint: string,
  { connectMs, attemptMs }: Pick<CallBudget, 'connectMs' | 'attemptMs'>,
): Poster {
  const url = new URL(endpoint);
  const protocol = url.protocol === 'https:' ? https : process.getBuiltinModule('node:http');
  const agent = new protocol.Agent({ keepAlive: true });
  const place = { host: url.hostname.replace(/^\[|\]$/g, ''), port: url.port, path: '/' };

  return {
    host: url.host,

    post: (headers, body) =>
      new Promise((resolve, reject) => {
        const request = protocol.request({
          ...place,
          method: 'POST',
          agent,
          headers: { ...headers, 'content-length': body.length },
        });
        const giveUp = (what: string, ms: number) =>
          request.destroy(new TimeoutError(`${what} within ${ms} ms`));
        const whole = setTimeout(giveUp, attemptMs, 'no whole answer', attemptMs);
        let connecting: NodeJS.Timeout | undefined;
        request.on('socket', (socket) => {
          if (!socket.connecting) return;
          connecting = setTimeout(giveUp, connectMs, 'no connection', connectMs);
          socket.once('connect', () => clearTimeout(connecting));
        });
        request.on('error', reject);
        request.on('close', () => {
          clearTimeout(whole);
          clearTimeout(connecting);
        });
        request.on('response', (response) => collect(response, resolve, reject));
        request.end(body);
      }),

    dropIdle() {
      for (const socket of Object.values(agent.freeSockets).flat()) socket?.destroy();
    },
  };
}

function collect(
  response: IncomingMessage,
  resolve: (answer: PostedAnswer) => void,
  reject: (error: Error) => void,
): void {
  const chunks: Buffer[] = [];
  response.on('data', (chunk: Buffer) => chunks.push(chunk));
  // An answer that breaks off within its body is told to the answer alone.
  response.on('error', reject);
  response.on('end', () => {
    resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString() });
  });
}

/** Named as the SDK names it. */
class TimeoutError extends Error {
  override readonly name = 'TimeoutError';
}
