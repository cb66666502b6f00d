import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { App, Validations } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import {
  AwsCustomResource,
  AwsCustomResourcePolicy,
  PhysicalResourceId,
} from 'aws-cdk-lib/custom-resources';
import { describe, expect, it } from 'vitest';
import { stackPolicy } from '../../../scripts/connector/set-up/deploy.ts';
import { buildOwnStack, buildStack, synthesizeStack } from '../../support/synthesized-stack.ts';

const boundary = 'arn:aws:iam::123456789012:policy/team/boundary';
const deployment = {
  permissionsBoundary: boundary,
  tags: { team: 'Loyalty', 'cost:center': '4711' },
  namePrefix: 'team-a-',
  bootstrapQualifier: 'teama',
  endpoint: { kind: 'http-api' },
} as const;
const settings = { storefront: {}, deployment };
const template = synthesizeStack(settings);

const BASIC = 'arn:<AWS::Partition>:iam::aws:policy/service-role/AWSLambdaBasicExecutionRole';

interface Resource {
  readonly Type: string;
  // biome-ignore lint/suspicious/noExplicitAny: CloudFormation has thousands of types of properties.
  readonly Properties?: any;
}
const resourcesOf = (of: Template): readonly Resource[] => Object.values(of.toJSON().Resources);

/** As the policy of an account would: it refuses whatever makes a role, or a user, without the boundary. */
const refused = (of: Template) =>
  resourcesOf(of).filter(
    ({ Type, Properties }) =>
      /^AWS::IAM::(?:Role|User)$/.test(Type) && Properties?.PermissionsBoundary !== boundary,
  );

describe('an account that forbids roles without a permissions boundary', () => {
  it('lets every role of the stack be made', () => {
    const roles = resourcesOf(template).filter(({ Type }) => Type === 'AWS::IAM::Role');
    expect(roles).toHaveLength(8);
    expect(refused(template)).toEqual([]);
    // The check can fail.
    expect(refused(synthesizeStack({ storefront: {} }))).toHaveLength(8);
  });

  it('lets also those be made that CDK puts beside the construct', () => {
    const later = buildStack(settings, 'prod', (stack) => {
      new AwsCustomResource(stack, 'Later', {
        onCreate: {
          service: 'sqs',
          action: 'listQueues',
          physicalResourceId: PhysicalResourceId.of('x'),
        },
        policy: AwsCustomResourcePolicy.fromSdkCalls({ resources: ['*'] }),
      });
      const ids = ['IAM5[Resource::*]', `IAM4[Policy::${BASIC}]`];
      for (const id of ids.map((one) => `AwsSolutions::AwsSolutions-${one}`)) {
        Validations.of(stack).acknowledge({ id, reason: 'a test' });
      }
      return Template.fromStack(stack);
    });
    expect(resourcesOf(later).filter(({ Type }) => Type === 'AWS::IAM::Role')).toHaveLength(9);
    expect(refused(later)).toEqual([]);
  });

  it('lets those of the construct be made in an app of the merchant', () => {
    expect(refused(buildOwnStack(1_000, deployment).template)).toEqual([]);
  });
});

/** Types that take no tags, or whose tags are those of the resource that they belong to. */
const WITHOUT_TAGS = [
  ...['AWS::ApiGatewayV2::Integration', 'AWS::ApiGatewayV2::Route', 'AWS::IAM::ManagedPolicy'],
  ...['AWS::IAM::Policy', 'AWS::Lambda::EventInvokeConfig', 'AWS::Lambda::Permission'],
  ...['AWS::Lambda::Url', 'AWS::SNS::Subscription', 'AWS::SNS::TopicPolicy'],
  'AWS::SQS::QueuePolicy',
];

describe('tags', () => {
  const asList = (tags: unknown): readonly { readonly Key: string; readonly Value: string }[] =>
    Array.isArray(tags) ? tags : Object.entries(tags ?? {}).map(([Key, Value]) => ({ Key, Value }));
  const isTagged = ({ Properties }: Resource) =>
    Object.entries(deployment.tags).every(([name, value]) =>
      asList(Properties?.Tags).some(({ Key, Value }) => Key === name && Value === value),
    );

  it.each([
    ['in a stack of its own', template],
    ['in a stack of the merchant', buildOwnStack(1_000, deployment).template],
  ])('are on every resource that takes them, %s', (_, of) => {
    const untagged = resourcesOf(of).filter((one) => !isTagged(one));
    expect([...new Set(untagged.map(({ Type }) => Type))].toSorted()).toEqual(WITHOUT_TAGS);
  });

  it('are those of the stack, too, beside its own', () => {
    const tags = buildStack(settings, 'prod', (stack) => stack.tags.tagValues());
    expect(tags).toMatchObject({ ...deployment.tags, application: 'loyalty-connector' });
  });
});

describe('a prefix of names', () => {
  it('begins the name of the stack, after which AWS names what has no name, and all that have one', () => {
    expect(buildStack(settings, 'prod', ({ stackName }) => stackName)).toBe(
      'team-a-loyalty-connector-prod',
    );
    const named = resourcesOf(template).flatMap(({ Properties = {} }) =>
      Object.entries<unknown>(Properties).filter(
        ([name]) =>
          /Name$/.test(name) && !/^(?:Function|Metric|Policy|Stage|Domain)Name$/.test(name),
      ),
    );
    expect(named.length).toBeGreaterThan(20);
    for (const [name, value] of named) expect(`${name}: ${value}`).toMatch(/^\w+: team-a-/);
  });

  it('begins the names of secrets, and no function may read others', () => {
    const text = JSON.stringify(template.toJSON());
    expect(text).toContain(':secret:team-a-loyalty-connector/prod/*/webhook-??????');
    expect(text).not.toMatch(/:secret:(?!team-a-)/);
  });
});

describe('an account that was prepared for CDK with a qualifier of its own', () => {
  it('is asked for nothing of the default one', () => {
    const text = buildStack(settings, 'prod', (stack) => {
      const { directory } = App.of(stack)?.synth() ?? {};
      return ['manifest.json', 'team-a-loyalty-connector-prod.assets.json']
        .map((file) => readFileSync(join(directory ?? '', file), 'utf8'))
        .join();
    });
    expect(text.match(/cdk-teama-/g)?.length).toBeGreaterThan(5);
    expect(text).not.toContain('hnb659fds');
  });
});

describe('the policy of whoever deploys, in docs/deploy.md', () => {
  const guide = readFileSync('docs/deploy.md', 'utf8');
  const [written = '{}'] = /\{\n {2}"Version": "2012-10-17",.*?\n\}/s.exec(guide) ?? [];
  const statements: readonly {
    readonly Action: string | readonly string[];
    readonly Resource: string | readonly string[];
  }[] = JSON.parse(written).Statement;
  const actions = statements.flatMap(({ Action }) => Action).toSorted();

  it('allows every call that the command makes itself, and no other', () => {
    const session = 'scripts/connector/ground/session';
    const code = ['scripts/connector/set-up/deploy', `${session}/find-deployment`]
      .concat(`${session}/fit-to-account`)
      .map((file) => readFileSync(`${file}.ts`, 'utf8'))
      .join();
    const capital = (name: string) => name.charAt(0).toUpperCase() + name.slice(1);
    const called = [
      ...[...code.matchAll(/cloudFormation\.(\w+)\(/g)].map(([, name = '']) => capital(name)),
      ...[...code.matchAll(/paginate(\w+)\(/g)].map(([, name]) => name),
    ].map((name) => `cloudformation:${name}`);
    const asked = [...code.matchAll(/new (\w+)Command\(/g)].map(([, name]) => `lambda:${name}`);
    expect(actions).toEqual([...new Set([...called, ...asked, 'sts:AssumeRole'])].toSorted());
  });

  it('allows the roles of CDK that the synthesized stack names, which bootstrapping makes, and no other', () => {
    const files = buildStack({}, 'prod', (stack) => {
      const { directory = '' } = App.of(stack)?.synth() ?? {};
      return ['manifest.json', 'loyalty-connector-prod.assets.json']
        .map((file) => readFileSync(join(directory, file), 'utf8'))
        .join();
    });
    const plain = (name: string) =>
      name.replace(/\$\{AWS::AccountId\}/g, 'ACCOUNT').replace(/\$\{AWS::Region\}/g, 'REGION');
    const named = [...files.matchAll(/"(?:assumeRoleArn|arn)": "[^"]*:role\/([^"]*)"/g)];
    const roles = named.map(([, name = '']) => `arn:aws:iam::ACCOUNT:role/${plain(name)}`);
    expect(statements[0]?.Resource).toEqual([...new Set(roles)].toSorted(byPlace));
    const made = readFileSync(
      'node_modules/aws-cdk/lib/api/bootstrap/bootstrap-template.yaml',
      'utf8',
    );
    for (const role of new Set(roles)) {
      expect(made).toContain(role.replace(/.*cdk-hnb659fds-(.*)-ACCOUNT.*/, '-$1-'));
    }
    function byPlace(one: string, other: string) {
      return guide.indexOf(one) - guide.indexOf(other);
    }
  });

  it('names every service in which CloudFormation makes something', () => {
    const { Resources } = synthesizeStack({
      storefront: {},
      deployment: { endpoint: { kind: 'http-api' } },
    }).toJSON();
    const types = Object.values<Resource>(Resources).map(({ Type }) =>
      Type.split('::')[1]?.toLowerCase(),
    );
    const services = new Set(types.map((name) => name?.replace('gatewayv2', 'gateway')));
    const [, list = ''] = /may be limited \(`--cloud[^)]*\) to (.*?), reading/s.exec(guide) ?? [];
    expect([...list.matchAll(/`(\w+)`/g)].map(([, name]) => name)).toEqual(
      [...services].toSorted(),
    );
  });
});

describe('the lines for Terraform, in docs/deploy.md', () => {
  const [, lines = ''] = /```hcl\n(.*?)```/s.exec(readFileSync('docs/deploy.md', 'utf8')) ?? [];

  it('read what the synthesized manifest has', () => {
    const manifest = buildStack({}, 'prod', (stack) => {
      const { directory = '' } = App.of(stack)?.synth() ?? {};
      return JSON.parse(readFileSync(join(directory, 'manifest.json'), 'utf8'));
    });
    const [, artifact = ''] = /artifacts\["([^"]+)"\]/.exec(lines) ?? [];
    const { properties } = manifest.artifacts[artifact];
    const read = [...lines.matchAll(/local\.manifest\.(\w+)/g)].map(([, name = '']) => name);
    expect(read).toEqual(['tags', 'stackTemplateAssetObjectUrl']);
    expect(Object.keys(properties)).toEqual(expect.arrayContaining(read));
    const parts = properties.stackTemplateAssetObjectUrl.match(/^s3:\/\/|\$\{.*?\}/g);
    for (const part of new Set<string>(parts)) {
      // HCL writes ${ as $${.
      expect(lines).toContain(`"${part.startsWith('$') ? '$' : ''}${part}"`);
    }
  });

  it('keep what holds state, as deploy does', () => {
    const made = new Set(resourcesOf(template).map(({ Type }) => Type));
    const [allow, deny] = JSON.parse(stackPolicy()).Statement;
    const { ResourceType: types } = deny.Condition.StringEquals;
    deny.Condition.StringEquals.ResourceType = types.filter((one: string) => made.has(one));
    const [, policy = ''] = /jsonencode\((.*)\)\n\}/s.exec(lines) ?? [];
    const asJson = policy.replaceAll(/(\w+) = /g, '"$1": ').replaceAll(/,(\s*[\]}])/g, '$1');
    expect(JSON.parse(asJson)).toEqual({ Statement: [allow, deny] });
  });
});
