import { request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import { isLoopbackHost, readBody } from '../../sandbox-kit/http/requests.ts';
import { respond, type Server, startServer } from '../../sandbox-kit/http/server.ts';
import type { AccessControl } from '../iam/access-control.ts';
import { answerIdentity, answerInvocation, type Invoke, refuse } from './answers.ts';
import { type AwsCall, identifyCall, type Place, type Service } from './identify-call.ts';
import { verifySignature } from './signature.ts';

export interface Key {
  readonly secretAccessKey: string;
  /** The role that the key belongs to, or the administrator, who may do everything. */
  readonly caller:
    | { readonly kind: 'administrator' }
    | { readonly kind: 'role'; readonly role: string };
}

export interface GatewayParts {
  readonly place: Place;
  readonly keys: ReadonlyMap<string, Key>;
  readonly access: () => AccessControl;
  /** Where the emulator of a service listens. */
  readonly emulators: Readonly<Record<Exclude<Service, 'lambda' | 'sts'>, string>>;
  readonly invoke: Invoke;
}

/** The address of all AWS services on this machine: checks signatures and the template's permissions. */
export function startGateway(parts: GatewayParts, port: number): Promise<Server> {
  return startServer((request, response) => handle(parts, request, response), port);
}

async function handle(
  parts: GatewayParts,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (!isLoopbackHost(request.headers.host)) {
    return respond(
      response,
      refuse(undefined, 'InvalidClientTokenId', 'The Host header must name this machine.'),
    );
  }
  const body = await readBody(request);
  if (body.kind === 'broken-off') return;
  if (body.kind === 'too-large') {
    return respond(response, refuse(undefined, 'RequestEntityTooLargeException', 'Too large.'));
  }
  const { url: target = '', method = '', headers } = request;
  const [path = ''] = target.split('?');
  const amzTarget = String(headers['x-amz-target'] ?? '');
  const call = identifyCall({ path, amzTarget, body: body.bytes }, parts.place);
  const verified = verifySignature(
    { method, target, headers, body: body.bytes },
    (id) => parts.keys.get(id)?.secretAccessKey,
  );
  const key = verified.kind === 'signed' ? parts.keys.get(verified.accessKeyId) : undefined;
  if (!key) {
    const code =
      verified.kind === 'wrong-signature'
        ? 'InvalidSignatureException'
        : 'UnrecognizedClientException';
    return respond(
      response,
      refuse(call?.service, code, 'The request is not signed with a key of this stack.'),
    );
  }
  if (!call) {
    return respond(
      response,
      refuse(undefined, 'UnknownOperationException', 'This service does not run on this machine.'),
    );
  }
  const denial = findDenial(parts, key, call);
  if (denial) return respond(response, refuse(call.service, 'AccessDeniedException', denial));
  if (call.service === 'lambda') {
    return respond(response, await answerInvocation(parts.invoke, call, headers, body.bytes));
  }
  if (call.service === 'sts') return respond(response, answerIdentity(identityOf(parts, key)));
  await forward(parts.emulators, call.service, request, body.bytes, response);
}

function identityOf({ place }: Pick<GatewayParts, 'place'>, { caller }: Key) {
  const name = caller.kind === 'role' ? caller.role : caller.kind;
  return { arn: `arn:aws:sts::${place.account}:assumed-role/${name}`, userId: name };
}

function findDenial({ access, place }: GatewayParts, key: Key, call: AwsCall): string | undefined {
  if (key.caller.kind === 'administrator') return undefined;
  const { role } = key.caller;
  const { arn, userId } = identityOf({ place }, key);
  for (const resource of call.resources) {
    const { action, items = [] } = call;
    const context = { 'aws:userid': userId };
    const decision = access().decide({ who: role, action, resource, items, context });
    if (decision.kind === 'denied') {
      return (
        `User: ${arn} is not authorized to perform: ` +
        `${call.action} on resource: ${resource} because ${decision.why}`
      );
    }
  }
  return undefined;
}

/** Keeps the Host header: the emulator builds queue addresses from it. */
function forward(
  emulators: GatewayParts['emulators'],
  service: keyof GatewayParts['emulators'],
  { method, url, headers }: IncomingMessage,
  body: Uint8Array,
  response: ServerResponse,
): Promise<void> {
  return new Promise((resolve) => {
    const onward = httpRequest(
      emulators[service],
      { method, path: url, headers: { ...headers, connection: 'close' } },
      (answer) => {
        answer.once('close', resolve);
        if (response.destroyed) return answer.resume();
        const { connection: _, ...kept } = answer.headers;
        response.writeHead(answer.statusCode ?? 502, kept);
        response.once('close', () => answer.resume());
        return answer.pipe(response);
      },
    );
    onward.once('error', () => {
      if (!response.headersSent) {
        respond(response, refuse(undefined, 'ServiceUnavailable', 'The emulator does not answer.'));
      } else response.destroy();
      resolve();
    });
    // A long poll must not receive messages for a client that has gone. Other calls run to their end:
    // dynalite ends the whole process when its database closes under a call (`startDynamoDb`).
    if (service === 'sqs') response.once('close', () => onward.destroy());
    onward.end(body);
  });
}
