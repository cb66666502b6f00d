import { setTimeout as sleep } from 'node:timers/promises';
import { createHttpClient, type HttpAnswer } from '../http/http-client.ts';
import { AwsError, AwsUnanswered } from './aws-error.ts';
import { type AwsCredentials, createSigner } from './aws-signer.ts';

/** An AWS service with the AWS JSON protocol: every call is a POST to `/` with the operation in a header. */
export interface JsonService {
  /** As in its address and in the signature. */
  readonly name: 'sqs' | 'dynamodb' | 'secretsmanager';
  /** As in `AWS_ENDPOINT_URL_<id>`. */
  readonly id: string;
  /** The prefix of the operation in `X-Amz-Target`. */
  readonly target: string;
  readonly contentType: `application/x-amz-json-1.${0 | 1}`;
}

export interface JsonServiceSettings {
  readonly budget: CallBudget;
  readonly region: string;
  /** Instead of AWS's own address: for the local stack and tests. */
  readonly endpointOf: (service: JsonService) => string | undefined;
  readonly credentials: () => AwsCredentials;
  readonly pause?: (milliseconds: number) => Promise<unknown>;
  /** From 0 to below 1. */
  readonly random?: () => number;
}

/**
 * Makes calls in bounded time. Repeating a call is harmless: messages have a deduplication id, writes
 * a condition and an id, and all other calls only read.
 */
export type JsonCall = <Output>(operation: string, input: object) => Promise<Output>;

/** BatchGetItem answers with up to 16 MB of items. */
const MAX_ANSWER_BYTES = 32 * 1024 * 1024;
const FIRST_PAUSE_MS = 100;
const FIRST_PAUSE_WHEN_THROTTLED_MS = 500;

export function createJsonCall(service: JsonService, settings: JsonServiceSettings): JsonCall {
  const { budget, region, pause = sleep, random = Math.random } = settings;
  const endpoint = settings.endpointOf(service) ?? addressOf(service.name, region);
  const { host } = new URL(endpoint);
  const http = createHttpClient(endpoint, {
    connectMs: budget.connectMs,
    maxAnswerBytes: MAX_ANSWER_BYTES,
  });
  const sign = createSigner(service.name, region, settings.credentials);

  async function attempt(operation: string, body: string) {
    const headers = {
      'content-type': service.contentType,
      'user-agent': 'loyalty-connector',
      'x-amz-target': `${service.target}.${operation}`,
    };
    return http.send({
      method: 'POST',
      path: '/',
      headers: sign({ host, headers, body }),
      body,
      timeoutMs: budget.attemptMs,
      repeatable: true,
    });
  }

  return async <Output>(operation: string, input: object) => {
    // As text: Node writes it together with the headers.
    const body = JSON.stringify(input);
    let attempts = 0;
    for (;;) {
      const result = await attempt(operation, body);
      attempts += result.tries;
      if (result.kind === 'answer' && result.status === 200) return outputIn<Output>(result);
      const error =
        result.kind === 'answer'
          ? new AwsError(codeIn(result), result.status, attempts)
          : new AwsUnanswered(result);
      if (attempts >= budget.attempts || !mayPass(error)) throw error;
      const first = isThrottled(error) ? FIRST_PAUSE_WHEN_THROTTLED_MS : FIRST_PAUSE_MS;
      await pause(random() * first * 2 ** (attempts - 1));
    }
  };
}

export function addressOf(service: JsonService['name'], region: string): string {
  return `https://${service}.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}`;
}

function outputIn<Output>({ text }: HttpAnswer): Output {
  try {
    return JSON.parse(text);
  } catch {
    // The error of JSON.parse quotes the text, which may be a secret.
    throw new Error('AWS answered something that is not JSON');
  }
}

/** `com.amazonaws.dynamodb.v20120810#ThrottlingException` */
function codeIn({ text }: HttpAnswer): string {
  try {
    const { __type: type } = JSON.parse(text);
    if (typeof type === 'string') return type.slice(type.indexOf('#') + 1);
  } catch {
    // An answer that is not JSON comes from a proxy or a load balancer, not from the service.
  }
  return 'UnknownError';
}

function mayPass(error: AwsError | AwsUnanswered): boolean {
  if (error instanceof AwsUnanswered) return true;
  return error.$metadata.httpStatusCode >= 500 || isThrottled(error);
}

/** The error codes for throttling in the documentation of these three services. */
const THROTTLED = new Set([
  'LimitExceededException',
  'ProvisionedThroughputExceededException',
  'RequestLimitExceeded',
  'RequestThrottled',
  'Throttling',
  'ThrottlingException',
]);

function isThrottled(error: AwsError | AwsUnanswered): boolean {
  if (error instanceof AwsUnanswered) return false;
  return error.$metadata.httpStatusCode === 429 || THROTTLED.has(error.name);
}

/** How long one call to AWS may take. */
export interface CallBudget {
  readonly connectMs: number;
  /** From the start of one attempt to the end of its answer, including connecting. */
  readonly attemptMs: number;
  readonly attempts: number;
}

/**
 * The store disconnects after 5 s: two attempts and the pause between them must leave time to answer 503.
 */
export const RECEIVER_BUDGET: CallBudget = { connectMs: 700, attemptMs: 1_500, attempts: 2 };

/** A batch must end before the time-out of its function. */
export const WORKER_BUDGET: CallBudget = { connectMs: 1_000, attemptMs: 3_000, attempts: 3 };
