import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { SQSClient } from '@aws-sdk/client-sqs';

/** How long one call to AWS may take, attempts and all. */
export interface CallBudget {
  readonly connectMs: number;
  /** From the start of one attempt to the head of its answer, connecting included. */
  readonly attemptMs: number;
  readonly attempts: number;
}

/**
 * The store hangs up after 5 s: two attempts and the pause between them must leave time to answer 503.
 */
export const RECEIVER_BUDGET: CallBudget = { connectMs: 700, attemptMs: 1_500, attempts: 2 };

/** Workers have time, but a batch must return before its function's time-out. */
export const WORKER_BUDGET: CallBudget = { connectMs: 1_000, attemptMs: 3_000, attempts: 3 };

export interface ClientSettings {
  readonly budget: CallBudget;
  /** Only for emulators: otherwise region, credentials and address come from the environment. */
  readonly emulator?: { readonly endpoint: string };
}

export function createSqsClient(settings: ClientSettings): SQSClient {
  return new SQSClient(configure(settings));
}

export function createDynamoDbClient(settings: ClientSettings): DynamoDBClient {
  return new DynamoDBClient(configure(settings));
}

export function createSecretsClient(settings: ClientSettings): SecretsManagerClient {
  return new SecretsManagerClient(configure(settings));
}

function configure({ budget, emulator }: ClientSettings) {
  return {
    maxAttempts: budget.attempts,
    requestHandler: {
      connectionTimeout: budget.connectMs,
      requestTimeout: budget.attemptMs,
      // Without it the SDK only warns and a hanging endpoint holds the function until it is killed.
      throwOnRequestTimeout: true,
      // The time-out above ends with the answer's head: this one ends a body that stops half-way.
      socketTimeout: budget.attemptMs,
    },
    ...(emulator && {
      endpoint: emulator.endpoint,
      region: 'us-east-1',
      credentials: { accessKeyId: 'emulator', secretAccessKey: 'emulator' },
    }),
  };
}
