import type { IncomingMessage, ServerResponse } from 'node:http';
import { readBody } from '../../sandbox-kit/http/requests.ts';
import { jsonAnswer, respond, type Server, startServer } from '../../sandbox-kit/http/server.ts';
import { PLACE } from '../emulators.ts';
import type { AccessControl } from '../iam/access-control.ts';
import type { FunctionDescription, WebDescription } from '../template/stack-description.ts';
import type { InvocationResult } from './function-worker.ts';
import { matchesRoute, toHttpAnswer, toHttpEvent } from './http-event.ts';

export interface PublicEndpoint {
  readonly web: WebDescription;
  readonly target: FunctionDescription;
  readonly access: () => AccessControl;
  readonly invoke: (event: unknown) => Promise<InvocationResult>;
}

/** Lambda's limit for a synchronous invocation. */
const LARGEST_EVENT_BYTES = 6 * 1024 * 1024;

/**
 * A public address of the stack. It listens before the function behind it is known, because the
 * template is resolved with this address.
 */
export function startWebServer(
  endpoint: () => PublicEndpoint | undefined,
  port: number,
): Promise<Server> {
  return startServer(async (request, response) => {
    const found = endpoint();
    if (found) await handle(found, request, response);
    else respond(response, jsonAnswer(503, { Message: 'The stack is starting.' }));
  }, port);
}

async function handle(
  { web, target, access, invoke }: PublicEndpoint,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const body = await readBody(request);
  if (body.kind === 'broken-off') return;
  const { method = 'GET', url: address = '/' } = request;
  const [path = ''] = address.split('?');
  if (web.kind === 'http-api' && !matchesRoute(web.route, method, path)) {
    return respond(response, jsonAnswer(404, { message: 'Not Found' }));
  }
  if (!mayInvoke(web, target, access())) {
    return respond(response, jsonAnswer(403, { Message: 'Forbidden' }));
  }
  const event =
    body.kind === 'too-large'
      ? undefined
      : toHttpEvent(
          {
            method,
            target: address,
            headers: request.headersDistinct,
            body: body.bytes,
            sourceIp: request.socket.remoteAddress ?? '127.0.0.1',
            at: new Date(),
          },
          web.kind === 'http-api' ? web.route : '$default',
        );
  if (!event || Buffer.byteLength(JSON.stringify(event)) > LARGEST_EVENT_BYTES) {
    return respond(response, jsonAnswer(413, { Message: 'Request Too Large' }));
  }
  respond(response, toHttpAnswer(await invoke(event)));
}

/** A function URL needs both permissions; an HTTP API is a service that invokes the function. */
function mayInvoke(
  web: WebDescription,
  { arn }: FunctionDescription,
  access: AccessControl,
): boolean {
  if (web.kind === 'http-api') {
    const { region, account } = PLACE;
    const path = web.route.replace(' ', '');
    const route = `arn:aws:execute-api:${region}:${account}:${web.apiId}/$default/${path}`;
    const source = { 'aws:SourceArn': route };
    const who = 'apigateway.amazonaws.com';
    return isAllowed(access, who, 'lambda:InvokeFunction', arn, source);
  }
  const context = { 'lambda:FunctionUrlAuthType': 'NONE', 'lambda:InvokedViaFunctionUrl': 'true' };
  return (
    isAllowed(access, '*', 'lambda:InvokeFunctionUrl', arn, context) &&
    isAllowed(access, '*', 'lambda:InvokeFunction', arn, context)
  );
}

function isAllowed(
  access: AccessControl,
  who: string,
  action: string,
  resource: string,
  context: Readonly<Record<string, string>>,
): boolean {
  return access.decide({ who, action, resource, context }).kind === 'allowed';
}
