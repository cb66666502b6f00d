import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { CloudFormation, waitUntilStackCreateComplete } from '@aws-sdk/client-cloudformation';
import { PACKAGE_FOLDER } from '../../shared/config/folders.ts';
import { STACK, WEBHOOK_HOST } from './account.ts';
import { type Scene, say } from './check.ts';
import { REGION } from './engine.ts';
import { ACCOUNT } from './recorder.ts';

const [PREFIX, QUALIFIER, BUS] = ['team-a-', 'teama', 'tools'];

/** Every option that adds to the template, deployed by a person who may do what docs/deploy.md says, and no more. */
export async function deployGoverned({ account }: Scene): Promise<void> {
  say('a governed account, and every option: bootstrap and deploy');
  const cloudFormation = new CloudFormation(account.client);
  const stack = { StackName: 'governed' };
  const Capabilities = ['CAPABILITY_IAM' as const];
  await cloudFormation.createStack({ ...stack, Capabilities, TemplateBody: JSON.stringify(NAMED) });
  await waitUntilStackCreateComplete({ client: cloudFormation, maxWaitTime: 60 }, stack);
  const { Stacks: [found] = [] } = await cloudFormation.describeStacks(stack);
  const named = Object.fromEntries(
    found?.Outputs?.map((one) => [one.OutputKey, one.OutputValue ?? '']) ?? [],
  );
  account.useThisRelease({
    loyalty: { callsPerSecond: 50 },
    storefront: { cashback: 'store-credit', flow: {} },
    alarms: { emails: ['operator@shop.example'] },
    events: { bus: BUS },
    deployment: {
      endpoint: {
        kind: 'http-api',
        throttle: { ratePerSecond: 100, burst: 200 },
        domain: { name: WEBHOOK_HOST, certificateArn: named.Certificate },
      },
      encryptionKey: named.Key,
      permissionsBoundary: named.Boundary,
      tags: { team: 'loyalty' },
      namePrefix: PREFIX,
      bootstrapQualifier: QUALIFIER,
    },
  });
  const script = createRequire(import.meta.url).resolve('aws-cdk/bin/cdk');
  const toolkit = `--qualifier ${QUALIFIER} --toolkit-stack-name CDKToolkit-${QUALIFIER}`;
  await account.run(`bootstrap aws://${ACCOUNT}/${REGION} ${toolkit}`, 0, { script });
  const asked = `Action=CreateAccessKey&Version=2010-05-08&UserName=${named.Deployer}`;
  const made = await account.ask('iam', 'x-www-form-urlencoded', asked);
  const textIn = (name: string) => made.split(`<${name}>`)[1]?.split('<')[0] ?? '';
  const env = {
    AWS_ACCESS_KEY_ID: textIn('AccessKeyId'),
    AWS_SECRET_ACCESS_KEY: textIn('SecretAccessKey'),
  };
  await account.run('deploy --yes', 0, { env });
}

/** The policy of docs/deploy.md for whoever deploys. */
function documentedPolicy(): object {
  const guide = readFileSync(join(PACKAGE_FOLDER, 'docs/deploy.md'), 'utf8');
  const [written = ''] = /\{\n {2}"Version": "2012-10-17",.*?\n\}/s.exec(guide) ?? [];
  return JSON.parse(
    written
      .replaceAll('hnb659fds', QUALIFIER)
      .replaceAll(STACK, `${PREFIX}${STACK}`)
      .replaceAll('ACCOUNT', ACCOUNT)
      .replaceAll('REGION', REGION),
  );
}

const allow = (more: object) => ({ Effect: 'Allow', Resource: '*', ...more });
const kms = (Principal: object) => allow({ Action: 'kms:*', Principal });

/** What the settings name, and the deployer. */
const NAMED = {
  Resources: {
    Bus: { Type: 'AWS::Events::EventBus', Properties: { Name: BUS } },
    Certificate: {
      Type: 'AWS::CertificateManager::Certificate',
      Properties: { DomainName: WEBHOOK_HOST },
    },
    Key: {
      Type: 'AWS::KMS::Key',
      Properties: {
        KeyPolicy: {
          Version: '2012-10-17',
          Statement: [
            kms({ AWS: `arn:aws:iam::${ACCOUNT}:root` }),
            kms({ Service: [`logs.${REGION}.amazonaws.com`, 'cloudwatch.amazonaws.com'] }),
          ],
        },
      },
    },
    Boundary: {
      Type: 'AWS::IAM::ManagedPolicy',
      Properties: {
        PolicyDocument: { Version: '2012-10-17', Statement: [allow({ Action: '*' })] },
      },
    },
    Deployer: {
      Type: 'AWS::IAM::User',
      Properties: { Policies: [{ PolicyName: 'deploy', PolicyDocument: documentedPolicy() }] },
    },
  },
  Outputs: {
    Certificate: { Value: { Ref: 'Certificate' } },
    Key: { Value: { 'Fn::GetAtt': ['Key', 'Arn'] } },
    Boundary: { Value: { Ref: 'Boundary' } },
    Deployer: { Value: { Ref: 'Deployer' } },
  },
};
