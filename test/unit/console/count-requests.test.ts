import { createServer } from 'node:http';
import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { CloudWatchClient, GetMetricDataCommand } from '@aws-sdk/client-cloudwatch';
import { DynamoDB } from '@aws-sdk/client-dynamodb';
import { SecretsManager } from '@aws-sdk/client-secrets-manager';
import { SQS } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Emulator, listen } from '../../../local/stack/emulators.ts';
import { countRequests } from '../../../scripts/connector/console/count-requests.ts';
import { awsSettings } from '../../../scripts/connector/deployment/deployment.ts';

let endpoint: Emulator;
let answers: { readonly status: number; readonly body: string }[] = [];
const ports = new Set<number | undefined>();
beforeAll(async () => {
  endpoint = await listen(
    createServer(async (request, response) => {
      ports.add(request.socket.remotePort);
      for await (const _ of request);
      const { status, body } = answers.shift() ?? { status: 200, body: '{}' };
      response.writeHead(status, { 'content-length': body.length }).end(body);
    }),
  );
});
afterAll(() => endpoint.stop());
beforeEach(() => {
  answers = [];
  ports.clear();
});

const settings = () =>
  awsSettings({
    region: 'eu-central-1',
    endpoint: endpoint.endpoint,
    credentials: { accessKeyId: 'AKIAEXAMPLE', secretAccessKey: 'secret' },
  });
const metric = (Id: string) => ({
  Id,
  MetricStat: { Metric: { Namespace: 'n', MetricName: Id }, Period: 60, Stat: 'Sum' },
});

describe('requests to AWS are counted', () => {
  it('by service and operation, each with its price', async () => {
    const { aws, counted } = countRequests(settings());
    await new SQS(aws).getQueueAttributes({ QueueUrl: `${endpoint.endpoint}/1/orders` });
    expect(counted()).toEqual({
      requests: 1,
      dollars: 0.5e-6,
      byOperation: { 'sqs GetQueueAttributes': 1 },
    });
    await new SecretsManager(aws).getSecretValue({ SecretId: 'one' });
    expect(counted().dollars).toBeCloseTo(0.5e-6 + 5e-6, 12);
    await new CloudWatchClient(aws).send(
      new GetMetricDataCommand({
        StartTime: new Date(0),
        EndTime: new Date(1),
        MetricDataQueries: [metric('a'), metric('b'), metric('c')],
      }),
    );
    expect(counted().dollars).toBeCloseTo(5.5e-6 + 3 * 1e-5, 12);
    answers.push({ status: 200, body: '<DescribeStacksResponse/>' });
    await new CloudFormationClient(aws).send(new DescribeStacksCommand({ StackName: 's' }));
    expect(counted()).toEqual({
      requests: 4,
      dollars: expect.closeTo(35.5e-6, 12),
      byOperation: {
        'sqs GetQueueAttributes': 1,
        'secretsmanager GetSecretValue': 1,
        'monitoring GetMetricData': 1,
        'cloudformation DescribeStacks': 1,
      },
    });
  });

  it('DynamoDB by the items and bytes that are read or written', async () => {
    const spent = async (use: (client: DynamoDB) => Promise<unknown>) => {
      const { aws, counted } = countRequests(settings());
      await use(new DynamoDB(aws));
      return counted().dollars;
    };
    const key = (id: string) => ({ id: { S: id } });
    const read = 0.125e-6;
    const write = 0.625e-6;
    expect(await spent((it) => it.getItem({ TableName: 't', Key: key('1') }))).toBeCloseTo(
      read,
      12,
    );
    const batch = { t: { Keys: [key('1'), key('2'), key('3')] } };
    expect(await spent((it) => it.batchGetItem({ RequestItems: batch }))).toBeCloseTo(3 * read, 12);
    answers.push({ status: 200, body: `{"Items":[{"a":{"S":"${'x'.repeat(9_000)}"}}]}` });
    expect(await spent((it) => it.query({ TableName: 't' }))).toBeCloseTo(3 * read, 12);
    const Item = { a: { S: 'x'.repeat(1_500) } };
    expect(await spent((it) => it.putItem({ TableName: 't', Item }))).toBeCloseTo(2 * write, 12);
    const Put = { TableName: 't', Item: key('1') };
    const both = { TransactItems: [{ Put }, { Put }] };
    expect(await spent((it) => it.transactWriteItems(both))).toBeCloseTo(4 * write, 12);
  });

  it('each attempt, because AWS bills each', async () => {
    const { aws, counted } = countRequests(settings());
    answers.push({ status: 500, body: '{}' }, { status: 500, body: '{}' });
    await new SQS(aws).getQueueAttributes({ QueueUrl: `${endpoint.endpoint}/1/orders` });
    expect(counted().byOperation).toEqual({ 'sqs GetQueueAttributes': 3 });
  });

  it('of one run within a session, and all clients keep one connection', async () => {
    const session = countRequests(settings());
    const ask = (aws: typeof session.aws) =>
      new SQS(aws).getQueueAttributes({ QueueUrl: `${endpoint.endpoint}/1/orders` });
    const one = countRequests(session.aws);
    await ask(one.aws);
    const other = countRequests(session.aws);
    await ask(other.aws);
    await ask(other.aws);
    expect([one, other, session].map((count) => count.counted().requests)).toEqual([1, 2, 3]);
    expect(ports.size).toBe(1);
  });
});
