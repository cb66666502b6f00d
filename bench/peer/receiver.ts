import '@shopify/shopify-api/adapters/node';
import { Logger } from '@aws-lambda-powertools/logger';
import { injectLambdaContext } from '@aws-lambda-powertools/logger/middleware';
import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import middy from '@middy/core';
import { ApiVersion, shopifyApi } from '@shopify/shopify-api';
import type { LambdaFunctionURLEvent } from 'aws-lambda';

/** A good receiver as the documentation of these libraries shows it. */
const logger = new Logger({ serviceName: 'peer-receiver' });
const sqs = new SQSClient({});
const secrets = new SecretsManagerClient({});
let shopify: Promise<ReturnType<typeof shopifyApi>> | undefined;

async function openShopify() {
  const SecretId = `${process.env.SECRETS_PREFIX}/example-store/webhook`;
  const { SecretString = '' } = await secrets.send(new GetSecretValueCommand({ SecretId }));
  return shopifyApi({
    apiKey: 'peer',
    apiSecretKey: JSON.parse(SecretString).current,
    apiVersion: ApiVersion.July26,
    hostName: 'peer.example.com',
    isEmbeddedApp: false,
    logger: { log: () => {} },
  });
}

async function receive(event: LambdaFunctionURLEvent) {
  const { headers, isBase64Encoded, rawPath } = event;
  const body = event.body ?? '';
  const rawBody = isBase64Encoded ? Buffer.from(body, 'base64').toString() : body;
  shopify ??= openShopify();
  const check = await (await shopify).webhooks.validate({
    rawBody,
    rawRequest: { method: 'POST', url: rawPath, headers } as never,
    rawResponse: {} as never,
  });
  if (!check.valid) {
    logger.warn('refused', { reason: check.reason });
    return { statusCode: 401, body: 'unauthorized' };
  }
  const { topic, domain, webhookId } = check;
  const payload = JSON.parse(rawBody);
  await sqs.send(
    new SendMessageCommand({
      QueueUrl: process.env.ORDERS_QUEUE_URL,
      MessageBody: JSON.stringify({ topic, domain, webhookId, payload }),
      MessageGroupId: `${domain}/${payload.id}`,
      MessageDeduplicationId: webhookId,
    }),
  );
  logger.info('received', { topic, domain, webhookId });
  return { statusCode: 200, body: 'ok' };
}

export const handler = middy(receive).use(injectLambdaContext(logger));
