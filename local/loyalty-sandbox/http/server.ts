import type { IncomingMessage, ServerResponse } from 'node:http';
import { isLoopbackHost } from '../../sandbox-kit/http/requests.ts';
import {
  jsonAnswer,
  startServer as listen,
  respond,
  type Server,
} from '../../sandbox-kit/http/server.ts';
import type { Service } from '../service.ts';
import { handleCall } from './handle-call.ts';
import { handleControl } from './handle-control.ts';
import { handlePage } from './handle-page.ts';

export function startServer(service: Service, port: number): Promise<Server> {
  return listen((...call) => dispatch(service, ...call), port);
}

async function dispatch(
  service: Service,
  request: IncomingMessage,
  response: ServerResponse,
  stopped: AbortSignal,
): Promise<void> {
  const { url = '' } = request;
  if (/^\/v1(?:[/?]|$)/.test(url)) return handleCall(service, request, response, stopped);
  if (!isLoopbackHost(request.headers.host)) {
    return respond(
      response,
      jsonAnswer(403, { problems: ['The Host header names another machine.'] }),
    );
  }
  const isControl = url.startsWith('/sandbox/');
  respond(
    response,
    isControl ? await handleControl(service, request) : await handlePage(service, request),
  );
}
