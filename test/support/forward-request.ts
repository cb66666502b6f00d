import { type IncomingMessage, request, type ServerResponse } from 'node:http';

/** `changes`: headers that replace those of the request. */
export function forwardRequest(
  incoming: IncomingMessage,
  response: ServerResponse,
  address: string,
  changes: Readonly<Record<string, string>> = {},
): void {
  const { hostname, port } = new URL(address);
  const { method, url } = incoming;
  const headers = { ...incoming.headers, ...changes };
  const outgoing = request({ hostname, port, path: url, method, headers }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(response);
  });
  outgoing.on('error', () => response.destroy());
  incoming.pipe(outgoing);
}
