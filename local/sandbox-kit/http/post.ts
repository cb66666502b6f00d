import http, { type OutgoingHttpHeaders } from 'node:http';
import https from 'node:https';

/** How one delivery went. */
export interface Posted {
  readonly durationMs: number;
  /** Absent if no answer came. */
  readonly status?: number;
  /** The beginning of the answer. */
  readonly answer?: string;
  /** Absent when the receiver took it (2xx). */
  readonly problem?: string;
}

/** Long enough to show why the receiver refused it. */
const ANSWER_SHOWN = 500;

/** Posts to any address, over kept connections. */
export class Poster {
  readonly #timeoutMs: number;
  readonly #stopped = new AbortController();
  readonly #plain;
  readonly #secure;

  /** `mostAtOnce`: enough for a burst, few enough not to look like an attack. */
  constructor(timeoutMs: number, mostAtOnce: number) {
    const connections = { keepAlive: true, maxSockets: mostAtOnce };
    this.#timeoutMs = timeoutMs;
    this.#plain = { request: http.request, agent: new http.Agent(connections) };
    this.#secure = { request: https.request, agent: new https.Agent(connections) };
  }

  post(address: string, body: Buffer, headers: OutgoingHttpHeaders): Promise<Posted> {
    const { request, agent } = address.startsWith('https:') ? this.#secure : this.#plain;
    const began = performance.now();
    const timeoutMs = this.#timeoutMs;
    const signal = AbortSignal.any([this.#stopped.signal, AbortSignal.timeout(timeoutMs)]);
    return new Promise((resolve) => {
      const end = (result: Omit<Posted, 'durationMs'>) =>
        resolve({ durationMs: Math.round(performance.now() - began), ...result });
      request(address, {
        method: 'POST',
        agent,
        signal,
        headers: { ...headers, 'Content-Type': 'application/json', 'Content-Length': body.length },
      })
        .on('response', (response) => {
          const status = response.statusCode ?? 0;
          let answer = '';
          const problem = status >= 200 && status < 300 ? {} : { problem: `HTTP ${status}` };
          response
            .setEncoding('utf8')
            .on('data', (text: string) => {
              if (answer.length < ANSWER_SHOWN) answer += text.slice(0, ANSWER_SHOWN);
            })
            .on('error', () => end({ status, problem: 'the answer was cut off' }))
            .on('end', () => end({ status, ...(answer && { answer }), ...problem }));
        })
        .on('error', (error: NodeJS.ErrnoException) => {
          const late = `no answer within ${timeoutMs} ms`;
          end({ problem: signal.aborted ? late : (error.code ?? 'broken') });
        })
        .end(body);
    });
  }

  close(): void {
    this.#stopped.abort();
    this.#plain.agent.destroy();
    this.#secure.agent.destroy();
  }
}
