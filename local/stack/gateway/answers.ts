import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http';
import type { Answer } from '../../sandbox-kit/http/server.ts';
import type { InvocationResult } from '../functions/function-worker.ts';
import type { AwsCall, Service } from './identify-call.ts';

/** An error answer in the format of the service, so that the SDK reports the same error as on AWS. */
export function refuse(service: Service | undefined, code: string, message: string): Answer {
  switch (service) {
    case 'sqs': {
      // The SDK reads the error code of SQS's older query protocol from this header.
      const queryCode = code === 'AccessDeniedException' ? 'AccessDenied' : code;
      return answer(403, `com.amazon.coral.service#${code}`, message, {
        'x-amzn-query-error': `${queryCode};Sender`,
      });
    }
    case 'lambda':
      return answer(403, code, message, { 'x-amzn-errortype': code });
    case 'dynamodb':
      return answer(400, `com.amazon.coral.service#${code}`, message, {});
    case 'secretsmanager':
    case 'sts':
    case undefined:
      return answer(400, code, message, {});
  }
}

function answer(
  status: number,
  type: string,
  message: string,
  headers: OutgoingHttpHeaders,
): Answer {
  return {
    status,
    headers: { 'content-type': 'application/x-amz-json-1.0', ...headers },
    body: JSON.stringify({ __type: type, message, Message: message }),
  };
}

/** "GetCallerIdentity", STS. */
export function answerIdentity(identity: {
  readonly arn: string;
  readonly userId: string;
}): Answer {
  const result = `<Arn>${identity.arn}</Arn><UserId>${identity.userId}</UserId>`;
  return {
    status: 200,
    headers: { 'content-type': 'text/xml' },
    body: `<GetCallerIdentityResponse><GetCallerIdentityResult>${result}</GetCallerIdentityResult></GetCallerIdentityResponse>`,
  };
}

/** Undefined: there is no such function. */
export type Invoke = (functionArn: string, event: unknown) => Promise<InvocationResult> | undefined;

/** The Invoke operation of Lambda's API, waiting for the result or not (`X-Amz-Invocation-Type`). */
export async function answerInvocation(
  invoke: Invoke,
  { resources: [arn = ''] }: AwsCall,
  headers: IncomingHttpHeaders,
  body: Buffer,
): Promise<Answer> {
  const event = readEvent(body);
  if (event.kind === 'unreadable') {
    return refuse('lambda', 'InvalidRequestContentException', 'The payload is not JSON.');
  }
  const running = invoke(arn, event.value);
  if (!running) return { ...refuse('lambda', 'ResourceNotFoundException', arn), status: 404 };
  const common = { 'content-type': 'application/json', 'x-amzn-requestid': randomUUID() };
  if (headers['x-amz-invocation-type'] === 'Event') {
    return { status: 202, headers: common, body: '' };
  }
  const result = await running;
  switch (result.kind) {
    case 'returned':
      return { status: 200, headers: common, body: result.json };
    case 'failed':
      return {
        status: 200,
        headers: { ...common, 'x-amz-function-error': 'Unhandled' },
        body: JSON.stringify({ errorType: result.errorType, errorMessage: result.errorMessage }),
      };
    case 'throttled':
      return { ...refuse('lambda', 'TooManyRequestsException', 'Rate Exceeded.'), status: 429 };
  }
}

type Event = { readonly kind: 'event'; readonly value: unknown } | { readonly kind: 'unreadable' };

function readEvent(body: Buffer): Event {
  if (body.length === 0) return { kind: 'event', value: {} };
  try {
    return { kind: 'event', value: JSON.parse(body.toString()) };
  } catch {
    return { kind: 'unreadable' };
  }
}
