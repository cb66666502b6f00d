import { readPolicy, type Statement } from '../iam/policy.ts';
import type { Identity } from './identities.ts';
import { type Properties, type Reader, readerOf, UnknownInTemplate } from './template.ts';

/** One resource with its references resolved. */
export interface ResolvedResource extends Reader {
  readonly logicalId: string;
  readonly type: string;
  readonly identity: Identity;
}

/** Lambda's defaults. */
const DEFAULT_TIMEOUT_SECONDS = 3;
const DEFAULT_MEMORY_MB = 128;

export function describeFunction(resource: ResolvedResource) {
  const { logicalId, identity } = resource;
  const runtime = resource.text('Runtime');
  if (!runtime.startsWith('nodejs')) throw new UnknownInTemplate(`the runtime ${runtime}`);
  const code = readerOf(logicalId, resource.fields('Code'));
  const { Variables: variables = {} } = resource.fields('Environment');
  const logging = readerOf(logicalId, resource.fields('LoggingConfig'));
  return {
    logicalId,
    name: identity.ref,
    arn: identity.attributes.Arn ?? '',
    roleArn: resource.text('Role'),
    /** The name of the uploaded file in the asset manifest. */
    assetKey: code.text('S3Key'),
    /** `index.handler` */
    handler: resource.text('Handler'),
    timeoutSeconds: resource.optionalNumber('Timeout') ?? DEFAULT_TIMEOUT_SECONDS,
    memoryMb: resource.optionalNumber('MemorySize') ?? DEFAULT_MEMORY_MB,
    environment: variables as Readonly<Record<string, string>>,
    logGroup: logging.optionalText('LogGroup') ?? `/aws/lambda/${identity.ref}`,
    reservedConcurrency: resource.optionalNumber('ReservedConcurrentExecutions'),
  };
}

/** A function URL or an HTTP API. */
export function describeWeb(
  resource: ResolvedResource,
  routes: readonly ResolvedResource[],
): WebDescription {
  if (resource.type === 'AWS::Lambda::Url') {
    if (resource.text('AuthType') !== 'NONE') {
      throw new UnknownInTemplate(`the AuthType of the function URL ${resource.logicalId}`);
    }
    return { kind: 'function-url', target: resource.text('TargetFunctionArn') };
  }
  if (resource.text('PayloadFormatVersion') !== '2.0') {
    throw new UnknownInTemplate('an HTTP API with another payload format than 2.0');
  }
  const [route, ...others] = routes;
  if (!route || others.length > 0) {
    throw new UnknownInTemplate('an HTTP API with another number of routes than one');
  }
  return {
    kind: 'http-api',
    target: resource.text('IntegrationUri'),
    apiId: resource.text('ApiId'),
    route: route.text('RouteKey'),
  };
}

export function describeEventSource(resource: ResolvedResource) {
  const scaling = readerOf(resource.logicalId, resource.fields('ScalingConfig'));
  return {
    queueArn: resource.text('EventSourceArn'),
    target: resource.text('FunctionName'),
    // Lambda's default for a queue.
    batchSize: resource.optionalNumber('BatchSize') ?? 10,
    maximumConcurrency: scaling.optionalNumber('MaximumConcurrency'),
    reportsItemFailures: resource
      .texts('FunctionResponseTypes')
      .includes('ReportBatchItemFailures'),
  };
}

export function describeSchedules(resource: ResolvedResource) {
  const { identity, logicalId } = resource;
  const expression = resource.optionalText('ScheduleExpression');
  if (expression === undefined)
    throw new UnknownInTemplate(`a rule without a schedule: ${logicalId}`);
  if (resource.properties.State === 'DISABLED') return [];
  return resource.list('Targets').map((target) => {
    const reader = readerOf(logicalId, target as Readonly<Record<string, unknown>>);
    return {
      name: identity.ref,
      arn: identity.attributes.Arn ?? '',
      /** `rate(1 hour)` */
      expression,
      target: reader.text('Arn'),
      input: JSON.parse(reader.optionalText('Input') ?? '{}') as unknown,
    };
  });
}

const PERMISSION_PARTS = ['Action', 'FunctionName', 'Principal', 'SourceArn'];
/** These parts of a permission are conditions on the request. */
const PERMISSION_CONDITIONS = ['FunctionUrlAuthType', 'InvokedViaFunctionUrl'];

export function describePermission(resource: ResolvedResource) {
  const understood = [...PERMISSION_PARTS, ...PERMISSION_CONDITIONS];
  const unknown = Object.keys(resource.properties).find((name) => !understood.includes(name));
  // An unchecked condition would allow more than AWS does.
  if (unknown !== undefined) {
    throw new UnknownInTemplate(`the ${unknown} of the permission ${resource.logicalId}`);
  }
  return {
    logicalId: resource.logicalId,
    action: resource.text('Action'),
    target: resource.text('FunctionName'),
    principal: resource.text('Principal'),
    sourceArn: resource.optionalText('SourceArn'),
    conditions: Object.fromEntries(
      Object.entries(resource.properties).filter(([name]) => PERMISSION_CONDITIONS.includes(name)),
    ),
  };
}

/** Properties in CloudFormation that are not attributes of a queue. */
const NOT_ATTRIBUTES = new Set([
  'QueueName',
  'Tags',
  // The emulator has no keys; access control checks who may use them.
  'KmsMasterKeyId',
  'KmsDataKeyReusePeriodSeconds',
]);

export function describeQueue(resource: ResolvedResource) {
  const { identity, properties } = resource;
  const attributes = Object.entries(properties)
    .filter(([name]) => !NOT_ATTRIBUTES.has(name))
    .map(([name, value]) => [name, typeof value === 'object' ? JSON.stringify(value) : `${value}`]);
  return {
    name: identity.attributes.QueueName ?? '',
    arn: identity.attributes.Arn ?? '',
    url: identity.ref,
    keyArn: resource.optionalText('KmsMasterKeyId'),
    /** As CreateQueue takes them. */
    attributes: Object.fromEntries(attributes) as Readonly<Record<string, string>>,
  };
}

/** What the emulator's CreateTable accepts: it has no expiry and no backups. */
const CREATE_TABLE_PROPERTIES = [
  'AttributeDefinitions',
  'KeySchema',
  'GlobalSecondaryIndexes',
  'LocalSecondaryIndexes',
  'BillingMode',
];

export function describeTable(resource: ResolvedResource) {
  const { identity, properties, logicalId } = resource;
  const encryption = readerOf(logicalId, resource.fields('SSESpecification'));
  const creation = Object.entries(properties).filter(([name]) =>
    CREATE_TABLE_PROPERTIES.includes(name),
  );
  const keys = properties.KeySchema as readonly { AttributeName: string; KeyType: string }[];
  return {
    name: identity.ref,
    arn: identity.attributes.Arn ?? '',
    keyArn: encryption.optionalText('KMSMasterKeyId'),
    partitionKey: keys.find(({ KeyType: type }) => type === 'HASH')?.AttributeName ?? '',
    /** As CreateTable takes it. */
    creation: Object.fromEntries(creation) as Properties,
  };
}

/** A role of a function with all its policies, inline and attached. */
export function describeRole(role: ResolvedResource, policies: readonly ResolvedResource[]) {
  const { identity, logicalId } = role;
  const managed = role.texts('ManagedPolicyArns');
  if (managed.length > 0 || role.properties.PermissionsBoundary !== undefined) {
    // The template does not contain their text, so nothing here could check it.
    throw new UnknownInTemplate(`a managed policy of the role ${logicalId}: ${managed.join(', ')}`);
  }
  const inline = role
    .list('Policies')
    .map((policy) => readerOf(logicalId, policy as Readonly<Record<string, unknown>>));
  const attached = policies.filter((policy) => policy.texts('Roles').includes(identity.ref));
  return {
    name: identity.ref,
    arn: identity.attributes.Arn ?? '',
    statements: [...inline, ...attached].flatMap(statementsOf) as readonly Statement[],
  };
}

/** A policy for people, as a role that has only this policy. */
export function describeManagedPolicy(policy: ResolvedResource) {
  return {
    name: policyName(policy.identity.ref),
    arn: policy.identity.ref,
    statements: statementsOf(policy),
  };
}

/** The name in the ARN of a managed policy. */
export function policyName(arn: string): string {
  return arn.split('/').at(-1) ?? '';
}

export function statementsOf(policy: Reader): readonly Statement[] {
  const reading = readPolicy(policy.fields('PolicyDocument'));
  if (reading.kind === 'read') return reading.statements;
  throw new UnknownInTemplate(`a policy with ${reading.problem}`);
}

/** The resources of a template that run here, with every reference resolved. */
export interface StackDescription {
  readonly queues: readonly QueueDescription[];
  readonly tables: readonly ReturnType<typeof describeTable>[];
  readonly functions: readonly FunctionDescription[];
  /** Public addresses, by the output that holds the address. */
  readonly webs: Readonly<Record<string, WebDescription>>;
  readonly eventSources: readonly EventSourceDescription[];
  readonly schedules: readonly ScheduleDescription[];
  readonly roles: readonly ReturnType<typeof describeRole>[];
  /** Who else may invoke a function. */
  readonly permissions: readonly PermissionDescription[];
  /** Of all queues: they only deny. */
  readonly queuePolicies: readonly Statement[];
  readonly outputs: Readonly<Record<string, string>>;
}

/** Something whose contents are encrypted with a key of the account. */
export interface Encrypted {
  readonly arn: string;
  readonly keyArn?: string | undefined;
}

export type QueueDescription = ReturnType<typeof describeQueue>;

export type FunctionDescription = ReturnType<typeof describeFunction>;

/** A public address. */
export type WebDescription =
  | { readonly kind: 'function-url'; readonly target: FunctionReference }
  | {
      readonly kind: 'http-api';
      readonly target: FunctionReference;
      readonly apiId: string;
      /** `POST /{shop}`: any other request gets 404. */
      readonly route: string;
    };

export type EventSourceDescription = ReturnType<typeof describeEventSource>;

export type ScheduleDescription = ReturnType<typeof describeSchedules>[number];

export type PermissionDescription = ReturnType<typeof describePermission>;

/** A name or an ARN: templates use both. */
export type FunctionReference = string;

export function isFunction(
  { name, arn }: Pick<FunctionDescription, 'name' | 'arn'>,
  reference: FunctionReference,
): boolean {
  return reference === name || reference === arn;
}

/** Policies refer to roles by name, functions by ARN. */
export function roleNameOf({ roleArn }: Pick<FunctionDescription, 'roleArn'>): string {
  return roleArn.split('/').at(-1) ?? '';
}
