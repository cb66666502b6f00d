import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

interface ReceivedWebhook {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

export interface WebhookReceiver {
  readonly address: string;
  readonly received: ReceivedWebhook[];
  /** What the next ones are answered with; undefined leaves them without an answer. */
  answer: (webhook: ReceivedWebhook) => number | undefined;
  topics(): string[];
  stop(): Promise<void>;
}

export async function startReceiver(): Promise<WebhookReceiver> {
  const received: ReceivedWebhook[] = [];
  const receiver: Pick<WebhookReceiver, 'answer'> = { answer: () => 200 };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request
      .on('data', (chunk: Buffer) => chunks.push(chunk))
      .on('end', () => {
        const { url: path = '', headers } = request;
        const webhook = { path, headers, body: Buffer.concat(chunks) };
        received.push(webhook);
        const status = receiver.answer(webhook);
        if (status !== undefined) response.writeHead(status).end(`answer ${status}`);
      });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
  const { port } = server.address() as AddressInfo;
  return Object.assign(receiver, {
    address: `http://127.0.0.1:${port}/webhooks/sandbox`,
    received,
    topics: () =>
      received.map(({ headers }) =>
        headers['shopify-topic']
          ? `${headers['shopify-topic']}/${headers['shopify-action']}`
          : String(headers['x-shopify-topic']),
      ),
    stop: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  });
}
