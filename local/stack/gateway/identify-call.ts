import { secretArn } from '../../secrets-emulator.ts';

export type Service = 'sqs' | 'dynamodb' | 'secretsmanager' | 'lambda' | 'sts';

/** A call to AWS in IAM's terms. */
export interface AwsCall {
  readonly service: Service;
  readonly action: string;
  /** All of them must be allowed. */
  readonly resources: readonly string[];
  /** Of a call to DynamoDB: the items or keys in it. */
  readonly items?: readonly Fields[];
}

export interface Place {
  readonly region: string;
  readonly account: string;
}

type Fields = Readonly<Record<string, unknown>>;

const TARGETS: ReadonlyMap<string, Service> = new Map([
  ['AmazonSQS', 'sqs'],
  ['DynamoDB_20120810', 'dynamodb'],
  ['secretsmanager', 'secretsmanager'],
]);

const INVOKE = /^\/2015-03-31\/functions\/([^/]+)\/invocations$/;

/** Undefined means no service that runs here. */
export function identifyCall(
  request: { readonly path: string; readonly amzTarget: string; readonly body: Uint8Array },
  place: Place,
): AwsCall | undefined {
  const [, functionName] = INVOKE.exec(request.path) ?? [];
  if (functionName !== undefined) {
    const name = decodeURIComponent(functionName).replace(/^arn:.*:function:/, '');
    const arn = `arn:aws:lambda:${place.region}:${place.account}:function:${name}`;
    return { service: 'lambda', action: 'lambda:InvokeFunction', resources: [arn] };
  }
  // Every caller may ask who it is ("GetCallerIdentity", STS).
  if (Buffer.from(request.body).toString().startsWith('Action=GetCallerIdentity&')) {
    return { service: 'sts', action: 'sts:GetCallerIdentity', resources: [] };
  }
  const [prefix = '', operation = ''] = request.amzTarget.split('.');
  const service = TARGETS.get(prefix);
  if (!service || operation === '') return undefined;
  const fields = readFields(request.body);
  switch (service) {
    case 'sqs':
      return { service, action: sqsAction(operation), resources: queueArns(fields, place) };
    case 'dynamodb':
      return {
        service,
        action: `dynamodb:${operation}`,
        resources: tableArns(fields, place),
        items: [fields.Item, fields.Key].filter((one) => one !== undefined).map(Object),
      };
    case 'secretsmanager':
      return { service, action: `secretsmanager:${operation}`, resources: secretArns(fields) };
    case 'lambda':
    case 'sts':
      return undefined;
  }
}

/** A batch needs the permission of the single call ("Actions for Amazon SQS", IAM). */
const sqsAction = (operation: string): string => `sqs:${operation.replace(/Batch$/, '')}`;

/**
 * These functions return every resource that the call names, in any field, because the emulator might
 * use either of two. A call that names nothing counts as a call on everything.
 */
function queueArns(fields: Fields, { region, account }: Place): readonly string[] {
  const address = textOf(fields, 'QueueUrl')?.split('/').at(-1);
  const names = named(address, textOf(fields, 'QueueName'));
  return names.map((name) => `arn:aws:sqs:${region}:${account}:${name}`);
}

function secretArns(fields: Fields): readonly string[] {
  const ids = named(textOf(fields, 'SecretId'), textOf(fields, 'Name'));
  return ids.map((id) => (id.startsWith('arn:') ? id : secretArn(id)));
}

/** One table or index, or every table of a batch. */
function tableArns(fields: Fields, { region, account }: Place): readonly string[] {
  const arn = (table: string) =>
    table.startsWith('arn:') ? table : `arn:aws:dynamodb:${region}:${account}:table/${table}`;
  const index = textOf(fields, 'IndexName');
  const table = textOf(fields, 'TableName');
  const batch = fields.RequestItems;
  const tables = typeof batch === 'object' && batch !== null ? Object.keys(batch) : [];
  const one = table === undefined || index === undefined ? table : `${table}/index/${index}`;
  return named(one, ...tables).map(arn);
}

function named(...names: readonly (string | undefined)[]): readonly string[] {
  const given = names.filter((name) => name !== undefined);
  return given.length > 0 ? given : ['*'];
}

function textOf(fields: Fields, name: string): string | undefined {
  const value = fields[name];
  return typeof value === 'string' ? value : undefined;
}

function readFields(body: Uint8Array): Fields {
  try {
    const value: unknown = JSON.parse(Buffer.from(body).toString());
    return typeof value === 'object' && value !== null ? (value as Fields) : {};
  } catch {
    // The emulator reports what is wrong.
    return {};
  }
}
