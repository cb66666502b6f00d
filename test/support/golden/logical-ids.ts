import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { synthesizeStack } from '../synthesized-stack.ts';

/**
 * Why CloudFormation must find a resource under the id that it knows: under another one it makes a new resource, and
 * deletes or leaves the old one.
 */
export const PINNED: Readonly<Record<string, string>> = {
  'AWS::DynamoDB::Table': 'the ledger would be empty: points are given twice',
  'AWS::SQS::Queue': 'what waits in it would never be worked on',
  'AWS::Logs::LogGroup': 'the log of the days before would be out of sight',
  'AWS::Lambda::Function': 'its address would be another',
  'AWS::Lambda::Url': 'the address that the store or the loyalty service calls would be another',
  'AWS::Lambda::EventSourceMapping':
    'a function cannot have two of one queue: the deployment fails',
  'AWS::Lambda::EventInvokeConfig': 'a function cannot have two: the deployment fails',
  'AWS::ApiGatewayV2::Api': 'the address that the store calls would be another',
  'AWS::ApiGatewayV2::Stage': 'an API cannot have two of one name: the deployment fails',
  'AWS::ApiGatewayV2::Route': 'an API cannot have two of one path: the deployment fails',
  'AWS::ApiGatewayV2::DomainName': 'a domain cannot have two: the deployment fails',
  'AWS::ApiGatewayV2::ApiMapping': 'a domain cannot have two of one path: the deployment fails',
  'AWS::SNS::Topic': 'what people attached to it would hear of no alarm',
  'AWS::SNS::Subscription': 'nobody hears of alarms until they confirm their address again',
  'AWS::CloudWatch::Alarm': 'two cannot have one name: the deployment fails',
  'AWS::IAM::ManagedPolicy': 'it is attached to people: the deployment cannot delete the old one',
};

/** Made anew, they do the same. */
export const FREE: readonly string[] = [
  ...['AWS::IAM::Role', 'AWS::IAM::Policy', 'AWS::SQS::QueuePolicy', 'AWS::SNS::TopicPolicy'],
  ...['AWS::Lambda::Permission', 'AWS::ApiGatewayV2::Integration', 'AWS::Events::Rule'],
];

/** Together they have every resource that a deployment can have. */
export const STACKS = {
  'with function URLs': () => synthesizeStack({ storefront: {}, events: {}, ...deployed({}) }),
  'with an HTTP API': () => {
    const name = 'webhooks.shop.example';
    const certificateArn = 'arn:aws:acm:eu-west-1:123456789012:certificate/0a1b2c3d';
    const endpoint = { kind: 'http-api', domain: { name, certificateArn } } as const;
    return synthesizeStack({ storefront: {}, ...deployed({ endpoint }) });
  },
};

const deployed = (more: object) => ({
  deployment: { monitoring: 'full', ...more } as const,
  alarms: { emails: ['operator@shop.example'] },
});

interface Resource {
  readonly Type: string;
  readonly Properties?: Readonly<Record<string, unknown>>;
}

export interface Pins {
  /** By logical id: the type, and the properties whose change replaces the resource. */
  readonly resources: Readonly<Record<string, readonly [type: string, properties: object]>>;
  readonly outputs: readonly string[];
}

export const resourcesOf = (stack: keyof typeof STACKS): Readonly<Record<string, Resource>> =>
  STACKS[stack]().toJSON().Resources;

export function pinsOf(stack: keyof typeof STACKS): Pins {
  const { Outputs } = STACKS[stack]().toJSON();
  const pinned = Object.entries(resourcesOf(stack)).filter(([, { Type }]) => Type in PINNED);
  return {
    resources: Object.fromEntries(
      pinned.map(([id, { Type, Properties = {} }]) => {
        const fixed = Object.entries(Properties).filter(([name]) => isFixed(Type, name));
        return [id, [Type, Object.fromEntries(fixed)] as const];
      }),
    ),
    outputs: Object.keys(Outputs).toSorted(),
  };
}

/** Names of indexes replace nothing, but code of the release before asks for them. */
const isFixed = (type: string, name: string) =>
  replaces(type, name) || (type === 'AWS::DynamoDB::Table' && name === 'GlobalSecondaryIndexes');

/** What CloudFormation does with a changed property, as the command line of CDK knows it. */
export function replaces(type: string, name: string): boolean {
  const { schema } = knowledge;
  const found = Object.values<Described>(schema.resource.entities ?? schema.resource).find(
    ({ cloudFormationType }) => cloudFormationType === type,
  );
  const property = found?.properties[name];
  if (!property) throw new Error(`${type} has no ${name}`);
  return property.causesReplacement === 'yes' || property.causesReplacement === 'maybe';
}

interface Described {
  readonly cloudFormationType: string;
  readonly properties: Readonly<Record<string, { readonly causesReplacement?: string }>>;
}

const knowledge = JSON.parse(
  gunzipSync(readFileSync('node_modules/aws-cdk/db.json.gz')).toString(),
);
