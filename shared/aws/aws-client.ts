import { createHmac, createSecretKey, hash, type KeyObject } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type {
  BatchGetItemInput,
  BatchGetItemOutput,
  DescribeTableInput,
  PutItemInput,
  QueryInput,
  QueryOutput,
  ScanInput,
  ScanOutput,
  TableDescription,
  UpdateItemInput,
  UpdateItemOutput,
} from '@aws-sdk/client-dynamodb';
import type {
  GetSecretValueRequest,
  GetSecretValueResponse,
} from '@aws-sdk/client-secrets-manager';
import type {
  ChangeMessageVisibilityBatchRequest,
  ChangeMessageVisibilityBatchResult,
  GetQueueAttributesRequest,
  GetQueueAttributesResult,
  SendMessageBatchRequest,
  SendMessageBatchResult,
  SendMessageRequest,
  SendMessageResult,
} from '@aws-sdk/client-sqs';
import { createHttpClient, type HttpAnswer, type HttpFailure } from '../http/http-client.ts';

/** An AWS service with the AWS JSON protocol: every call is a POST to `/` with the operation in a header. */
interface JsonService {
  /** As in its address and in the signature. */
  readonly name: 'sqs' | 'dynamodb' | 'secretsmanager' | 'events' | 'logs';
  /** As in `AWS_ENDPOINT_URL_<id>`. */
  readonly id: string;
  /** The prefix of the operation in `X-Amz-Target`. */
  readonly target: string;
  readonly json: '1.0' | '1.1';
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
type JsonCall = <Output>(operation: string, input: object) => Promise<Output>;

/** BatchGetItem answers with up to 16 MB of items. */
const MAX_ANSWER_BYTES = 32 * 1024 * 1024;
const FIRST_PAUSE_MS = 100;
const FIRST_PAUSE_WHEN_THROTTLED_MS = 500;

function createJsonCall(service: JsonService, settings: JsonServiceSettings): JsonCall {
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
      'content-type': `application/x-amz-json-${service.json}`,
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

interface AwsCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string | undefined;
}

interface SignableRequest {
  /** Host and port, as in the header. */
  readonly host: string;
  /** Names in lower case, values without spaces at their ends. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
}

/** Returns the headers of a POST to `/`, including the signature. */
type Sign = (request: SignableRequest) => Readonly<Record<string, string>>;

const ALGORITHM = 'AWS4-HMAC-SHA256';

/**
 * Signature Version 4, of a POST to `/` without a query: all that the functions send. A test compares it with
 * the signer of AWS's SDK, which is ten times as long and takes four times as long.
 * See docs/decisions/0032-a-cold-start-loads-only-what-an-event-needs.md.
 */
export function createSigner(
  service: string,
  region: string,
  credentials: () => AwsCredentials,
  now = () => new Date(),
): Sign {
  let known: { readonly of: string; readonly key: KeyObject } | undefined;

  /** The same for a whole day. */
  function keyOf(day: string, secret: string): KeyObject {
    const of = `${day} ${secret}`;
    if (known?.of === of) return known.key;
    const key = [day, region, service, 'aws4_request'].reduce(
      (signing, part) => keyFrom(hmac(signing, part).digest()),
      keyFrom(Buffer.from(`AWS4${secret}`)),
    );
    known = { of, key };
    return key;
  }

  return ({ host, headers, body }) => {
    const { accessKeyId, secretAccessKey, sessionToken } = credentials();
    const time = now()
      .toISOString()
      .replaceAll(/[-:]|\.\d+/g, '');
    const day = time.slice(0, 8);
    const bodyHash = sha256(body);
    const sent: Record<string, string> = {
      ...headers,
      host,
      'x-amz-content-sha256': bodyHash,
      'x-amz-date': time,
      ...(sessionToken !== undefined && { 'x-amz-security-token': sessionToken }),
    };
    // Proxies may change the agent's name.
    const names = Object.keys(sent)
      .filter((name) => name !== 'user-agent')
      .sort();
    const signed = names.join(';');
    const lines = names.map((name) => `${name}:${sent[name]}\n`);
    const canonical = `POST\n/\n\n${lines.join('')}\n${signed}\n${bodyHash}`;
    const scope = `${day}/${region}/${service}/aws4_request`;
    const text = `${ALGORITHM}\n${time}\n${scope}\n${sha256(canonical)}`;
    const signature = hmac(keyOf(day, secretAccessKey), text).digest('hex');
    const credential = `${accessKeyId}/${scope}`;
    sent.authorization = `${ALGORITHM} Credential=${credential}, SignedHeaders=${signed}, Signature=${signature}`;
    return sent;
  };
}

/** Node uses a key object four times faster than bytes. */
const keyFrom = (bytes: Uint8Array) => createSecretKey(bytes);
const hmac = (key: KeyObject, text: string) => createHmac('sha256', key).update(text);
const sha256 = (data: string | Uint8Array) => hash('sha256', data);

/** See docs/decisions/0032-a-cold-start-loads-only-what-an-event-needs.md. */
export function createSqsCalls(settings: JsonServiceSettings): SqsCalls {
  const call = createJsonCall(
    { name: 'sqs', id: 'SQS', target: 'AmazonSQS', json: '1.0' },
    settings,
  );
  return {
    async sendMessage(input) {
      const result = await call<SendMessageResult>('SendMessage', input);
      checkHeld(result.MD5OfMessageBody, input.MessageBody);
      return result;
    },
    async sendMessageBatch(input) {
      const result = await call<SendMessageBatchResult>('SendMessageBatch', input);
      for (const { Id, MD5OfMessageBody } of result.Successful ?? []) {
        checkHeld(MD5OfMessageBody, input.Entries?.find((entry) => entry.Id === Id)?.MessageBody);
      }
      return result;
    },
    changeMessageVisibilityBatch: (input) => call('ChangeMessageVisibilityBatch', input),
    getQueueAttributes: (input) => call('GetQueueAttributes', input),
  };
}

function checkHeld(heldMd5: string | undefined, sent = ''): void {
  if (hash('md5', sent) === heldMd5) return;
  throw new Error('SQS stored another text than the message that was sent');
}

export function createDynamoDbCalls(settings: JsonServiceSettings): DynamoDbCalls {
  const call = createJsonCall(
    { name: 'dynamodb', id: 'DYNAMODB', target: 'DynamoDB_20120810', json: '1.0' },
    settings,
  );
  return {
    batchGetItem: (input) => call('BatchGetItem', input),
    putItem: (input) => call('PutItem', input),
    updateItem: (input) => call('UpdateItem', input),
    query: (input) => call('Query', input),
    scan: (input) => call('Scan', input),
    async describeTable(input) {
      const { Table } = await call<{ Table?: { CreationDateTime?: number } }>(
        'DescribeTable',
        input,
      );
      // The protocol has moments as seconds; the SDK makes dates of them.
      const seconds = Table?.CreationDateTime;
      return seconds === undefined ? {} : { Table: { CreationDateTime: new Date(seconds * 1000) } };
    },
  };
}

export function createSecretsCalls(settings: JsonServiceSettings): SecretsCalls {
  const call = createJsonCall(
    { name: 'secretsmanager', id: 'SECRETS_MANAGER', target: 'secretsmanager', json: '1.1' },
    settings,
  );
  return { getSecretValue: (input) => call('GetSecretValue', input) };
}

/** Answers 200 also where some were refused. */
export function createEventsCalls(settings: JsonServiceSettings) {
  const call = createJsonCall(
    { name: 'events', id: 'EVENTBRIDGE', target: 'AWSEvents', json: '1.1' },
    settings,
  );
  return {
    putEvents: (input: { readonly Entries: readonly object[] }) =>
      call<{ readonly FailedEntryCount?: number }>('PutEvents', input),
  };
}

interface LogPage {
  readonly events?: readonly { readonly message?: string }[];
  readonly nextToken?: string;
}

/** A page of lines may be empty and not the last. */
export function createLogsCalls(settings: JsonServiceSettings) {
  const call = createJsonCall(
    { name: 'logs', id: 'CLOUDWATCH_LOGS', target: 'Logs_20140328', json: '1.1' },
    settings,
  );
  return { filterLogEvents: (input: object) => call<LogPage>('FilterLogEvents', input) };
}

/** From the environment variables that Lambda sets: the region and the credentials of the role. */
export function settingsFromEnvironment(
  budget: CallBudget,
  environment: NodeJS.ProcessEnv = process.env,
): JsonServiceSettings {
  const region = environment.AWS_REGION;
  if (!region)
    throw new Error(
      'The environment variable AWS_REGION is missing; Lambda sets it for every function',
    );
  let credentials: AwsCredentials | undefined;
  return {
    budget,
    region,
    // As in the SDK: one address for all services, or one for each.
    endpointOf: ({ id }) => environment[`AWS_ENDPOINT_URL_${id}`] ?? environment.AWS_ENDPOINT_URL,
    credentials: () => (credentials ??= credentialsIn(environment)),
  };
}

function credentialsIn(environment: NodeJS.ProcessEnv): AwsCredentials {
  const { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN } = environment;
  if (!AWS_ACCESS_KEY_ID || !AWS_SECRET_ACCESS_KEY) {
    throw new Error(
      'The AWS credentials are missing in the environment; Lambda sets them for every function',
    );
  }
  return {
    accessKeyId: AWS_ACCESS_KEY_ID,
    secretAccessKey: AWS_SECRET_ACCESS_KEY,
    sessionToken: AWS_SESSION_TOKEN,
  };
}

/** An error answer of AWS, with the fields of an SDK error. */
export class AwsError extends Error {
  readonly $metadata: { readonly httpStatusCode: number; readonly attempts: number };

  /** `code` is AWS's name of the error. Its text is left out, because it may quote the request. */
  constructor(code: string, httpStatusCode: number, attempts: number) {
    super(`AWS answered ${httpStatusCode} ${code}`);
    this.name = code;
    this.$metadata = { httpStatusCode, attempts };
  }
}

/** The last attempt got no complete answer. */
export class AwsUnanswered extends Error {
  override readonly name = 'AwsUnanswered';
  readonly code: string;

  constructor({ reason, phase, code }: HttpFailure) {
    super(`AWS did not answer: ${reason} while ${phase}`);
    this.code = code ?? reason;
  }
}

/** Defined if DynamoDB refused a write because of its condition. */
export function failedCondition(error: unknown): { readonly attempts: number } | undefined {
  if (!(error instanceof Error) || error.name !== 'ConditionalCheckFailedException') {
    return undefined;
  }
  const { $metadata } = error as { $metadata?: { attempts?: number } };
  return { attempts: $metadata?.attempts ?? 1 };
}

/**
 * The calls to AWS, as a part of the SDK's client of each service: the command line passes the SDK's
 * client, the functions pass one of this file, because the SDK would be most of their bundle.
 */
export interface SqsCalls {
  /** Both reject if SQS returns the checksum of another text. */
  sendMessage(input: SendMessageRequest): Promise<SendMessageResult>;
  sendMessageBatch(input: SendMessageBatchRequest): Promise<SendMessageBatchResult>;
  changeMessageVisibilityBatch(
    input: ChangeMessageVisibilityBatchRequest,
  ): Promise<ChangeMessageVisibilityBatchResult>;
  getQueueAttributes(input: GetQueueAttributesRequest): Promise<GetQueueAttributesResult>;
}

export interface DynamoDbCalls {
  batchGetItem(input: BatchGetItemInput): Promise<BatchGetItemOutput>;
  putItem(input: PutItemInput): Promise<unknown>;
  updateItem(input: UpdateItemInput): Promise<Pick<UpdateItemOutput, 'Attributes'>>;
  query(input: QueryInput): Promise<QueryOutput>;
  scan(input: ScanInput): Promise<ScanOutput>;
  describeTable(
    input: DescribeTableInput,
  ): Promise<{ readonly Table?: Pick<TableDescription, 'CreationDateTime'> | undefined }>;
}

export interface SecretsCalls {
  getSecretValue(
    input: GetSecretValueRequest,
  ): Promise<Pick<GetSecretValueResponse, 'SecretString'>>;
}
