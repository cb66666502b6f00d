import { type Template, type TemplateResource, UnknownInTemplate } from './template.ts';

/** The results of Ref and GetAtt for a resource. */
export interface Identity {
  readonly ref: string;
  readonly attributes: Readonly<Record<string, string>>;
  /** The resource does not exist here, so its attributes can have any value. */
  readonly isPlaceholder?: true;
}

/** Account, region and addresses on this machine. */
export interface Place {
  readonly region: string;
  readonly account: string;
  readonly stackName: string;
  /** The gateway in front of the emulators; queue URLs begin with it. */
  readonly endpoint: string;
  /** The public address, with a slash at the end, as AWS writes it. */
  readonly webAddress: string;
}

interface Identifier {
  /** The property that holds the resource's name. */
  readonly name?: string;
  readonly of: (name: string, place: Place) => Identity;
}

export const arnOf = (
  service: string,
  { region, account }: Pick<Place, 'region' | 'account'>,
  resource: string,
): string => `arn:aws:${service}:${service === 'iam' ? '' : region}:${account}:${resource}`;

/** Whose Ref is its name. `resource`: what its ARN ends with, `{}` for the name. */
const named = (name: string, service: string, resource: string): Identifier => ({
  name,
  of: (ref, place) => ({
    ref,
    attributes: { Arn: arnOf(service, place, resource.replace('{}', ref)) },
  }),
});

const identifiers: Readonly<Record<string, Identifier>> = {
  'AWS::SQS::Queue': {
    name: 'QueueName',
    of: (name, place) => ({
      ref: `${place.endpoint}/${place.account}/${name}`,
      attributes: { Arn: arnOf('sqs', place, name), QueueName: name },
    }),
  },
  'AWS::DynamoDB::Table': named('TableName', 'dynamodb', 'table/{}'),
  'AWS::DynamoDB::GlobalTable': named('TableName', 'dynamodb', 'table/{}'),
  'AWS::Lambda::Function': named('FunctionName', 'lambda', 'function:{}'),
  'AWS::Lambda::Url': {
    of: (ref, { webAddress }) => ({ ref, attributes: { FunctionUrl: webAddress } }),
  },
  'AWS::ApiGatewayV2::Api': {
    of: (name, { webAddress }) => ({
      ref: name.toLowerCase(),
      // An HTTP API's address has no slash at its end.
      attributes: { ApiEndpoint: webAddress.replace(/\/$/, '') },
    }),
  },
  'AWS::IAM::Role': named('RoleName', 'iam', 'role/{}'),
  'AWS::IAM::ManagedPolicy': {
    name: 'ManagedPolicyName',
    of: (name, place) => ({ ref: arnOf('iam', place, `policy/${name}`), attributes: {} }),
  },
  'AWS::Logs::LogGroup': named('LogGroupName', 'logs', 'log-group:{}:*'),
  'AWS::Events::Rule': named('Name', 'events', 'rule/{}'),
  'AWS::SNS::Topic': {
    name: 'TopicName',
    of: (TopicName, place) => {
      const TopicArn = arnOf('sns', place, TopicName);
      return { ref: TopicArn, attributes: { TopicName, TopicArn } };
    },
  },
};

export function createIdentities(
  { Resources: resources }: Template,
  place: Place,
  resolve: (value: unknown) => unknown,
): (logicalId: string) => Identity | undefined {
  const known = new Map<string, Identity>();
  return (logicalId) => {
    const resource = resources[logicalId];
    if (!resource) return undefined;
    const found = known.get(logicalId) ?? identify(logicalId, resource, place, resolve);
    known.set(logicalId, found);
    return found;
  };
}

function identify(
  logicalId: string,
  { Type: type, Properties: properties = {} }: TemplateResource,
  place: Place,
  resolve: (value: unknown) => unknown,
): Identity {
  const identifier = Object.hasOwn(identifiers, type) ? identifiers[type] : undefined;
  if (!identifier) return { ref: logicalId, attributes: {}, isPlaceholder: true };
  const given = identifier.name === undefined ? undefined : resolve(properties[identifier.name]);
  if (given !== undefined && typeof given !== 'string') {
    throw new UnknownInTemplate(`a ${identifier.name} that is not a text, of ${logicalId}`);
  }
  // CloudFormation generates such names, with a random end.
  const generated = `${place.stackName}-${logicalId}${properties.FifoQueue === true ? '.fifo' : ''}`;
  return identifier.of(given ?? generated, place);
}
