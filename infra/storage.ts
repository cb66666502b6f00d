import { ArnFormat, Duration, RemovalPolicy, Stack, Validations } from 'aws-cdk-lib';
import {
  AttributeType,
  BillingMode,
  ProjectionType,
  Table,
  TableEncryption,
} from 'aws-cdk-lib/aws-dynamodb';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { type IKey, Key } from 'aws-cdk-lib/aws-kms';
import { LogGroup, type RetentionDays } from 'aws-cdk-lib/aws-logs';
import {
  DeduplicationScope,
  FifoThroughputLimit,
  Queue,
  QueueEncryption,
} from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';

/**
 * Times that depend on each other and on constants of the runtime code, which the stack does not import:
 * test/unit/infra/timing.test.ts compares them.
 */

/** Longer than the slowest event: store read, every call, the fallback, the ledger, and the return. */
export const WORKER_TIMEOUT = Duration.seconds(240);

/** Counts only after a worker crashed: otherwise workers set the time. AWS asks for six time-outs. */
export const VISIBILITY = Duration.seconds(6 * WORKER_TIMEOUT.toSeconds());

/** The maximum of SQS. The retry schedule needs fewer within the longest retry window. */
const MAX_RECEIVES = 1000;

/** The maximum of SQS, and longer than the longest retry window. */
export const RETENTION = Duration.days(14);

/** The maximum of Lambda: a first run has much to compare, and the next run continues where it stopped. */
export const RECONCILE_TIMEOUT = Duration.minutes(15);

/** A run ends before the next one begins. */
export const ANNOUNCE_TIMEOUT = Duration.minutes(4);

/** The store hangs up after 5 s; a longer time-out would not help. */
export const RECEIVER_TIMEOUT = Duration.seconds(10);

/**
 * Reading takes a few seconds at most, because each call has a time-out. Redeeming may take longer than the
 * store waits: the function still finishes, and a repeated request gets the same result.
 */
export const STOREFRONT_TIMEOUT = Duration.seconds(30);

/** shared/aws/ledger-item.ts uses the same names; a test compares them. */
const CODES_INDEX = 'codes-of-discount';
const DEAD_LETTERS_INDEX = 'dead-letters';

/** The state that was applied last, per entity. */
export class LedgerTable extends Construct {
  readonly table: Table;
  readonly codesIndexArn: string;
  readonly indexNames = [CODES_INDEX, DEAD_LETTERS_INDEX];
  readonly lettersIndexArn: string;

  constructor(scope: Construct, id: string, props: KeptData) {
    super(scope, id);
    this.table = new Table(this, 'Table', {
      partitionKey: { name: 'entity', type: AttributeType.STRING },
      billingMode: BillingMode.PAY_PER_REQUEST,
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      ...(props.dataKey && {
        encryption: TableEncryption.CUSTOMER_MANAGED,
        encryptionKey: props.dataKey.key,
      }),
      timeToLiveAttribute: 'expiresAt',
      deletionProtection: props.retainData,
      removalPolicy: props.retainData ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
    });
    this.table.addGlobalSecondaryIndex({
      indexName: CODES_INDEX,
      partitionKey: { name: 'd', type: AttributeType.STRING },
      projectionType: ProjectionType.INCLUDE,
      nonKeyAttributes: ['c'],
    });
    // CloudFormation adds one index per update: the next release can have another one.
    this.table.addGlobalSecondaryIndex({
      indexName: DEAD_LETTERS_INDEX,
      partitionKey: { name: 'l', type: AttributeType.STRING },
      sortKey: { name: 't', type: AttributeType.STRING },
      projectionType: ProjectionType.INCLUDE,
      nonKeyAttributes: ['m', 'f', 'expiresAt'],
    });
    this.lettersIndexArn = `${this.table.tableArn}/index/${DEAD_LETTERS_INDEX}`;
    this.codesIndexArn = `${this.table.tableArn}/index/${CODES_INDEX}`;
  }
}

/** Each new data key is a paid request. The longest that SQS allows is a day; a withdrawn key works for so long. */
const QUEUE_KEY_REUSE = Duration.hours(1);

const USES = [
  ...['kms:Decrypt', 'kms:DescribeKey'],
  // SQS and Secrets Manager need a data key to write; the others are for DynamoDB.
  ...['kms:GenerateDataKey', 'kms:Encrypt', 'kms:ReEncryptFrom', 'kms:ReEncryptTo'],
];

/**
 * A key of the merchant, instead of those of AWS, for queues, ledger, secrets, logs and the topic of alarms.
 * See docs/decisions/0028-permissions-are-written-by-hand-and-changes-are-recorded.md.
 */
export class DataKey extends Construct {
  readonly key: IKey;

  constructor(scope: Construct, id: string, arn: string) {
    super(scope, id);
    this.key = Key.fromKeyArn(this, 'Key', arn);
  }

  /** Only through the services that hold the data: the key itself is never called. */
  allow(): PolicyStatement {
    const { region, urlSuffix } = Stack.of(this);
    const services = ['sqs', 'dynamodb', 'secretsmanager'];
    return new PolicyStatement({
      actions: USES,
      resources: [this.key.keyArn],
      conditions: {
        StringEquals: {
          'kms:ViaService': services.map((service) => `${service}.${region}.${urlSuffix}`),
        },
      },
    });
  }
}

/** The maximum of SQS. Stated, because the default was a quarter of it for many years. */
const MAX_MESSAGE_BYTES = 1_048_576;

export interface KeptData {
  /** Also after the stack is deleted. */
  readonly retainData: boolean;
  readonly logRetentionDays: number;
  readonly dataKey: DataKey | undefined;
}

/**
 * Of generated names: what a deleted stack retains must not block the next one. A failed deployment deletes what it
 * has just created.
 */
const removalOf = ({ retainData }: KeptData): RemovalPolicy =>
  retainData ? RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE : RemovalPolicy.DESTROY;

/** Who deletes the stack does not delete what it did: a log that is retained expires line by line. */
export class ConnectorLog extends LogGroup {
  constructor(scope: Construct, id: string, data: KeptData) {
    super(scope, id, {
      retention: data.logRetentionDays as RetentionDays,
      ...(data.dataKey && { encryptionKey: data.dataKey.key }),
      removalPolicy: removalOf(data),
    });
  }
}

/** A queue of events and its dead-letter queue. */
export class EventQueue extends Construct {
  readonly source: Queue;
  readonly deadLetters: Queue;

  constructor(scope: Construct, id: string, props: KeptData) {
    super(scope, id);
    const common = {
      fifo: true,
      // Groups do not slow each other down: thousands of entities a second instead of three hundred.
      deduplicationScope: DeduplicationScope.MESSAGE_GROUP,
      fifoThroughputLimit: FifoThroughputLimit.PER_MESSAGE_GROUP_ID,
      ...(props.dataKey
        ? {
            encryption: QueueEncryption.KMS,
            encryptionMasterKey: props.dataKey.key,
            dataKeyReuse: QUEUE_KEY_REUSE,
          }
        : { encryption: QueueEncryption.SQS_MANAGED }),
      enforceSSL: true,
      retentionPeriod: RETENTION,
      maxMessageSizeBytes: MAX_MESSAGE_BYTES,
      removalPolicy: removalOf(props),
    };
    this.deadLetters = new Queue(this, 'DeadLetters', common);
    this.source = new Queue(this, 'Source', {
      ...common,
      visibilityTimeout: VISIBILITY,
      deadLetterQueue: { queue: this.deadLetters, maxReceiveCount: MAX_RECEIVES },
    });
  }
}

/** Of a permission: only items of these kinds, which stand first in their keys. */
export function keysOf(kinds: readonly string[]): Record<string, unknown> {
  return likeKeys(kinds.map((kind) => `${kind}|*`));
}

export function likeKeys(patterns: readonly string[]): Record<string, unknown> {
  return { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': [...patterns] } };
}

/** `points`: the token of point events, where they are received. */
export type SecretPurpose = 'webhook' | 'loyalty' | 'store' | 'points';

/**
 * The ARNs of all shops' secrets of these purposes: each function may read only those that it needs.
 * `npx loyalty-connector secrets set` and `setup` create the secrets, because a resource for each would limit the
 * number of shops (CloudFormation has 500 resources, a policy 6,144 characters).
 */
export function secretArns(
  scope: Construct,
  prefix: string,
  ...purposes: readonly SecretPurpose[]
): string[] {
  // Secrets Manager adds six characters of its own to a name.
  const names = purposes.map((purpose) => `${prefix}/*/${purpose}-??????`);
  return names.map((resourceName) =>
    Stack.of(scope).formatArn({
      service: 'secretsmanager',
      resource: 'secret',
      resourceName,
      arnFormat: ArnFormat.COLON_RESOURCE_NAME,
    }),
  );
}

/** cdk-nag names a finding by the resource, with references in angle brackets. */
export function acceptWildcard(scope: Construct, arn: string, reason: string): void {
  const resolved = Stack.of(scope).resolve(arn);
  const parts: (string | { Ref: string })[] = [resolved['Fn::Join']?.[1] ?? resolved].flat();
  const name = parts.map((part) => (typeof part === 'string' ? part : `<${part.Ref}>`)).join('');
  const id = `AwsSolutions::AwsSolutions-IAM5[Resource::${name}]`;
  Validations.of(scope).acknowledge({ id, reason });
}
