import { BatchGetItemCommand, DynamoDBClient, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { CreateQueueCommand, SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createLedgerTable } from '../../../local/harness/sdk-clients.ts';
import { secretArn, startSecretsEmulator } from '../../../local/secrets-emulator.ts';
import { PLACE, startDynamoDb, startSqs } from '../../../local/stack/emulators.ts';
import { startGateway } from '../../../local/stack/gateway/gateway.ts';
import { AccessControl } from '../../../local/stack/iam/access-control.ts';
import { makeKey } from '../../../local/stack/run-secrets.ts';

const stops: (() => Promise<void>)[] = [];
const operator = makeKey();
const worker = makeKey();
let endpoint = '';
const urlOf = (name: string) => `${endpoint}/${PLACE.account}/${name}.fifo`;
const calls: unknown[] = [];

const allow = (action: string, resource: string) => ({
  effect: 'Allow' as const,
  actions: [action],
  resources: [resource],
  conditions: {},
});

beforeAll(async () => {
  const sqs = await startSqs(undefined);
  const dynamoDb = await startDynamoDb(undefined);
  const secrets = await startSecretsEmulator({ secrets: { mine: '{"a":"b"}', other: '{}' } });
  const access = new AccessControl({
    roles: [
      {
        name: 'worker',
        arn: 'arn:aws:iam::000000000000:role/worker',
        statements: [
          allow('sqs:SendMessage', 'arn:aws:sqs:us-east-1:000000000000:mine.fifo'),
          allow('dynamodb:BatchGetItem', 'arn:aws:dynamodb:us-east-1:000000000000:table/mine'),
          allow('secretsmanager:GetSecretValue', secretArn('mine')),
        ],
      },
    ],
    permissions: [],
    queuePolicies: [],
    tables: [],
  });
  const gateway = await startGateway(
    {
      place: PLACE,
      keys: new Map([
        [operator.accessKeyId, { ...operator, caller: { kind: 'administrator' } }],
        [worker.accessKeyId, { ...worker, caller: { kind: 'role', role: 'worker' } }],
      ]),
      access: () => access,
      emulators: {
        sqs: sqs.endpoint,
        dynamodb: dynamoDb.endpoint,
        secretsmanager: secrets.endpoint,
      },
      linesOf: () => [],
      invoke: (arn, event) => {
        if (!arn.endsWith(':reconcile')) return undefined;
        calls.push(event);
        return Promise.resolve({ kind: 'returned', json: '{"done":true}' });
      },
    },
    0,
  );
  endpoint = gateway.address;
  stops.push(gateway.stop, secrets.stop, dynamoDb.stop, sqs.stop);
  for (const name of ['mine.fifo', 'other.fifo']) {
    await client(SQSClient, operator).send(
      new CreateQueueCommand({ QueueName: name, Attributes: { FifoQueue: 'true' } }),
    );
  }
  await createLedgerTable(client(DynamoDBClient, operator), 'mine');
});
afterAll(async () => {
  for (const stop of stops) await stop();
});

type Settings = {
  endpoint: string;
  region: string;
  credentials: typeof operator;
  maxAttempts: number;
};

function client<Client>(Kind: new (settings: Settings) => Client, credentials: typeof operator) {
  return new Kind({ endpoint, region: PLACE.region, credentials, maxAttempts: 1 });
}

const message = (url: string) =>
  new SendMessageCommand({
    QueueUrl: url,
    MessageBody: 'Grüße, 100 %',
    MessageGroupId: 'g',
    MessageDeduplicationId: crypto.randomUUID(),
  });

describe('the gateway', () => {
  it('forwards the calls that the role may make, to each service', async () => {
    const sent = await client(SQSClient, worker).send(message(urlOf('mine')));
    expect(sent.MessageId).toBeDefined();
    const { Responses } = await client(DynamoDBClient, worker).send(
      new BatchGetItemCommand({ RequestItems: { mine: { Keys: [{ entity: { S: 'x' } }] } } }),
    );
    expect(Responses).toEqual({ mine: [] });
    const { SecretString } = await client(SecretsManagerClient, worker).send(
      new GetSecretValueCommand({ SecretId: 'mine' }),
    );
    expect(SecretString).toBe('{"a":"b"}');
  });

  it('denies the rest in the format of the service, so that the SDK reports the same error as on AWS', async () => {
    await expect(client(SQSClient, worker).send(message(urlOf('other')))).rejects.toMatchObject({
      name: 'AccessDenied',
      message: expect.stringMatching(/sqs:SendMessage on resource: .*other/),
    });
    await expect(
      client(DynamoDBClient, worker).send(
        new PutItemCommand({ TableName: 'mine', Item: { entity: { S: 'x' } } }),
      ),
    ).rejects.toMatchObject({
      name: 'AccessDeniedException',
      message: expect.stringMatching(/dynamodb:PutItem/),
    });
    await expect(
      client(SecretsManagerClient, worker).send(new GetSecretValueCommand({ SecretId: 'other' })),
    ).rejects.toMatchObject({ name: 'AccessDeniedException' });
    await expect(
      client(LambdaClient, worker).send(new InvokeCommand({ FunctionName: 'reconcile' })),
    ).rejects.toMatchObject({ name: 'AccessDeniedException' });
  });

  it('invokes functions for the operator, and waits for them', async () => {
    const { Payload, StatusCode } = await client(LambdaClient, operator).send(
      new InvokeCommand({ FunctionName: 'reconcile', Payload: '{"mode":"deep"}' }),
    );
    expect(StatusCode).toBe(200);
    expect(Payload?.transformToString()).toBe('{"done":true}');
    expect(calls).toEqual([{ mode: 'deep' }]);
    await expect(
      client(LambdaClient, operator).send(new InvokeCommand({ FunctionName: 'nobody' })),
    ).rejects.toMatchObject({ name: 'ResourceNotFoundException' });
  });
});

describe('attempts to use another identity', () => {
  it('with another’s key id but not its secret', async () => {
    const forged = { ...operator, secretAccessKey: worker.secretAccessKey };
    await expect(client(SQSClient, forged).send(message(urlOf('mine')))).rejects.toMatchObject({
      name: 'InvalidSignatureException',
    });
  });

  it('with an unknown key', async () => {
    await expect(client(SQSClient, makeKey()).send(message(urlOf('mine')))).rejects.toMatchObject({
      name: 'UnrecognizedClientException',
    });
  });

  it('without a signature', async () => {
    const answer = await fetch(endpoint, {
      method: 'POST',
      headers: { 'x-amz-target': 'secretsmanager.GetSecretValue' },
      body: '{"SecretId":"mine"}',
    });
    expect(answer.status).toBe(400);
    expect(await answer.text()).not.toContain('{"a":"b"}');
  });

  it('with a signed request whose body was changed', async () => {
    const sqs = client(SQSClient, worker);
    sqs.middlewareStack.add(
      (next) => (args) => {
        const request = args.request as { body: Uint8Array };
        const changed = Buffer.from(request.body).toString().replace('100', '900');
        request.body = Buffer.from(changed);
        return next(args);
      },
      { step: 'finalizeRequest', priority: 'low' },
    );
    await expect(sqs.send(message(urlOf('mine')))).rejects.toMatchObject({
      name: 'InvalidSignatureException',
    });
  });
});
