import type {
  LambdaFunctionURLEvent,
  LambdaFunctionURLResult,
  SQSBatchResponse,
  SQSEvent,
} from 'aws-lambda';
import type { ReceivedMessage } from '../core/events/event.ts';

/** The body as raw bytes, because senders sign the bytes. */
export interface HttpRequest {
  readonly method: string;
  readonly path: string;
  /** As sent, without the question mark. */
  readonly query: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: Uint8Array;
}

/** Function URLs and HTTP APIs use the same event. Lambda decides which bodies are base64. */
export function toHttpRequest(event: LambdaFunctionURLEvent): HttpRequest {
  return {
    method: event.requestContext.http.method,
    path: event.rawPath,
    query: event.rawQueryString,
    headers: event.headers,
    body: Buffer.from(event.body ?? '', event.isBase64Encoded ? 'base64' : 'utf8'),
  };
}

export function toLambdaAnswer(answer: {
  readonly status: number;
  readonly text: string;
}): LambdaFunctionURLResult {
  return {
    statusCode: answer.status,
    headers: { 'content-type': 'text/plain; charset=utf-8' },
    body: `${answer.text}\n`,
  };
}

export function toLambdaResponse(answer: {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}): LambdaFunctionURLResult {
  return { statusCode: answer.status, headers: { ...answer.headers }, body: answer.body };
}

export function toMessages(event: SQSEvent): readonly ReceivedMessage[] {
  return event.Records.map(({ messageId, receiptHandle, body, attributes }) => ({
    messageId,
    receiptHandle,
    body,
    // Always set on a FIFO queue; elsewhere every message is its own group.
    groupId: attributes.MessageGroupId ?? messageId,
    attempts: Number(attributes.ApproximateReceiveCount),
    sequenceNumber: attributes.SequenceNumber ?? '0',
  }));
}

/** Lambda deletes all other messages from the queue. */
export function toBatchResponse(left: readonly string[]): SQSBatchResponse {
  return { batchItemFailures: left.map((itemIdentifier) => ({ itemIdentifier })) };
}
