import type { Agent, IncomingMessage, request as send } from 'node:http';

interface Post {
  readonly agent: Agent;
  readonly url: URL;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** One POST; anything but a 200 rejects. */
export function post(
  http: { readonly request: typeof send },
  { agent, url, path, headers, body }: Post,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const receive = (response: IncomingMessage) => {
      const chunks: Buffer[] = [];
      response
        .on('data', (chunk: Buffer) => chunks.push(chunk))
        .on('end', () => {
          if (response.statusCode === 200) resolve(Buffer.concat(chunks).toString());
          else reject(new Error(`answered with ${response.statusCode}`));
        })
        .on('error', reject);
    };
    const request = http.request(
      {
        agent,
        host: url.hostname,
        port: url.port,
        path,
        method: 'POST',
        headers: { ...headers, 'content-length': body.length },
        timeout: 5_000,
      },
      receive,
    );
    request
      .on('timeout', () => request.destroy(new Error('no answer in time')))
      .on('error', reject)
      .end(body);
  });
}
