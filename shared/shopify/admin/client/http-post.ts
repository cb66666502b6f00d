// node:http only as types: importing its value as a module loads undici, and so does fetch. That is
// 50 ms of a worker's first read, for nothing that node:https does not do.
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import https from 'node:https';

export interface HttpAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** Far beyond any answer to the connector's questions. */
const MOST_BYTES = 16 * 1024 * 1024;

const agents = new Map<string, InstanceType<typeof https.Agent>>();

/**
 * One request over a connection that is kept for the next; no redirect is followed, since the token
 * would go along. Rejects when no whole answer came before the signal fired.
 */
export function post(
  address: string,
  headers: Readonly<Record<string, string>>,
  body: string,
  signal: AbortSignal,
): Promise<HttpAnswer> {
  const url = new URL(address);
  const protocol = url.protocol === 'https:' ? https : process.getBuiltinModule('node:http');
  const agent = agents.get(url.protocol) ?? new protocol.Agent({ keepAlive: true });
  agents.set(url.protocol, agent as InstanceType<typeof https.Agent>);
  return new Promise((resolve, reject) => {
    const request = protocol.request(url, {
      method: 'POST',
      agent,
      signal,
      headers: {
        ...headers,
        'accept-encoding': 'identity',
        'content-length': Buffer.byteLength(body),
      },
    });
    request.on('error', reject);
    request.on('response', (response) => {
      collect(response).then(resolve, (error: unknown) => {
        request.destroy();
        reject(error);
      });
    });
    request.end(body);
  });
}

async function collect(response: IncomingMessage): Promise<HttpAnswer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response) {
    bytes += chunk.length;
    if (bytes > MOST_BYTES) throw new Error('the answer is too large');
    chunks.push(chunk);
  }
  const { statusCode = 0, headers } = response;
  return { status: statusCode, headers, text: Buffer.concat(chunks).toString('utf8') };
}
