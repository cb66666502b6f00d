import type { ResolvedResource } from './describe-stack.ts';
import { readerOf } from './properties.ts';
import type {
  EventSourceDescription,
  FunctionDescription,
  PermissionDescription,
  ScheduleDescription,
  WebDescription,
} from './stack-description.ts';
import { UnknownInTemplate } from './template.ts';

/** What Lambda takes where the template says nothing. */
const DEFAULT_TIMEOUT_SECONDS = 3;
const DEFAULT_MEMORY_MB = 128;

export function describeFunction(resource: ResolvedResource): FunctionDescription {
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
    assetKey: code.text('S3Key'),
    handler: resource.text('Handler'),
    timeoutSeconds: resource.optionalNumber('Timeout') ?? DEFAULT_TIMEOUT_SECONDS,
    memoryMb: resource.optionalNumber('MemorySize') ?? DEFAULT_MEMORY_MB,
    environment: variables as Readonly<Record<string, string>>,
    logGroup: logging.optionalText('LogGroup') ?? `/aws/lambda/${identity.ref}`,
    reservedConcurrency: resource.optionalNumber('ReservedConcurrentExecutions'),
  };
}

/** A function answers requests from outside through its own address or through an HTTP API. */
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

export function describeEventSource(resource: ResolvedResource): EventSourceDescription {
  const scaling = readerOf(resource.logicalId, resource.fields('ScalingConfig'));
  return {
    queueArn: resource.text('EventSourceArn'),
    target: resource.text('FunctionName'),
    // Lambda's own default for a queue.
    batchSize: resource.optionalNumber('BatchSize') ?? 10,
    maximumConcurrency: scaling.optionalNumber('MaximumConcurrency'),
    reportsItemFailures: resource
      .texts('FunctionResponseTypes')
      .includes('ReportBatchItemFailures'),
  };
}

export function describeSchedules(resource: ResolvedResource): readonly ScheduleDescription[] {
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
      expression,
      target: reader.text('Arn'),
      input: JSON.parse(reader.optionalText('Input') ?? '{}'),
    };
  });
}

const PERMISSION_PARTS = ['Action', 'FunctionName', 'Principal', 'SourceArn'];
/** The rest of a permission is a condition on the request. */
const PERMISSION_CONDITIONS = ['FunctionUrlAuthType', 'InvokedViaFunctionUrl'];

export function describePermission(resource: ResolvedResource): PermissionDescription {
  const understood = [...PERMISSION_PARTS, ...PERMISSION_CONDITIONS];
  const strange = Object.keys(resource.properties).find((name) => !understood.includes(name));
  // A condition that nobody checks would let in more than AWS does.
  if (strange !== undefined) {
    throw new UnknownInTemplate(`the ${strange} of the permission ${resource.logicalId}`);
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
