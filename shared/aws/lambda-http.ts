import type { LambdaFunctionURLEvent, LambdaFunctionURLResult } from 'aws-lambda';

/** A request as any receiver wants it: the raw bytes, because they are what was signed. */
export interface HttpRequest {
  readonly method: string;
  readonly path: string;
  /** As sent, without the question mark. */
  readonly query: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: Uint8Array;
}

/** Function URLs and HTTP APIs share this event. Which bodies come in base64 is up to Lambda. */
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

/** An answer that has headers of its own. */
export function toLambdaResponse(answer: {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}): LambdaFunctionURLResult {
  return { statusCode: answer.status, headers: { ...answer.headers }, body: answer.body };
}
