import {
  describeEventSource,
  describeFunction,
  describePermission,
  describeQueue,
  describeQueuePolicy,
  describeRole,
  describeSchedules,
  describeTable,
  describeWeb,
  type ResolvedResource,
} from './describe-resources.ts';
import { createIdentities, type Place } from './identities.ts';
import { createResolver, type Resolve } from './resolve.ts';
import type { StackDescription } from './stack-description.ts';
import { type Properties, readerOf, type Template, UnknownInTemplate } from './template.ts';

/** Read elsewhere, together with what they belong to. */
const PARTS = new Set([
  'AWS::IAM::Policy',
  'AWS::Logs::LogGroup',
  // It holds nothing that is not said by its secret's name.
  'AWS::SecretsManager::Secret',
]);

/**
 * What the template describes and this machine has no use for. Listed one by one: a kind that is in
 * neither list stops the start, because what is silently left out would only be missed when deployed.
 */
const NOT_RUN_HERE: ReadonlySet<string> = new Set([
  // Watched by people, not by the functions.
  'AWS::CloudWatch::Alarm',
  'AWS::CloudWatch::CompositeAlarm',
  'AWS::CloudWatch::Dashboard',
  'AWS::Logs::MetricFilter',
  // Of the alarms. A queue or a table with a key of its own is not understood: see describe-resources.ts.
  'AWS::KMS::Alias',
  'AWS::KMS::Key',
  'AWS::SNS::Subscription',
  'AWS::SNS::Topic',
  'AWS::SNS::TopicPolicy',
  // A name in front of the same address, and how much may pass through it.
  'AWS::ApiGatewayV2::ApiMapping',
  'AWS::ApiGatewayV2::DomainName',
  'AWS::ApiGatewayV2::Stage',
  // How often a failed call of a schedule is repeated; a schedule here simply comes again.
  'AWS::Lambda::EventInvokeConfig',
  'AWS::CDK::Metadata',
]);

/** Pure: says what the template describes, at that place. Throws on what it does not understand. */
export function describeStack(template: Template, place: Place): StackDescription {
  // Names are resolved with the resolver that needs them: a name may refer to another resource.
  const identity = createIdentities(template, place, (value) => resolve(value));
  const resolve = createResolver({ parameters: parametersOf(template, place), identity });
  const resources = Object.entries(template.Resources).map(([logicalId, resource]) => {
    const found = identity(logicalId);
    if (!found) throw new UnknownInTemplate(logicalId);
    return {
      logicalId,
      type: resource.Type,
      identity: found,
      // Of what is not run here nothing is read, so nothing of it needs to be understood.
      read: () => readerOf(logicalId, (resolve(resource.Properties) ?? {}) as Properties),
    };
  });
  const of = (...types: readonly string[]): ResolvedResource[] =>
    resources
      .filter(({ type }) => types.includes(type))
      .map(({ read, ...resource }) => ({ ...resource, ...read() }));

  const described = new Map<string, readonly unknown[]>();
  const each = <T>(type: string, describe: (resource: ResolvedResource) => T): readonly T[] => {
    const found = of(type).map(describe);
    described.set(type, found);
    return found;
  };
  const policies = of('AWS::IAM::Policy');
  const stack: StackDescription = {
    queues: each('AWS::SQS::Queue', describeQueue),
    tables: [
      ...each('AWS::DynamoDB::Table', describeTable),
      ...each('AWS::DynamoDB::GlobalTable', describeTable),
    ],
    secrets: of('AWS::SecretsManager::Secret').map((secret) => ({ name: secret.text('Name') })),
    functions: each('AWS::Lambda::Function', describeFunction),
    webs: describeWebs(template, {
      resources: of('AWS::Lambda::Url', 'AWS::ApiGatewayV2::Integration'),
      routes: of('AWS::ApiGatewayV2::Route'),
    }),
    eventSources: each('AWS::Lambda::EventSourceMapping', describeEventSource),
    schedules: each('AWS::Events::Rule', describeSchedules).flat(),
    roles: each('AWS::IAM::Role', (role) => describeRole(role, policies)),
    permissions: each('AWS::Lambda::Permission', describePermission),
    queuePolicies: each('AWS::SQS::QueuePolicy', describeQueuePolicy),
    outputs: describeOutputs(template, resolve),
  };
  const web = new Set([
    'AWS::Lambda::Url',
    'AWS::ApiGatewayV2::Api',
    'AWS::ApiGatewayV2::Integration',
    'AWS::ApiGatewayV2::Route',
  ]);
  for (const { type, logicalId } of resources) {
    if (described.has(type) || PARTS.has(type) || web.has(type) || NOT_RUN_HERE.has(type)) continue;
    throw new UnknownInTemplate(`resources of the type ${type} (${logicalId})`);
  }
  return stack;
}

/**
 * By the output that tells its address. An HTTP API's output names the API and not the integration, but
 * only one thing can stand behind an API here: the receiver of webhooks.
 */
function describeWebs(
  { Outputs: outputs = {} }: Template,
  {
    resources,
    routes,
  }: {
    readonly resources: readonly ResolvedResource[];
    readonly routes: readonly ResolvedResource[];
  },
): StackDescription['webs'] {
  const webs = resources.map((resource) => {
    const told = Object.entries(outputs).find(([, output]) =>
      JSON.stringify(output).includes(`"${resource.logicalId}"`),
    );
    return [told?.[0] ?? 'WebhookAddress', describeWeb(resource, routes)] as const;
  });
  if (new Set(webs.map(([output]) => output)).size < webs.length) {
    throw new UnknownInTemplate('two addresses for requests from outside under one output');
  }
  return Object.fromEntries(webs);
}

function parametersOf(
  { Parameters: parameters = {} }: Template,
  { account, region, stackName }: Place,
): Readonly<Record<string, unknown>> {
  const given = Object.entries(parameters).map(([name, parameter]) => [name, parameter.Default]);
  return {
    ...Object.fromEntries(given.filter(([, value]) => value !== undefined)),
    'AWS::AccountId': account,
    'AWS::Region': region,
    'AWS::Partition': 'aws',
    'AWS::URLSuffix': 'amazonaws.com',
    'AWS::StackName': stackName,
    'AWS::StackId': `arn:aws:cloudformation:${region}:${account}:stack/${stackName}/local`,
  };
}

function describeOutputs(
  { Outputs: outputs = {} }: Template,
  resolve: Resolve,
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(outputs).map(([name, { Value: value }]) => [name, String(resolve(value))]),
  );
}
