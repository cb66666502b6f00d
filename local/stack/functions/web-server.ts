import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { readBody } from '../../sandbox-kit/http/requests.ts';
import {
  type Answer,
  jsonAnswer,
  respond,
  type Server,
  startServer,
} from '../../sandbox-kit/http/server.ts';
import { PLACE } from '../emulators.ts';
import type { AccessControl } from '../iam/access-control.ts';
import type { FunctionDescription, WebDescription } from '../template/describe-resources.ts';
import type { InvocationResult } from './function-worker.ts';

export interface WebRequest {
  readonly method: string;
  /** Path and query, as they were sent. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: Buffer;
}

/**
 * Bodies of these types are text; all others are base64, including forms and bodies without a type.
 * AWS does not document the list; it was measured on payloads of format 2.0.
 */
const TEXT = /^(?:text\/.*|application\/(?:json|xml|javascript))\s*(?:;|$)/i;

/** Of the event that a function URL or an HTTP API creates from a request (payload format 2.0), what the functions read. */
export function toHttpEvent({ target, headers, method, body }: WebRequest, routeKey: string) {
  const [rawPath = '/', rawQueryString = ''] = target.split('?');
  const joined = Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      // Headers of one name are joined; cookies have a field of their own.
      value === undefined || name === 'cookie' ? [] : [[name, [value].flat().join(',')]],
    ),
  );
  return {
    routeKey,
    rawPath,
    rawQueryString,
    headers: joined,
    requestContext: { http: { method } },
    ...bodyFields(joined['content-type'], body),
  };
}

function bodyFields(contentType: string | undefined, body: Buffer) {
  if (body.length === 0) return { isBase64Encoded: false };
  return TEXT.test(contentType ?? '')
    ? { body: body.toString('utf8'), isBase64Encoded: false }
    : { body: body.toString('base64'), isBase64Encoded: true };
}

/** What the client receives: the function's answer, or AWS's own. */
export function toHttpAnswer(result: InvocationResult): Answer {
  switch (result.kind) {
    case 'throttled':
      return plain(429, 'Too Many Requests');
    case 'failed':
      // AWS does not say whether the function threw, crashed or timed out.
      return plain(502, 'Internal Server Error');
    case 'returned':
      return readAnswer(JSON.parse(result.json));
  }
}

function readAnswer(value: unknown): Answer {
  if (typeof value !== 'object' || value === null || !('statusCode' in value)) {
    // A bare value is the body of a success.
    const body = typeof value === 'string' ? value : JSON.stringify(value);
    return { status: 200, headers: { 'content-type': 'application/json' }, body };
  }
  const { statusCode, headers, body, isBase64Encoded } = value as {
    readonly statusCode: unknown;
    readonly headers?: OutgoingHttpHeaders;
    readonly body?: unknown;
    readonly isBase64Encoded?: boolean;
  };
  const text = typeof body === 'string' ? body : '';
  return {
    status: Number(statusCode),
    headers: { ...headers },
    body: isBase64Encoded ? Buffer.from(text, 'base64') : text,
  };
}

function plain(status: number, text: string): Answer {
  return { status, headers: { 'content-type': 'application/json' }, body: `{"Message":"${text}"}` };
}

/** Whether a route of an HTTP API (`POST /{shop}`) matches; a part in braces matches any one part. */
function matchesRoute(route: string, method: string, path: string): boolean {
  const [wantedMethod, pattern = ''] = route.split(' ');
  const wanted = pattern.split('/');
  const parts = path.split('/');
  return (
    wantedMethod === method &&
    wanted.length === parts.length &&
    wanted.every((part, n) => (/^\{\w+\}$/.test(part) ? parts[n] !== '' : part === parts[n]))
  );
}

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
  const may = (who: string, action: string, context: Readonly<Record<string, string>>) =>
    access.decide({ who, action, resource: arn, context }).kind === 'allowed';
  if (web.kind === 'http-api') {
    const { region, account } = PLACE;
    const path = web.route.replace(' ', '');
    const route = `arn:aws:execute-api:${region}:${account}:${web.apiId}/$default/${path}`;
    return may('apigateway.amazonaws.com', 'lambda:InvokeFunction', { 'aws:SourceArn': route });
  }
  const context = { 'lambda:FunctionUrlAuthType': 'NONE', 'lambda:InvokedViaFunctionUrl': 'true' };
  return (
    may('*', 'lambda:InvokeFunctionUrl', context) && may('*', 'lambda:InvokeFunction', context)
  );
}
