import { processPartialResponse, SqsFifoPartialProcessorAsync } from '@aws-lambda-powertools/batch';
import { IdempotencyConfig, makeIdempotent } from '@aws-lambda-powertools/idempotency';
import { DynamoDBPersistenceLayer } from '@aws-lambda-powertools/idempotency/dynamodb';
import { Logger } from '@aws-lambda-powertools/logger';
import { injectLambdaContext } from '@aws-lambda-powertools/logger/middleware';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { DynamoDBDocumentClient, GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import middy from '@middy/core';
import type { Context, SQSEvent, SQSRecord } from 'aws-lambda';
import { type OrderPayload, plainOrder } from '../variants/plain-order.ts';

/**
 * A good worker with today's libraries: Powertools' FIFO processor for partial failures, its idempotency
 * for repeated deliveries, and the last state of each order in a table, so that an older state does not
 * replace a newer one.
 */
interface Message {
  readonly topic: string;
  readonly domain: string;
  readonly webhookId: string;
  readonly payload: OrderPayload;
}

const logger = new Logger({ serviceName: 'peer-worker' });
const client = new DynamoDBClient({});
const documents = DynamoDBDocumentClient.from(client);
const secrets = new SecretsManagerClient({});
const processor = new SqsFifoPartialProcessorAsync();
const idempotency = new IdempotencyConfig({ eventKeyJmesPath: 'webhookId' });
const persistenceStore = new DynamoDBPersistenceLayer({
  tableName: process.env.IDEMPOTENCY_TABLE ?? '',
  awsSdkV3Client: client,
});
const TableName = process.env.LEDGER_TABLE;
let authorization: Promise<string> | undefined;

async function readCredentials(): Promise<string> {
  const SecretId = `${process.env.SECRETS_PREFIX}/example-store/loyalty`;
  const { SecretString = '' } = await secrets.send(new GetSecretValueCommand({ SecretId }));
  const { token, key } = JSON.parse(SecretString);
  return `Basic ${Buffer.from(`${token}:${key}`).toString('base64')}`;
}

async function apply({ domain, webhookId, payload }: Message) {
  const entity = `order|${domain}|${payload.id}`;
  const { Item } = await documents.send(
    new GetCommand({ TableName, Key: { entity }, ConsistentRead: true }),
  );
  const version = Date.parse(payload.updated_at);
  if (Item && Item.v >= version) return { outcome: 'superseded' };
  authorization ??= readCredentials();
  const response = await fetch(`${process.env.LOYALTY_SANDBOX_ADDRESS}/v1/pvt/POS/orders`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: await authorization },
    body: JSON.stringify(plainOrder(payload)),
    signal: AbortSignal.timeout(10_000),
  });
  if (!response.ok) throw new Error(`the service answered ${response.status}`);
  const { HasError } = (await response.json()) as { readonly HasError: boolean };
  if (HasError !== false) throw new Error('the service refused the order');
  await documents.send(
    new PutCommand({
      TableName,
      Item: { entity, v: version, at: new Date().toISOString() },
      ConditionExpression: 'attribute_not_exists(v) OR v < :v',
      ExpressionAttributeValues: { ':v': version },
    }),
  );
  logger.info('applied', { entity, webhookId });
  return { outcome: 'applied' };
}

const applyOnce = makeIdempotent(apply, { persistenceStore, config: idempotency });

async function work(event: SQSEvent, context: Context) {
  idempotency.registerLambdaContext(context);
  const settle = (record: SQSRecord) => applyOnce(JSON.parse(record.body) as Message);
  return processPartialResponse(event, settle, processor, {
    context,
    throwOnFullBatchFailure: false,
  });
}

export const handler = middy(work).use(injectLambdaContext(logger));
