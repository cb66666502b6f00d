import type { OutgoingHttpHeaders } from 'node:http';
import type { Answer } from '../../sandbox-kit/http/respond.ts';
import type { Service } from './identify-call.ts';

/** A refusal in the form of the service that it stands for, so that the SDK names it as it would there. */
export function refuse(service: Service | undefined, code: string, message: string): Answer {
  switch (service) {
    case 'sqs': {
      // SQS once spoke another protocol, and its SDK still takes the code of that one from the header.
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
