import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';

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

export function respond(response: ServerResponse, { status, headers, body }: Answer): void {
  writeHead(response, status, headers, Buffer.byteLength(body));
  response.end(body);
}

/** Promises the whole body and breaks off in the middle of it. */
export function respondTruncated(
  response: ServerResponse,
  { status, headers, body }: Answer,
): void {
  const bytes = Buffer.from(body);
  writeHead(response, status, headers, bytes.length);
  // Ended only once it is on its way: a connection closed earlier would lose the half as well.
  response.write(bytes.subarray(0, Math.floor(bytes.length / 2)), () => response.destroy());
}

/** The client sees a connection reset, as when a process dies or a balancer drops it. */
export function resetConnection(response: ServerResponse): void {
  response.socket?.resetAndDestroy();
}

function writeHead(
  response: ServerResponse,
  status: number,
  headers: OutgoingHttpHeaders | undefined,
  length: number,
): void {
  response.writeHead(status, { ...headers, 'content-length': length, 'cache-control': 'no-store' });
}
