import { createHash, randomUUID } from 'node:crypto';

type Item = Readonly<Record<string, unknown>>;
type Key = { readonly entity?: { readonly S: string }; readonly id?: { readonly S: string } };

export interface SentMessage {
  readonly MessageBody: string;
  readonly MessageGroupId: string;
}

export interface CapacityUnits {
  readonly read: number;
  readonly write: number;
}

const READ_UNIT_BYTES = 4 * 1024;
const WRITE_UNIT_BYTES = 1024;

interface Input {
  readonly MessageBody: string;
  readonly MessageGroupId: string;
  readonly TableName: string;
  readonly Key: Key;
  readonly Item: Item & Key;
  readonly RequestItems: Readonly<Record<string, { readonly Keys: readonly Key[] }>>;
}

const LONG_AGO_SECONDS = 1_790_000_000;

/** One text with the fields of every secret. */
const SECRET = JSON.stringify({ current: 'bench-secret', token: 'bench', key: 'bench' });

/**
 * Answers the AWS calls of both variants. Items are stored, so that a second event finds the first.
 * Conditions always hold, because no bench writes one item concurrently.
 */
export function createAwsAnswers() {
  const tables = new Map<string, Map<string, Item>>();
  const units = { read: 0, write: 0 };
  const sent: SentMessage[] = [];
  const table = (name: string) => {
    const found = tables.get(name) ?? new Map<string, Item>();
    tables.set(name, found);
    return found;
  };
  const keyOf = ({ entity, id }: Key) => (entity ?? id)?.S ?? '';

  const answers: Readonly<Record<string, (input: Input) => unknown>> = {
    'AmazonSQS.SendMessage': ({ MessageBody, MessageGroupId }) => {
      sent.push({ MessageBody, MessageGroupId });
      return {
        MessageId: randomUUID(),
        MD5OfMessageBody: createHash('md5').update(MessageBody).digest('hex'),
        SequenceNumber: '18849496460467696128',
      };
    },
    'secretsmanager.GetSecretValue': () => ({
      ARN: 'arn:aws:secretsmanager:us-east-1:000000000000:secret:bench-000000',
      Name: 'bench',
      VersionId: '00000000-0000-4000-8000-000000000000',
      SecretString: SECRET,
      VersionStages: ['AWSCURRENT'],
      CreatedDate: LONG_AGO_SECONDS,
    }),
    // Go-live: the orders of the bench are placed after it.
    'DynamoDB_20120810.DescribeTable': () => ({ Table: { CreationDateTime: LONG_AGO_SECONDS } }),
    'DynamoDB_20120810.GetItem': ({ TableName, Key }) => ({ Item: read(TableName, Key) }),
    'DynamoDB_20120810.BatchGetItem': ({ RequestItems }) => ({
      Responses: Object.fromEntries(
        Object.entries(RequestItems).map(([name, { Keys }]) => [
          name,
          Keys.flatMap((key) => read(name, key) ?? []),
        ]),
      ),
      UnprocessedKeys: {},
    }),
    'DynamoDB_20120810.PutItem': ({ TableName, Item }) => {
      units.write += unitsOf(Item, WRITE_UNIT_BYTES);
      table(TableName).set(keyOf(Item), Item);
      return {};
    },
  };

  /** DynamoDB bills consistent reads even if there is no item. */
  function read(name: string, key: Key): Item | undefined {
    const item = table(name).get(keyOf(key));
    units.read += unitsOf(item ?? {}, READ_UNIT_BYTES);
    return item;
  }

  return {
    /** Undefined if not a call of the variants. */
    answer: (target: string, body: string): unknown => answers[target]?.(JSON.parse(body)),
    /** The messages since the last call. */
    takeSent: (): readonly SentMessage[] => sent.splice(0),
    /** What DynamoDB bills since the last call. */
    takeUnits(): CapacityUnits {
      const taken = { ...units };
      Object.assign(units, { read: 0, write: 0 });
      return taken;
    },
  };
}

/** DynamoDB counts the names and the values of the attributes; a number is at most as long as its text. */
function unitsOf(item: Item, unitBytes: number): number {
  const bytes = Object.entries(item).reduce(
    (sum, [name, value]) =>
      sum + name.length + Buffer.byteLength(Object.values(value ?? {}).join()),
    0,
  );
  return Math.max(Math.ceil(bytes / unitBytes), 1);
}
