import { secretArn } from '../../secrets-emulator.ts';

export type Service = 'sqs' | 'dynamodb' | 'secretsmanager' | 'lambda';

/** What a call to AWS wants, in the words of IAM. */
export interface AwsCall {
  readonly service: Service;
  readonly action: string;
  /** All of them must be allowed. */
  readonly resources: readonly string[];
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

/** Undefined: none of the services that run here. */
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
  const [prefix = '', operation = ''] = request.amzTarget.split('.');
  const service = TARGETS.get(prefix);
  if (!service || operation === '') return undefined;
  const fields = readFields(request.body);
  switch (service) {
    case 'sqs':
      return { service, action: sqsAction(operation), resources: [queueArn(fields, place)] };
    case 'dynamodb':
      return { service, action: `dynamodb:${operation}`, resources: tableArns(fields, place) };
    case 'secretsmanager': {
      const action = `secretsmanager:${operation}`;
      const id = textOf(fields, 'SecretId') ?? textOf(fields, 'Name') ?? '*';
      return { service, action, resources: [id.startsWith('arn:') ? id : secretArn(id)] };
    }
    case 'lambda':
      return undefined;
  }
}

/** A batch needs the permission of the single call ("Actions for Amazon SQS", IAM). */
const sqsAction = (operation: string): string => `sqs:${operation.replace(/Batch$/, '')}`;

function queueArn(fields: Fields, { region, account }: Place): string {
  const name = textOf(fields, 'QueueName') ?? textOf(fields, 'QueueUrl')?.split('/').at(-1) ?? '*';
  return `arn:aws:sqs:${region}:${account}:${name}`;
}

/** Of one table or index, or of every table of a batch. */
function tableArns(fields: Fields, { region, account }: Place): readonly string[] {
  const arn = (table: string) =>
    table.startsWith('arn:') ? table : `arn:aws:dynamodb:${region}:${account}:table/${table}`;
  const index = textOf(fields, 'IndexName');
  const table = textOf(fields, 'TableName');
  if (table !== undefined)
    return [index === undefined ? arn(table) : `${arn(table)}/index/${index}`];
  const batch = fields.RequestItems;
  const tables = typeof batch === 'object' && batch !== null ? Object.keys(batch) : ['*'];
  return tables.map(arn);
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
    // The emulator behind says what is wrong with it.
    return {};
  }
}
