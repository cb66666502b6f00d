import { setTimeout as sleep } from 'node:timers/promises';
import { AwsError } from './aws-error.ts';
import { type AwsCredentials, createSigner } from './aws-signer.ts';
import type { CallBudget } from './call-budget.ts';
import { createPoster, type PostedAnswer } from './post-once.ts';

/** A service of AWS that speaks AWS JSON: every call is a POST to `/` that names its operation. */
export interface JsonService {
  /** As in its address and in the signature. */
  readonly name: 'sqs' | 'dynamodb' | 'secretsmanager';
  /** As in `AWS_ENDPOINT_URL_<id>`. */
  readonly id: string;
  /** Stands before the operation in `X-Amz-Target`. */
  readonly target: string;
  readonly contentType: `application/x-amz-json-1.${0 | 1}`;
}

export interface JsonServiceSettings {
  readonly budget: CallBudget;
  readonly region: string;
  /** In place of AWS's own address: on one machine, for tests. */
  readonly endpointOf: (service: JsonService) => string | undefined;
  readonly credentials: () => AwsCredentials;
  readonly pause?: (milliseconds: number) => Promise<unknown>;
  /** From 0 to below 1. */
  readonly random?: () => number;
}

/**
 * Makes calls in bounded time. Repeating is harmless: a message has its deduplication id, a write its
 * condition and its id, and everything else reads.
 */
export type JsonCall = <Output>(operation: string, input: object) => Promise<Output>;

const FIRST_PAUSE_MS = 100;
const FIRST_PAUSE_WHEN_THROTTLED_MS = 500;

export function createJsonCall(service: JsonService, settings: JsonServiceSettings): JsonCall {
  const { budget, region, pause = sleep, random = Math.random } = settings;
  const poster = createPoster(
    settings.endpointOf(service) ?? addressOf(service.name, region),
    budget,
  );
  const sign = createSigner(service.name, region, settings.credentials);

  async function attempt(operation: string, body: Uint8Array): Promise<PostedAnswer> {
    const headers = {
      'content-type': service.contentType,
      'user-agent': 'loyalty-connector',
      'x-amz-target': `${service.target}.${operation}`,
    };
    return poster.post(await sign({ host: poster.host, headers, body }), body);
  }

  return async <Output>(operation: string, input: object) => {
    const body = Buffer.from(JSON.stringify(input));
    for (let attempts = 1; ; attempts += 1) {
      const answer = await attempt(operation, body).catch((fault: unknown) => {
        // Lambda froze, the service closed what was idle: none of the other connections is better.
        poster.dropIdle();
        if (attempts >= budget.attempts) throw fault;
      });
      if (answer?.status === 200) return outputIn<Output>(answer);
      const error = answer && new AwsError(codeIn(answer), answer.status, attempts);
      if (error && (attempts >= budget.attempts || !mayPass(error))) throw error;
      const first = error && isThrottled(error) ? FIRST_PAUSE_WHEN_THROTTLED_MS : FIRST_PAUSE_MS;
      await pause(random() * first * 2 ** (attempts - 1));
    }
  };
}

export function addressOf(service: JsonService['name'], region: string): string {
  return `https://${service}.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}`;
}

function outputIn<Output>({ text }: PostedAnswer): Output {
  try {
    return JSON.parse(text);
  } catch {
    // The engine's own error quotes the text, which may be a secret.
    throw new Error('AWS answered something that is not JSON');
  }
}

/** `com.amazonaws.dynamodb.v20120810#ThrottlingException` */
function codeIn({ text }: PostedAnswer): string {
  try {
    const { __type: type } = JSON.parse(text);
    if (typeof type === 'string') return type.slice(type.indexOf('#') + 1);
  } catch {
    // What is not JSON is no answer of the service, but of something before it.
  }
  return 'UnknownError';
}

function mayPass(error: AwsError): boolean {
  return error.$metadata.httpStatusCode >= 500 || isThrottled(error);
}

/** The names that these three services have for it, in their documentation of common errors. */
const THROTTLED = new Set([
  'LimitExceededException',
  'ProvisionedThroughputExceededException',
  'RequestLimitExceeded',
  'RequestThrottled',
  'Throttling',
  'ThrottlingException',
]);

function isThrottled({ name, $metadata }: AwsError): boolean {
  return $metadata.httpStatusCode === 429 || THROTTLED.has(name);
}
