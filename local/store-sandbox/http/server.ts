import type { IncomingMessage, ServerResponse } from 'node:http';
import { fileURLToPath } from 'node:url';
import {
  commonFiles,
  file,
  type Pages,
  pageAnswer,
  handlePage as servePage,
} from '../../sandbox-kit/http/pages.ts';
import { isLoopbackHost, splitTarget } from '../../sandbox-kit/http/requests.ts';
import {
  type Answer,
  jsonAnswer,
  startServer as listen,
  respond,
  type Server,
} from '../../sandbox-kit/http/server.ts';
import { renderStoreFragment, renderStorePage } from '../pages/store-page.ts';
import type { StoreService } from '../service.ts';
import { handleBulkResult } from './handle-bulk-result.ts';
import { handleControl } from './handle-control.ts';
import { handleGraphql } from './handle-graphql.ts';
import { handleToken } from './handle-token.ts';

export function startServer(service: StoreService, port: number): Promise<Server> {
  return listen((...call) => dispatch(service, ...call), port);
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
  // Shopify answers requests for a retired version with a supported one, named in a header.
  if (/^\/admin\/api\/(?:\d{4}-\d\d|unstable)\/graphql\.json$/.test(rawPath)) {
    if (request.method === 'POST') return handleGraphql(service, request, response, stopped);
    return respond(
      response,
      jsonAnswer(405, { errors: 'This path accepts POST.' }, { allow: 'POST' }),
    );
  }
  if (rawPath === '/admin/oauth/access_token') return handleToken(service, request, response);
  if (rawPath.startsWith('/admin/')) {
    return respond(response, jsonAnswer(404, { errors: 'Not Found' }));
  }
  const [, key] = /^\/bulk-results\/([\w-]{36})\.jsonl$/.exec(rawPath) ?? [];
  if (key !== undefined && request.method === 'GET') {
    return handleBulkResult(service, key, request, response);
  }
  respond(
    response,
    rawPath.startsWith('/sandbox/')
      ? await handleControl(service, request)
      : handlePage(service, request),
  );
}

const asset = (name: string) => fileURLToPath(new URL(`../pages/assets/${name}`, import.meta.url));

const pages: Pages<StoreService> = {
  ...commonFiles,
  '/': (service, address) => pageAnswer(renderStorePage(service, address)),
  '/fragment': (service) => pageAnswer(renderStoreFragment(service)),
  '/assets/store.css': file('text/css', asset('store.css')),
  '/assets/store.js': file('text/javascript', asset('store.js')),
  '/favicon.ico': () => ({ status: 204, body: '' }),
};

function handlePage(service: StoreService, request: IncomingMessage): Answer {
  return servePage(pages, service, request, 'The paths are /, /sandbox/… and /admin/….');
}
