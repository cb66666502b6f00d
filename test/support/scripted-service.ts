import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import { type Emulator, listen } from '../../local/stack/emulators.ts';
import { LASTING } from './lasting.ts';

export type ScriptedAnswer =
  | { readonly status?: number; readonly body: object }
  /**
   * `hang`: never answers. `drip`: sends an endless head, bit by bit. `stall`: sends the head and half
   * a body. `drop`: cuts the connection.
   */
  | 'hang'
  | 'drip'
  | 'stall'
  | 'drop';

export interface ScriptedService extends Emulator {
  /** The requests so far, parsed, with the operation's name. */
  readonly requests: readonly { readonly operation: string; readonly body: unknown }[];
}

/**
 * An AWS JSON endpoint with scripted answers, for what the emulators never do (throttling, unprocessed
 * keys, hanging).
 */
export async function startScriptedService(
  answer: (operation: string, body: never, count: number) => ScriptedAnswer,
): Promise<ScriptedService> {
  const requests: { operation: string; body: unknown }[] = [];
  const server = createServer(LASTING, async (request, response) => {
    const body = await json(request);
    const operation = String(request.headers['x-amz-target']).split('.')[1] ?? '';
    requests.push({ operation, body });
    const answered = answer(operation, body as never, requests.length);
    if (answered === 'hang') return;
    if (answered === 'drop') {
      request.socket.destroy();
      return;
    }
    if (answered === 'drip') {
      request.socket.write('HTTP/1.1 200 OK\r\n');
      const drips = setInterval(() => request.socket.write('x-drip: 1\r\n'), 50);
      request.socket.on('error', () => {}).on('close', () => clearInterval(drips));
      return;
    }
    const headers = { 'content-type': 'application/x-amz-json-1.0' };
    if (answered === 'stall') {
      response.writeHead(200, { ...headers, 'content-length': 100 }).write('{');
      return;
    }
    response.writeHead(answered.status ?? 200, headers).end(JSON.stringify(answered.body));
  });
  return { ...(await listen(server)), requests };
}
