import { createHmac, timingSafeEqual } from 'node:crypto';
import type { LambdaFunctionURLEvent } from 'aws-lambda';
import { openAwsService } from './aws-request.ts';

/**
 * The least code that can receive a webhook: verify and enqueue. Without retries, metrics, logs, a second
 * secret, other shops and error answers.
 */
const sqs = openAwsService('sqs', '1.0');
const secrets = openAwsService('secretsmanager', '1.1');
let secret: Promise<string> | undefined;

export async function handler({ headers, body = '', isBase64Encoded }: LambdaFunctionURLEvent) {
  const bytes = Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8');
  secret ??= readSecret();
  const expected = createHmac('sha256', await secret)
    .update(bytes)
    .digest();
  const given = Buffer.from(headers['x-shopify-hmac-sha256'] ?? '', 'base64');
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) {
    return { statusCode: 401 };
  }
  const text = isBase64Encoded ? bytes.toString() : body;
  await sqs('AmazonSQS.SendMessage', {
    QueueUrl: process.env.ORDERS_QUEUE_URL,
    MessageBody: text,
    MessageGroupId: /"id":(\d+)/.exec(text)?.[1] ?? 'none',
    MessageDeduplicationId: headers['x-shopify-webhook-id'],
  });
  return { statusCode: 200 };
}

async function readSecret(): Promise<string> {
  const SecretId = `${process.env.SECRETS_PREFIX}/example-store/webhook`;
  const { SecretString } = await secrets('secretsmanager.GetSecretValue', { SecretId });
  return JSON.parse(String(SecretString)).current;
}
