import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Emulator } from '../../../local/stack/emulators.ts';
import { alarmsCheck } from '../../../scripts/connector/ground/checks/aws.ts';
import type { SetupDeps } from '../../../scripts/connector/ground/checks/step.ts';
import {
  awsSettings,
  type Deployment,
} from '../../../scripts/connector/ground/session/deployment.ts';
import { alarmsStep } from '../../../scripts/connector/set-up/setup.ts';
import { defineConnector } from '../../../shared/config/connector-config.ts';
import { VERSION } from '../../../shared/config/release.ts';
import { type ScriptedService, startAwsGateway } from '../../support/aws-gateway.ts';

const TOPIC = 'arn:aws:sns:eu-west-1:123456789012:alarms';

let gateway: Emulator;
/** As SNS keeps them: until its address has confirmed it, a subscription has no ARN. */
let subscriptions: { readonly endpoint: string; readonly arn: string }[] = [];

const sns: ScriptedService = ({ text }, response) => {
  const fields = new URLSearchParams(text);
  response.setHeader('content-type', 'text/xml');
  expect(fields.get('TopicArn')).toBe(TOPIC);
  if (fields.get('Action') === 'Subscribe') {
    expect(fields.get('Protocol')).toBe('email');
    subscriptions.push({ endpoint: fields.get('Endpoint') ?? '', arn: 'PendingConfirmation' });
    response.end('<SubscribeResponse><SubscribeResult/></SubscribeResponse>');
    return;
  }
  // One on each page.
  const page = Number(fields.get('NextToken') ?? 0);
  const shown = subscriptions
    .slice(page, page + 1)
    .map(
      ({ endpoint, arn }) =>
        `<member><Endpoint>${endpoint}</Endpoint><SubscriptionArn>${arn}</SubscriptionArn></member>`,
    );
  const next = page + 1 < subscriptions.length ? `<NextToken>${page + 1}</NextToken>` : '';
  response.end(
    `<ListSubscriptionsByTopicResponse><ListSubscriptionsByTopicResult><Subscriptions>${shown.join('')}</Subscriptions>${next}</ListSubscriptionsByTopicResult></ListSubscriptionsByTopicResponse>`,
  );
};

beforeAll(async () => {
  gateway = await startAwsGateway({ sns });
});
afterAll(() => gateway.stop());
beforeEach(() => {
  subscriptions = [];
});

const confirmed = (endpoint: string) => ({ endpoint, arn: `${TOPIC}:${endpoint.length}` });
const pending = (endpoint: string) => ({ endpoint, arn: 'PendingConfirmation' });

function deploymentWith(emails: readonly string[]): Deployment {
  const credentials = { accessKeyId: 'olivia', secretAccessKey: 'secret' };
  return {
    where: 'aws',
    version: VERSION,
    stage: 'prod',
    stack: 'loyalty-connector-prod',
    region: 'eu-west-1',
    aws: awsSettings({ region: 'eu-west-1', endpoint: gateway.endpoint, credentials }),
    output: () => TOPIC,
    connector: defineConnector({
      shops: [{ domain: 'example-store.myshopify.com' }],
      loyalty: { address: 'https://loyalty.example.com' },
      alarms: { emails },
    }),
  };
}

const checkAlarms = (deployment: Deployment) => alarmsCheck(deployment).look();

describe('who gets alarms', () => {
  it('is read from SNS, and every address that has not confirmed is named', async () => {
    const emails = ['one@shop.example', 'two@shop.example'];
    subscriptions = [confirmed('one@shop.example'), pending('two@shop.example')];
    expect(await checkAlarms(deploymentWith(emails))).toMatchObject([
      { verdict: 'pass', what: 'sent to one@shop.example' },
      { verdict: 'warn', what: expect.stringContaining('two@shop.example has not confirmed') },
    ]);
    subscriptions = emails.map(confirmed);
    expect(await checkAlarms(deploymentWith(emails))).toMatchObject(
      emails.map((endpoint) => ({ verdict: 'pass', what: `sent to ${endpoint}` })),
    );
  });

  it('includes no address of the settings that was not deployed', async () => {
    subscriptions = [confirmed('one@shop.example')];
    const findings = await checkAlarms(deploymentWith(['one@shop.example', 'new@shop.example']));
    expect(findings).toMatchObject([
      {
        verdict: 'warn',
        what: expect.stringContaining('new@shop.example is in'),
        next: [{ line: { command: 'setup' } }],
      },
      { verdict: 'pass' },
    ]);
  });

  it('is no one at first: a warning', async () => {
    expect(await checkAlarms(deploymentWith([]))).toMatchObject([{ verdict: 'warn' }]);
  });
});

describe('the step of setup for alarms', () => {
  const beginChange = vi.fn(async () => ({ count: () => {} }));
  const world = {
    stage: 'prod',
    session: { beginChange },
  } as unknown as SetupDeps;

  it('subscribes an address of the settings again that SNS has forgotten', async () => {
    subscriptions = [confirmed('one@shop.example')];
    const step = alarmsStep(world, deploymentWith(['one@shop.example', 'two@shop.example']));
    await step.fix?.(await step.look());
    expect(subscriptions).toEqual([confirmed('one@shop.example'), pending('two@shop.example')]);
    expect(beginChange).toHaveBeenCalledOnce();
    expect(await step.look()).toMatchObject([{ verdict: 'pass' }, { verdict: 'warn' }]);
  });

  it('subscribes nobody whom the settings do not name', async () => {
    const step = alarmsStep(world, deploymentWith([]));
    expect(await step.fix?.(await step.look())).toEqual([]);
    expect(subscriptions).toEqual([]);
  });
});
