import type { ResolvedResource, StackDescription } from './describe-resources.ts';
import * as reading from './describe-resources.ts';
import { createIdentities, type Identity, type Place } from './identities.ts';
import { type Properties, readerOf, type Template, UnknownInTemplate } from './template.ts';

interface ResolverParts {
  /** Pseudo parameters. */
  readonly parameters: Readonly<Record<string, string>>;
  readonly identity: (logicalId: string) => Identity | undefined;
}

type Resolve = (value: unknown) => unknown;

/** Templates put https:// before names, but the local addresses have no TLS. */
const withoutTls = (text: string): string =>
  text.replace(/^https:\/\/(?=127\.0\.0\.1[:/])/, 'http://');

type Intrinsic = (argument: unknown, parts: ResolverParts) => unknown;

const intrinsics: Readonly<Record<string, Intrinsic>> = {
  Ref: (name, parts) => resolveReference(String(name), parts),
  'Fn::GetAtt': (argument, parts) => resolveAttribute(asList(argument).map(String), parts),
  'Fn::Join': (argument, parts) => {
    const [separator, list] = asList(argument);
    return withoutTls(asList(resolveValue(list, parts)).map(String).join(String(separator)));
  },
  // With a list, it would name variables of its own.
  'Fn::Sub': (text, parts) => {
    if (typeof text !== 'string') throw new UnknownInTemplate('Fn::Sub with a list');
    return text.replace(/\$\{([^}]+)\}/g, (_whole, name: string) => resolveReference(name, parts));
  },
  'Fn::Select': (argument, parts) => {
    const [index, list] = asList(argument);
    return asList(resolveValue(list, parts))[Number(index)];
  },
  'Fn::Split': (argument, parts) => {
    const [separator, text] = asList(argument);
    return String(resolveValue(text, parts)).split(String(separator));
  },
};

/** Replaces every reference of a template by its value on this machine. */
function resolveValue(value: unknown, parts: ResolverParts): unknown {
  if (Array.isArray(value)) return value.map((one) => resolveValue(one, parts));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value);
  const [only] = entries;
  if (only && entries.length === 1) {
    const [name, argument] = only;
    const intrinsic = Object.hasOwn(intrinsics, name) ? intrinsics[name] : undefined;
    if (intrinsic) return intrinsic(argument, parts);
    if (name.startsWith('Fn::') || name === 'Condition') {
      throw new UnknownInTemplate(`the function ${name}`);
    }
  }
  return Object.fromEntries(entries.map(([name, part]) => [name, resolveValue(part, parts)]));
}

function resolveReference(name: string, { parameters, identity }: ResolverParts): string {
  const parameter = parameters[name];
  if (parameter !== undefined) return parameter;
  const known = identity(name);
  if (!known) throw new UnknownInTemplate(`what Ref ${name} stands for`);
  return known.ref;
}

function resolveAttribute(path: readonly string[], { identity }: ResolverParts): string {
  const [logicalId = '', ...names] = path;
  const attribute = names.join('.');
  const known = identity(logicalId);
  if (known?.isPlaceholder) return `${logicalId}.${attribute}`;
  const value = known?.attributes[attribute];
  if (value === undefined) throw new UnknownInTemplate(`the attribute ${logicalId}.${attribute}`);
  return value;
}

function asList(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw new UnknownInTemplate('a function whose argument is not a list');
}

/** Read together with the resources that they belong to. */
const PARTS = new Set(['AWS::IAM::Policy', 'AWS::Logs::LogGroup']);

/**
 * Resources that the local stack ignores. A type that is in neither list stops the start: if it were
 * ignored silently, a problem with it would only show when deployed.
 */
const NOT_RUN_HERE: ReadonlySet<string> = new Set([
  // For people, not used by the functions.
  'AWS::Budgets::Budget',
  'AWS::CloudWatch::Alarm',
  'AWS::CloudWatch::CompositeAlarm',
  'AWS::Logs::MetricFilter',
  // Used by the alarms.
  'AWS::KMS::Alias',
  'AWS::KMS::Key',
  'AWS::SNS::Subscription',
  'AWS::SNS::Topic',
  'AWS::SNS::TopicPolicy',
  // The domain name and the throttling of the same address.
  'AWS::ApiGatewayV2::ApiMapping',
  'AWS::ApiGatewayV2::DomainName',
  'AWS::ApiGatewayV2::Stage',
  // Retries of a failed scheduled call; here the next scheduled call follows anyway.
  'AWS::Lambda::EventInvokeConfig',
  'AWS::CDK::Metadata',
]);

/** Pure: describes the resources of the template at that place. Throws on what it does not know. */
export function describeStack(template: Template, place: Place): StackDescription {
  // The two need each other: a name may refer to another resource.
  const identity = createIdentities(template, place, (value) => resolve(value));
  const resolve: Resolve = (value) =>
    resolveValue(value, { parameters: parametersOf(place), identity });
  const resources = Object.entries(template.Resources).map(([logicalId, resource]) => {
    const found = identity(logicalId);
    if (!found) throw new UnknownInTemplate(logicalId);
    return {
      logicalId,
      type: resource.Type,
      identity: found,
      // Lazy, because ignored resources may contain functions that the resolver does not know.
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
    queues: each('AWS::SQS::Queue', reading.describeQueue),
    tables: [
      ...each('AWS::DynamoDB::Table', reading.describeTable),
      ...each('AWS::DynamoDB::GlobalTable', reading.describeTable),
    ],
    functions: each('AWS::Lambda::Function', reading.describeFunction),
    webs: describeWebs(template, {
      resources: of('AWS::Lambda::Url', 'AWS::ApiGatewayV2::Integration'),
      routes: of('AWS::ApiGatewayV2::Route'),
    }),
    eventSources: each('AWS::Lambda::EventSourceMapping', reading.describeEventSource),
    schedules: each('AWS::Events::Rule', reading.describeSchedules).flat(),
    roles: [
      ...each('AWS::IAM::Role', (role) => reading.describeRole(role, policies)),
      ...each('AWS::IAM::ManagedPolicy', reading.describeManagedPolicy),
    ],
    permissions: each('AWS::Lambda::Permission', reading.describePermission),
    queuePolicies: each('AWS::SQS::QueuePolicy', reading.statementsOf).flat(),
    outputs: Object.fromEntries(
      Object.entries(template.Outputs ?? {}).map(([name, one]) => [
        name,
        String(resolve(one.Value)),
      ]),
    ),
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
 * By the output that holds the address. The output of an HTTP API names the API and not the integration,
 * but only the receiver of webhooks can have an HTTP API.
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
    const output = Object.entries(outputs).find(([, definition]) =>
      JSON.stringify(definition).includes(`"${resource.logicalId}"`),
    );
    return [output?.[0] ?? 'WebhookAddress', reading.describeWeb(resource, routes)] as const;
  });
  if (new Set(webs.map(([output]) => output)).size < webs.length) {
    throw new UnknownInTemplate('two public addresses in one output');
  }
  return Object.fromEntries(webs);
}

function parametersOf({ account, region, stackName }: Place): Readonly<Record<string, string>> {
  return {
    'AWS::AccountId': account,
    'AWS::Region': region,
    'AWS::Partition': 'aws',
    'AWS::URLSuffix': 'amazonaws.com',
    'AWS::StackName': stackName,
    'AWS::StackId': `arn:aws:cloudformation:${region}:${account}:stack/${stackName}/local`,
  };
}
