import type { ClientRequest, IncomingMessage } from 'node:http';
import type { TransportAnswer, TransportFault, TransportRequest } from './transport.ts';

const mostAnswerBytes = 8 * 1024 * 1024;

/** One request and its answer, under one deadline; the first thing to happen decides. */
export function exchange(
  call: TransportRequest,
  open: (call: TransportRequest, authorization: string) => ClientRequest,
  secure: boolean,
): Promise<TransportAnswer | TransportFault> {
  return new Promise((resolve, reject) => {
    let request: ClientRequest | undefined;
    let mayHaveHappened = false;
    let settled = false;

    const settle = (result: TransportAnswer | TransportFault) => {
      if (settled) return;
      settled = true;
      clearTimeout(timer);
      call.signal?.removeEventListener('abort', abort);
      // After anything but a whole exchange the connection is in no state for the next one.
      if (result.kind === 'fault' || request?.writableFinished === false) request?.destroy();
      resolve(result);
    };
    const fail = (reason: TransportFault['reason'], errno?: string) =>
      settle({ kind: 'fault', reason, mayHaveHappened, ...(errno !== undefined && { errno }) });
    const breakOff = ({ code }: NodeJS.ErrnoException) =>
      fail(code?.startsWith('HPE_') ? 'not-http' : 'connection', code);
    const abort = () => fail('aborted');
    const timer = setTimeout(() => fail('time-out'), call.timeoutMs);
    call.signal?.addEventListener('abort', abort);
    if (call.signal?.aborted) abort();

    const start = (authorization: string) => {
      if (settled) return;
      request = open(call, authorization);
      const opened = request;
      opened.on('socket', (socket) => {
        mayHaveHappened = opened.reusedSocket;
        // Nothing of the request leaves before a new connection stands.
        if (!opened.reusedSocket) {
          socket.once(secure ? 'secureConnect' : 'connect', () => {
            mayHaveHappened = true;
          });
        }
      });
      opened.on('response', (response) => collect(response, settle, fail));
      opened.on('error', breakOff);
      // Closed before the answer ended, without an error: broken off within the body, or switched to
      // a protocol that nobody asked for. Node's own name for a connection that hung up.
      opened.on('close', () => fail('connection', 'ECONNRESET'));
      opened.end(call.body);
    };
    if (settled) return;
    call
      .authorize()
      .then(start, (error: unknown) =>
        fail(isUnreachable(error) ? 'credentials-unreachable' : 'no-credentials'),
      )
      .catch(reject);
  });
}

const isUnreachable = (error: unknown): boolean =>
  error instanceof Error && error.name === 'Unreachable';

function collect(
  response: IncomingMessage,
  settle: (answer: TransportAnswer) => void,
  fail: (reason: 'too-large') => void,
): void {
  const chunks: Buffer[] = [];
  let bytes = 0;
  response.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > mostAnswerBytes) fail('too-large');
    else chunks.push(chunk);
  });
  response.on('end', () => {
    // TextDecoder, because it drops a byte order mark, which JSON.parse refuses.
    const text = new TextDecoder().decode(Buffer.concat(chunks));
    settle({
      kind: 'answer',
      status: response.statusCode ?? 0,
      headers: response.headers,
      text,
    });
  });
}
