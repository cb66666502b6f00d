import { createHash } from 'node:crypto';
import type { SendMessageBatchResult, SendMessageResult } from '@aws-sdk/client-sqs';
import type { DynamoDbCalls, SecretsCalls, SqsCalls } from './aws-calls.ts';
import type { AwsCredentials } from './aws-signer.ts';
import {
  type CallBudget,
  createJsonCall,
  type JsonService,
  type JsonServiceSettings,
} from './json-service.ts';

const SQS: JsonService = {
  name: 'sqs',
  id: 'SQS',
  target: 'AmazonSQS',
  contentType: 'application/x-amz-json-1.0',
};
const DYNAMODB: JsonService = {
  name: 'dynamodb',
  id: 'DYNAMODB',
  target: 'DynamoDB_20120810',
  contentType: 'application/x-amz-json-1.0',
};
const SECRETS_MANAGER: JsonService = {
  name: 'secretsmanager',
  id: 'SECRETS_MANAGER',
  target: 'secretsmanager',
  contentType: 'application/x-amz-json-1.1',
};

/** See docs/decisions/0032-a-cold-start-loads-only-what-an-event-needs.md. */
export function createSqsCalls(settings: JsonServiceSettings): SqsCalls {
  const call = createJsonCall(SQS, settings);
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
  if (createHash('md5').update(sent).digest('hex') === heldMd5) return;
  throw new Error('SQS stored another text than the message that was sent');
}

export function createDynamoDbCalls(settings: JsonServiceSettings): DynamoDbCalls {
  const call = createJsonCall(DYNAMODB, settings);
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
  const call = createJsonCall(SECRETS_MANAGER, settings);
  return { getSecretValue: (input) => call('GetSecretValue', input) };
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
