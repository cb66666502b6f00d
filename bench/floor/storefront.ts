import { createHmac, timingSafeEqual } from 'node:crypto';
import https from 'node:https';
import type { LambdaFunctionURLEvent } from 'aws-lambda';
import { openAwsService, post } from './aws-request.ts';

/**
 * The least code that can answer `GET me`: check the signature of the app proxy, read the balance in the ledger, and
 * ask the loyalty service whether it still counts the same points.
 */
const dynamoDb = openAwsService('dynamodb', '1.0');
const secrets = openAwsService('secretsmanager', '1.1');
const url = new URL(process.env.LOYALTY_SANDBOX_ADDRESS ?? '');
const http = url.protocol === 'https:' ? https : process.getBuiltinModule('node:http');
const agent = new http.Agent({ keepAlive: true });
const shop = 'example-store';
let webhook: Promise<Secret> | undefined;
let loyalty: Promise<Secret> | undefined;

type Secret = Readonly<Record<'current' | 'token' | 'key', string>>;

export async function handler({ rawQueryString }: LambdaFunctionURLEvent) {
  webhook ??= readSecret('webhook');
  const query = new URLSearchParams(rawQueryString);
  const given = Buffer.from(query.get('signature') ?? '', 'hex');
  query.delete('signature');
  query.sort();
  const text = [...query].map(([key, value]) => `${key}=${value}`).join('');
  const expected = createHmac('sha256', (await webhook).current)
    .update(text)
    .digest();
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) {
    return { statusCode: 401 };
  }
  const CustomerId = query.get('logged_in_customer_id') ?? '';
  loyalty ??= readSecret('loyalty');
  const { token, key } = await loyalty;
  const [{ Item }, offered] = await Promise.all([
    dynamoDb('DynamoDB_20120810.GetItem', {
      TableName: process.env.LEDGER_TABLE,
      Key: { entity: { S: `customer|${shop}.myshopify.com|${CustomerId}` } },
      ConsistentRead: true,
    }),
    post(http, {
      agent,
      url,
      path: '/v1/pvt/POS/rewards/available',
      headers: {
        'content-type': 'application/json',
        authorization: `Basic ${Buffer.from(`${token}:${key}`).toString('base64')}`,
      },
      body: Buffer.from(JSON.stringify({ CustomerId, PurchaseTotal: 0, Products: [] })),
    }),
  ]);
  const { m } = Item as { readonly m: { readonly S: string } };
  const { points, cashback } = JSON.parse(m.S.slice(2));
  if (JSON.parse(offered).AvailablePoints !== Number(points)) return { statusCode: 503 };
  return {
    statusCode: 200,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ points: Number(points), cashback: Number(cashback) }),
  };
}

async function readSecret(purpose: string): Promise<Secret> {
  const SecretId = `${process.env.SECRETS_PREFIX}/${shop}/${purpose}`;
  const { SecretString } = await secrets('secretsmanager.GetSecretValue', { SecretId });
  return JSON.parse(String(SecretString));
}
