import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { CloudFormation } from '@aws-sdk/client-cloudformation';
import { CloudWatch } from '@aws-sdk/client-cloudwatch';
import { SecretsManager } from '@aws-sdk/client-secrets-manager';
import { SNS } from '@aws-sdk/client-sns';
import { SQS } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PLACE } from '../../../local/stack/emulators.ts';
import { synthesize } from '../../../local/stack/synthesize.ts';
import { startAwsGateway } from '../../support/aws-gateway.ts';
import { runCommand } from '../../support/connector-command.ts';
import { createProject, PROJECT } from '../../support/project.ts';
import { startDynamoDb } from '../instead/moto-aws.ts';
import { templateForMoto } from './template-for-moto.ts';

const SHOP = 'example-store.myshopify.com';
const STACK = 'loyalty-connector-prod';
const SQS_ON_AWS = `https://sqs.${PLACE.region}.amazonaws.com`;
const moto = process.env.MOTO ?? '';
const credentials = { accessKeyId: 'operator', secretAccessKey: 'operator-secret' };
const client = { endpoint: moto, region: PLACE.region, credentials };
const aws = {
  cloudFormation: new CloudFormation(client),
  cloudWatch: new CloudWatch(client),
  secrets: new SecretsManager(client),
  sns: new SNS(client),
  sqs: new SQS({ ...client, useQueueUrlAsEndpoint: false }),
};
const folder = createProject('deployed-on-moto');
let gateway: Awaited<ReturnType<typeof startAwsGateway>>;
let dynamoDb: Awaited<ReturnType<typeof startDynamoDb>>;

/**
 * Nothing of ours between the command and the engine but the address of the queues, which moto writes as that of AWS, and
 * inserts into the ledger, which it cannot read.
 */
beforeAll(async () => {
  dynamoDb = await startDynamoDb();
  gateway = await startAwsGateway({
    ...Object.fromEntries(
      ['sqs', 'secretsmanager', 'sts', 'sns', 'monitoring', 'lambda', 'logs', 'iam'].map((name) => [
        name,
        moto,
      ]),
    ),
    dynamodb: dynamoDb.endpoint,
    cloudformation: async (request, response) => {
      const { authorization = '', 'content-type': type = '' } = request.headers;
      const headers = { authorization, 'content-type': type };
      const answer = await fetch(moto, { method: 'POST', headers, body: request.text });
      response.writeHead(answer.status, { 'content-type': 'text/xml' });
      response.end((await answer.text()).replaceAll(SQS_ON_AWS, gateway.endpoint));
    },
  });
  await fetch(`${moto}/moto-api/reset`, { method: 'POST' });
  const { template } = await synthesize('prod', join(folder, 'assembly'), { project: PROJECT });
  const { written } = templateForMoto(template, PLACE);
  await aws.cloudFormation.createStack({
    StackName: STACK,
    TemplateBody: JSON.stringify(written),
    Capabilities: ['CAPABILITY_IAM'],
  });
});
afterAll(async () => {
  await gateway.stop();
  await dynamoDb.stop();
  rmSync(folder, { recursive: true });
});

async function run(line: string, input = '') {
  const { endpoint } = gateway;
  return runCommand([...line.split(' '), '--stack', STACK, '--region', PLACE.region], {
    folder,
    input,
    env: {
      AWS_ENDPOINT_URL: endpoint,
      AWS_ACCESS_KEY_ID: credentials.accessKeyId,
      AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
    },
  });
}

async function output(name: string): Promise<string> {
  const { Stacks: [stack] = [] } = await aws.cloudFormation.describeStacks({ StackName: STACK });
  return stack?.Outputs?.find(({ OutputKey }) => OutputKey === name)?.OutputValue ?? '';
}

describe('a stack that CloudFormation of others made from our template', () => {
  it('is shown with its queues and its figures out of CloudWatch', async () => {
    // Not of this very second: moto leaves that out.
    const Timestamp = new Date(Date.now() - 60_000);
    await aws.cloudWatch.putMetricData({
      Namespace: await output('MetricsNamespace'),
      MetricData: [{ MetricName: 'received', Value: 7, Unit: 'Count', Timestamp }],
    });
    const { stdout, stderr } = await run('status');
    expect(stderr).toBe('');
    expect(stdout).toMatch(/^orders +0 +0 +0$/m);
    expect(stdout).toContain('7 events received');
    expect(stdout).toContain('the webhook secret was never set');
  });

  it('takes secrets, and no longer asks for them', async () => {
    const { code } = await run(
      `secrets set loyalty --shop ${SHOP} --untried`,
      '{"token":"token-of-this-test","key":"key-of-this-test"}',
    );
    expect(code).toBe(4);
    expect((await run('status')).stdout).not.toContain('the loyalty secret was never set');
  });

  it('is paused and resumed, and records the caller that STS names', async () => {
    expect((await run(`pause --shop ${SHOP} --yes`)).code).toBe(0);
    expect((await run('doctor')).stdout).toMatch(/pauses +.*all calls paused/);
    // It has no usable credentials.
    expect((await run(`resume --shop ${SHOP}`)).code).toBe(1);
    const { stdout } = await run('history');
    // The name in the ARN that moto gives to every caller.
    for (const change of ['paused all calls', 'stored the loyalty secret']) {
      expect(stdout).toMatch(new RegExp(` moto +${change} .*, done`));
    }
  });

  it('is examined: every output is there, and the alarms go to a subscriber of the topic', async () => {
    await aws.sns.subscribe({
      TopicArn: await output('AlarmTopic'),
      Protocol: 'email',
      Endpoint: 'olivia@shop.example',
    });
    const { stdout } = await run('doctor --all');
    expect(stdout).toMatch(/pass {2}stack +loyalty-connector-prod/);
    expect(stdout).toMatch(/pass {2}AWS access/);
    expect(stdout).toMatch(/pass {2}alarms +go to /);
  });

  it('lists a dead letter, and drops it', async () => {
    await aws.sqs.sendMessage({
      QueueUrl: await output('OrdersDeadLetterQueueUrl'),
      MessageBody: 'not readable',
      MessageGroupId: 'a',
      MessageDeduplicationId: 'a',
    });
    expect((await run('dead-letters scan')).stdout).toContain('1 added to the list');
    expect((await run('dead-letters list')).stdout).toContain('1 dead letter waits for a decision');
    expect((await run('dead-letters drop --queue orders --because understood --yes')).code).toBe(0);
    expect((await run('dead-letters scan')).stdout).toContain('0 dead letters');
  });
});
