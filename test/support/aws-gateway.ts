import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { type Emulator, listen } from '../../local/stack/emulators.ts';
import { answerIdentity } from '../../local/stack/gateway/gateway.ts';
import { forwardRequest } from './forward-request.ts';
import { LASTING } from './lasting.ts';

/** Answers for a service that has no emulator. */
export type ScriptedService = (
  request: IncomingMessage & { readonly text: string },
  response: ServerResponse,
) => void;

export const OPERATOR = 'arn:aws:iam::000000000000:user/olivia';

/** STS, for the audit record of a change. */
export const answerCaller: ScriptedService = (_, response) => {
  response.end(answerIdentity({ arn: OPERATOR, userId: 'AIDAOPERATOR' }).body);
};

/**
 * One address for all of AWS, as the operator's commands use it: the scope of a call's signature names the
 * service. `services` are the emulators' addresses by that name.
 */
export function startAwsGateway(
  services: Readonly<Record<string, string | ScriptedService>>,
  faultOf: (operation: string) => 'refused' | 'answer lost' | undefined = () => undefined,
): Promise<Emulator> {
  const server = createServer(LASTING, (incoming, response) => {
    const scope = /Credential=[^/]+\/\d+\/[^/]+\/([^/]+)\//.exec(
      incoming.headers.authorization ?? '',
    );
    const name = scope?.[1] ?? '';
    const target = String(incoming.headers['x-amz-target'] ?? incoming.url);
    const fault = faultOf(`${name} ${target.replace(/^.*\./, '')}`);
    if (fault === 'refused') {
      incoming.resume();
      response.writeHead(400, { 'content-type': 'application/json' });
      return void response.end(JSON.stringify({ __type: 'AccessDeniedException' }));
    }
    if (fault === 'answer lost') {
      const { writeHead } = response;
      response.writeHead = () => writeHead.call(response, 400);
    }
    const service = services[name];
    if (typeof service === 'string') {
      if (name !== 'sqs') return forwardRequest(incoming, response, service);
      return void text(incoming).then((body) =>
        forwardRequest(incoming, response, service, {}, withoutWaiting(body)),
      );
    }
    if (service) {
      return void text(incoming).then((body) =>
        service(Object.assign(incoming, { text: body }), response),
      );
    }
    response.writeHead(400, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ __type: 'AccessDeniedException', message: 'no such service' }));
  });
  return listen(server);
}

/** Unlike SQS, the emulator knows at once that a queue is empty. */
function withoutWaiting(body: string): Buffer {
  return Buffer.from(body.replace(/"WaitTimeSeconds":\d+/, '"WaitTimeSeconds":0'));
}
