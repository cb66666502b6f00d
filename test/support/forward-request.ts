import { type IncomingMessage, request, type ServerResponse } from 'node:http';

/** `changes`: headers that replace those of the request; `body`: one that replaces its own. */
export function forwardRequest(
  incoming: IncomingMessage,
  response: ServerResponse,
  address: string,
  changes: Readonly<Record<string, string>> = {},
  body?: Buffer,
): void {
  const { hostname, port } = new URL(address);
  const { method, url } = incoming;
  const length = body && { 'content-length': body.length };
  const headers = { ...incoming.headers, ...changes, ...length };
  const outgoing = request({ hostname, port, path: url, method, headers }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(response);
  });
  outgoing.on('error', () => response.destroy());
  if (body) outgoing.end(body);
  else incoming.pipe(outgoing);
}
