import {
  CreateTableCommand,
  DynamoDB,
  type DynamoDBClient,
  waitUntilTableExists,
} from '@aws-sdk/client-dynamodb';
import { SecretsManager } from '@aws-sdk/client-secrets-manager';
import { CreateQueueCommand, SQS, type SQSClient } from '@aws-sdk/client-sqs';
import type { CallBudget } from '../../shared/aws/aws-client.ts';
import { DEAD_LETTERS_INDEX, ITEM, LISTING_INDEX } from '../../shared/aws/ledger-item.ts';

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
      // Without it the SDK only warns, and a hanging endpoint blocks the function until its time-out.
      throwOnRequestTimeout: true,
      // The time-out above ends with the headers of the answer; this one covers the body.
      socketTimeout: budget.attemptMs,
    },
    ...(emulator && {
      endpoint: emulator.endpoint,
      region: 'us-east-1',
      credentials: { accessKeyId: 'emulator', secretAccessKey: 'emulator' },
    }),
  };
}

/** Returns the queue's URL. */
export async function createFifoQueue(client: SQSClient, name: string): Promise<string> {
  const { QueueUrl: url } = await client.send(
    new CreateQueueCommand({ QueueName: `${name}.fifo`, Attributes: { FifoQueue: 'true' } }),
  );
  if (url === undefined) throw new Error(`the emulator made no queue ${name}`);
  return url;
}

/** The ledger's table as it is deployed, except for what dynalite has not (TTL). */
export async function createLedgerTable(client: DynamoDBClient, table: string): Promise<void> {
  await client.send(
    new CreateTableCommand({
      TableName: table,
      AttributeDefinitions: [
        { AttributeName: ITEM.key, AttributeType: 'S' },
        { AttributeName: ITEM.listing, AttributeType: 'S' },
        { AttributeName: ITEM.letterList, AttributeType: 'S' },
        { AttributeName: ITEM.letterPlace, AttributeType: 'S' },
      ],
      KeySchema: [{ AttributeName: ITEM.key, KeyType: 'HASH' }],
      GlobalSecondaryIndexes: [
        {
          IndexName: LISTING_INDEX,
          KeySchema: [{ AttributeName: ITEM.listing, KeyType: 'HASH' }],
          Projection: { ProjectionType: 'INCLUDE', NonKeyAttributes: [ITEM.listedId] },
        },
        {
          IndexName: DEAD_LETTERS_INDEX,
          KeySchema: [
            { AttributeName: ITEM.letterList, KeyType: 'HASH' },
            { AttributeName: ITEM.letterPlace, KeyType: 'RANGE' },
          ],
          Projection: {
            ProjectionType: 'INCLUDE',
            NonKeyAttributes: [ITEM.remembered, ITEM.format, ITEM.expiresAt],
          },
        },
      ],
      BillingMode: 'PAY_PER_REQUEST',
    }),
  );
  await waitUntilTableExists({ client, minDelay: 1, maxWaitTime: 10 }, { TableName: table });
}
