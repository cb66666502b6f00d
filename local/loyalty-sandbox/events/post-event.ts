import http from 'node:http';
import https from 'node:https';
import type { PointEvent } from './point-event.ts';

export interface EventPost {
  /** Resolves to undefined when the receiver took it (2xx), else to what went wrong. */
  post(address: URL, event: PointEvent): Promise<string | undefined>;
  close(): void;
}

/** Enough for a burst over many customers, few enough not to look like an attack. */
const connections = { keepAlive: true, maxSockets: 16 };

export function createEventPost(timeoutMs: number): EventPost {
  const stopped = new AbortController();
  const plain = { request: http.request, agent: new http.Agent(connections) };
  const secure = { request: https.request, agent: new https.Agent(connections) };

  return {
    post: (address, { topic, payload }) =>
      new Promise((resolve) => {
        const { request, agent } = address.protocol === 'https:' ? secure : plain;
        const body = Buffer.from(JSON.stringify(payload));
        const headers = {
          'content-type': 'application/json',
          'content-length': body.length,
          // Ours: the contract shows no header of a delivery, and the payload does not name its topic.
          'sandbox-topic': topic,
        };
        const signal = AbortSignal.any([stopped.signal, AbortSignal.timeout(timeoutMs)]);
        request(address, { method: 'POST', agent, headers, signal })
          .on('response', (response) => {
            response.on('error', () => {}).resume();
            const status = response.statusCode ?? 0;
            resolve(status >= 200 && status < 300 ? undefined : `HTTP ${status}`);
          })
          .on('error', (error: NodeJS.ErrnoException) => {
            resolve(signal.aborted ? `no answer within ${timeoutMs} ms` : (error.code ?? 'broken'));
          })
          .end(body);
      }),
    close: () => {
      stopped.abort();
      plain.agent.destroy();
      secure.agent.destroy();
    },
  };
}
