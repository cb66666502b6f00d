import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isLoopbackHost } from '../../sandbox-kit/http/loopback-host.ts';
import { jsonAnswer, respond } from '../../sandbox-kit/http/respond.ts';
import { splitTarget } from '../../sandbox-kit/http/split-target.ts';
import type { StoreService } from '../service.ts';
import { handleControl } from './handle-control.ts';
import { handleGraphql } from './handle-graphql.ts';
import { handlePage } from './handle-page.ts';
import { handleToken } from './handle-token.ts';

export interface Server {
  /** `http://127.0.0.1:4020` */
  readonly address: string;
  /** Ends at once: a call still waiting for something is cut off. */
  stop(): Promise<void>;
}

/** Its secrets guard nothing real, so the sandbox must never be reachable from elsewhere. */
const loopback = '127.0.0.1';

/** Longer than a client's pause between two calls, which would otherwise meet a closing connection. */
const keepAliveTimeoutMs = 60_000;

export async function startServer(service: StoreService, port: number): Promise<Server> {
  const stopped = new AbortController();
  const server = createServer({ keepAliveTimeout: keepAliveTimeoutMs }, (request, response) => {
    dispatch(service, request, response, stopped.signal).catch((error) => {
      if (stopped.signal.aborted) return;
      console.error('The sandbox has a bug.', error);
      if (response.headersSent) response.destroy();
      else respond(response, jsonAnswer(500, { problems: ['The sandbox has a bug.'] }));
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, loopback, () => resolve());
  });
  const { port: actual } = server.address() as AddressInfo;
  return {
    address: `http://${loopback}:${actual}`,
    stop: async () => {
      stopped.abort();
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

async function dispatch(
  service: StoreService,
  request: IncomingMessage,
  response: ServerResponse,
  stopped: AbortSignal,
): Promise<void> {
  const { rawPath } = splitTarget(request.url ?? '');
  if (!isLoopbackHost(request.headers.host)) {
    const problems = ['The Host header names another machine.'];
    return respond(response, jsonAnswer(403, { problems }));
  }
  // A retired version is served from a supported one, so any is taken; a header says which it was.
  if (/^\/admin\/api\/(?:\d{4}-\d\d|unstable)\/graphql\.json$/.test(rawPath)) {
    if (request.method === 'POST') return handleGraphql(service, request, response, stopped);
    return respond(
      response,
      jsonAnswer(405, { errors: 'This path takes POST.' }, { allow: 'POST' }),
    );
  }
  if (rawPath === '/admin/oauth/access_token') return handleToken(service, request, response);
  if (rawPath.startsWith('/admin/')) {
    return respond(response, jsonAnswer(404, { errors: 'Not Found' }));
  }
  respond(
    response,
    rawPath.startsWith('/sandbox/')
      ? await handleControl(service, request)
      : handlePage(service, request),
  );
}
