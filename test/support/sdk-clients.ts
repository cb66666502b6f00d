import { DynamoDB } from '@aws-sdk/client-dynamodb';
import { SecretsManager } from '@aws-sdk/client-secrets-manager';
import { SQS } from '@aws-sdk/client-sqs';
import type { CallBudget } from '../../shared/aws/call-budget.ts';

export interface ClientSettings {
  readonly budget: CallBudget;
  /** Only for emulators: otherwise region, credentials and address come from the environment. */
  readonly emulator?: { readonly endpoint: string };
}

export function createSqsClient(settings: ClientSettings): SQS {
  return new SQS(configure(settings));
}

export function createDynamoDbClient(settings: ClientSettings): DynamoDB {
  return new DynamoDB(configure(settings));
}

export function createSecretsClient(settings: ClientSettings): SecretsManager {
  return new SecretsManager(configure(settings));
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
