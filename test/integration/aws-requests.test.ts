import { createHash } from 'node:crypto';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  createDynamoDbClient,
  createSecretsClient,
  createSqsClient,
} from '../../local/harness/sdk-clients.ts';
import { type Emulator, listen } from '../../local/stack/emulators.ts';
import { verifySignature } from '../../local/stack/gateway/gateway.ts';
import {
  addressOf,
  createDynamoDbCalls,
  createSecretsCalls,
  createSqsCalls,
  settingsFromEnvironment,
} from '../../shared/aws/aws-client.ts';

/** What reached AWS, byte for byte. */
interface Recorded {
  readonly method: string;
  readonly target: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

let endpoint: Emulator;
const recorded: Recorded[] = [];
beforeAll(async () => {
  endpoint = await listen(
    createServer(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk);
      const { method = '', url: target = '', headers } = request;
      recorded.push({ method, target, headers, body: Buffer.concat(chunks) });
      response.writeHead(200, { 'content-type': 'application/x-amz-json-1.0' }).end('{}');
    }),
  );
});
afterAll(() => endpoint.stop());
beforeEach(() => {
  recorded.length = 0;
});

const budget = { connectMs: 10_000, attemptMs: 10_000, attempts: 1 };
const keys = {
  AWS_ACCESS_KEY_ID: 'AKIAEXAMPLE',
  AWS_SECRET_ACCESS_KEY: 'secret/of+the=role',
  AWS_SESSION_TOKEN: 'token/of+the=role==',
};
const inLambda = (variables: NodeJS.ProcessEnv = {}) =>
  settingsFromEnvironment(budget, {
    AWS_REGION: 'eu-central-1',
    AWS_ENDPOINT_URL: endpoint.endpoint,
    ...keys,
    ...variables,
  });
function theSdk<Client extends { readonly config: object }>(
  create: (settings: { budget: typeof budget; emulator: Emulator }) => Client,
): Client {
  const client = create({ budget, emulator: endpoint });
  Object.assign(client.config, {
    region: async () => 'eu-central-1',
    credentials: async () => ({
      accessKeyId: keys.AWS_ACCESS_KEY_ID,
      secretAccessKey: keys.AWS_SECRET_ACCESS_KEY,
      sessionToken: keys.AWS_SESSION_TOKEN,
    }),
  });
  return client;
}

/**
 * Of the SDK alone: how it names itself and counts, and that it wants the older names of SQS's errors.
 * Of each request: its moment, its signature, and what follows from the order of its fields.
 */
const OWN =
  /^(user-agent|x-amz-user-agent|amz-sdk-.*|x-amzn-query-mode|x-amz-date|authorization|connection|content-length|x-amz-content-sha256)$/;

function meaningOf({ method, target, headers, body }: Recorded) {
  return {
    method,
    target,
    headers: Object.fromEntries(Object.entries(headers).filter(([name]) => !OWN.test(name))),
    input: JSON.parse(body.toString()),
  };
}

function scopeOf({ headers }: Recorded): string {
  return /Credential=[^/]+\/\d{8}\/([^,]+)/.exec(String(headers.authorization))?.[1] ?? '';
}

async function bothSend(ours: () => Promise<unknown>, theirs: () => Promise<unknown>) {
  // Neither holds what was sent, which is no concern here.
  await ours().catch(() => {});
  await theirs().catch(() => {});
  const [one, other] = recorded;
  if (!one || !other || recorded.length > 2) throw new Error('each sends one request');
  return { one, other };
}

/** The same meaning, and a signature that AWS would find to be right. */
function expectSameRequest({ one, other }: { one: Recorded; other: Recorded }): void {
  expect(meaningOf(one)).toStrictEqual(meaningOf(other));
  expect(scopeOf(one)).toBe(scopeOf(other));
  for (const request of [one, other]) {
    expect(verifySignature(request, () => keys.AWS_SECRET_ACCESS_KEY).kind).toBe('signed');
    const hash = createHash('sha256').update(request.body).digest('hex');
    expect(request.headers['x-amz-content-sha256']).toBe(hash);
    expect(Number(request.headers['content-length'])).toBe(request.body.length);
  }
}

describe("a request of the functions' own client is the SDK's", () => {
  const message = (MessageBody: string) => ({
    QueueUrl: 'https://sqs.eu-central-1.amazonaws.com/000000000000/orders.fifo',
    MessageBody,
    MessageGroupId: 'example-store.myshopify.com/order/1',
    MessageDeduplicationId: 'd'.repeat(64),
  });

  it.each([
    ['plain', 'x'],
    ['empty', ''],
    ['what a query would change', 'a+b=c&d %2F;"\\ \t'],
    ['beyond ASCII', 'Camiseta de algodón — 🎁 日本\u2028'],
    ['as long as SQS takes', 'ü'.repeat(500_000)],
  ])('SendMessage with a body that is %s', async (_, body) => {
    const ours = createSqsCalls(inLambda());
    const sdk = theSdk(createSqsClient);
    const attributes = { why: { DataType: 'String', StringValue: 'Não há: 100 % + 1' } };
    const input = { ...message(body), MessageAttributes: attributes };
    expectSameRequest(
      await bothSend(
        () => ours.sendMessage(input),
        () => sdk.sendMessage(input),
      ),
    );
  });

  it('ChangeMessageVisibilityBatch and GetQueueAttributes', async () => {
    const ours = createSqsCalls(inLambda());
    const sdk = theSdk(createSqsClient);
    const { QueueUrl } = message('');
    const entry = { Id: '0', ReceiptHandle: 'AQEB+/==', VisibilityTimeout: 30 };
    const delay = { QueueUrl, Entries: [entry] };
    expectSameRequest(
      await bothSend(
        () => ours.changeMessageVisibilityBatch(delay),
        () => sdk.changeMessageVisibilityBatch(delay),
      ),
    );
    recorded.length = 0;
    const ask = { QueueUrl, AttributeNames: ['ApproximateNumberOfMessages' as const] };
    expectSameRequest(
      await bothSend(
        () => ours.getQueueAttributes(ask),
        () => sdk.getQueueAttributes(ask),
      ),
    );
  });

  it.each(['batchGetItem', 'putItem', 'updateItem', 'query', 'scan'] as const)(
    'DynamoDB, %s',
    async (operation) => {
      const ours = createDynamoDbCalls(inLambda());
      const sdk = theSdk(createDynamoDbClient);
      const key = { entity: { S: 'coupon|example-store.myshopify.com|ÇÃ + 🎁' } };
      const inputs = {
        batchGetItem: { RequestItems: { ledger: { Keys: [key], ConsistentRead: true } } },
        putItem: {
          TableName: 'ledger',
          Item: { ...key, v: { N: '1790000000000' }, u: { BOOL: false } },
          ConditionExpression: '#r = :r',
          ExpressionAttributeNames: { '#r': 'r' },
          ExpressionAttributeValues: { ':r': { N: '4' } },
        },
        updateItem: { TableName: 'ledger', Key: key, UpdateExpression: 'ADD r :one' },
        query: { TableName: 'ledger', IndexName: 'codes', Limit: 200, ExclusiveStartKey: key },
        scan: { TableName: 'ledger', Limit: 200, ExclusiveStartKey: key },
      };
      // One of them at a time, which the types of five together cannot say.
      type Send = (input: unknown) => Promise<unknown>;
      const send = (client: object) => (client as Record<string, Send>)[operation];
      expectSameRequest(
        await bothSend(
          async () => send(ours)?.call(ours, inputs[operation]),
          async () => send(sdk)?.call(sdk, inputs[operation]),
        ),
      );
    },
  );

  it('GetSecretValue', async () => {
    const input = { SecretId: 'loyalty-connector/prod/example-store/webhook' };
    expectSameRequest(
      await bothSend(
        () => createSecretsCalls(inLambda()).getSecretValue(input),
        () => theSdk(createSecretsClient).getSecretValue(input),
      ),
    );
  });

  it('a role without a session, as on one machine', async () => {
    const ours = createSecretsCalls(inLambda({ AWS_SESSION_TOKEN: undefined }));
    await ours.getSecretValue({ SecretId: 'x' });
    expect(recorded[0]?.headers).not.toHaveProperty('x-amz-security-token');
    const [request] = recorded as [Recorded];
    expect(verifySignature(request, () => keys.AWS_SECRET_ACCESS_KEY).kind).toBe('signed');
  });

  it('one service at an address of its own, the others at the common one', async () => {
    const nobody = 'http://127.0.0.1:9';
    const settings = inLambda({
      AWS_ENDPOINT_URL: nobody,
      AWS_ENDPOINT_URL_SQS: endpoint.endpoint,
    });
    await createSqsCalls(settings).getQueueAttributes({ QueueUrl: 'q' });
    expect(recorded).toHaveLength(1);
    const secrets = createSecretsCalls(settings);
    await expect(secrets.getSecretValue({ SecretId: 'x' })).rejects.toMatchObject({
      code: 'ECONNREFUSED',
    });
  });

  it.each(['us-east-1', 'eu-central-1', 'ap-southeast-5', 'us-gov-west-1', 'cn-north-1'])(
    'at the address of each service in %s',
    (region) => {
      const place = { Region: region, UseFIPS: false, UseDualStack: false };
      const addresses = {
        sqs: theSdk(createSqsClient).config.endpointProvider(place),
        dynamodb: theSdk(createDynamoDbClient).config.endpointProvider(place),
        secretsmanager: theSdk(createSecretsClient).config.endpointProvider(place),
      };
      for (const name of ['sqs', 'dynamodb', 'secretsmanager'] as const) {
        expect(new URL(addressOf(name, region)).href).toBe(addresses[name].url.href);
      }
    },
  );
});
