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

type Identify = (name: string, place: Place) => Identity;

/** By resource type; `name` is the property that holds the resource's name. */
const identifiers: Readonly<Record<string, { readonly name?: string; readonly of: Identify }>> = {
  'AWS::SQS::Queue': {
    name: 'QueueName',
    of: (name, { endpoint, account, region }) => ({
      ref: `${endpoint}/${account}/${name}`,
      attributes: { Arn: `arn:aws:sqs:${region}:${account}:${name}`, QueueName: name },
    }),
  },
  'AWS::DynamoDB::Table': { name: 'TableName', of: identifyTable },
  'AWS::DynamoDB::GlobalTable': { name: 'TableName', of: identifyTable },
  'AWS::Lambda::Function': {
    name: 'FunctionName',
    of: (name, { region, account }) => ({
      ref: name,
      attributes: { Arn: `arn:aws:lambda:${region}:${account}:function:${name}` },
    }),
  },
  'AWS::Lambda::Url': {
    of: (name, { webAddress }) => webIdentity(name, 'FunctionUrl', webAddress),
  },
  'AWS::ApiGatewayV2::Api': {
    of: (name, { webAddress }) =>
      // An HTTP API's address has no slash at its end.
      webIdentity(name.toLowerCase(), 'ApiEndpoint', webAddress.replace(/\/$/, '')),
  },
  'AWS::IAM::Role': {
    name: 'RoleName',
    of: (name, { account }) => ({
      ref: name,
      attributes: { Arn: `arn:aws:iam::${account}:role/${name}` },
    }),
  },
  'AWS::IAM::ManagedPolicy': {
    name: 'ManagedPolicyName',
    of: (name, { account }) => ({ ref: `arn:aws:iam::${account}:policy/${name}`, attributes: {} }),
  },
  'AWS::Logs::LogGroup': {
    name: 'LogGroupName',
    of: (name, { region, account }) => ({
      ref: name,
      attributes: { Arn: `arn:aws:logs:${region}:${account}:log-group:${name}:*` },
    }),
  },
  'AWS::Events::Rule': {
    name: 'Name',
    of: (name, { region, account }) => ({
      ref: name,
      attributes: { Arn: `arn:aws:events:${region}:${account}:rule/${name}` },
    }),
  },
  'AWS::SNS::Topic': {
    name: 'TopicName',
    of: (name, { region, account }) => ({
      ref: `arn:aws:sns:${region}:${account}:${name}`,
      attributes: { TopicName: name, TopicArn: `arn:aws:sns:${region}:${account}:${name}` },
    }),
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
  return identifier.of(given ?? generatedName(logicalId, properties, place), place);
}

/** CloudFormation generates such names, with a random end. */
function generatedName(
  logicalId: string,
  properties: Readonly<Record<string, unknown>>,
  { stackName }: Place,
): string {
  return `${stackName}-${logicalId}${properties.FifoQueue === true ? '.fifo' : ''}`;
}

function identifyTable(name: string, { region, account }: Place): Identity {
  return {
    ref: name,
    attributes: { Arn: `arn:aws:dynamodb:${region}:${account}:table/${name}` },
  };
}

function webIdentity(id: string, attribute: string, address: string): Identity {
  return { ref: id, attributes: { [attribute]: address } };
}
