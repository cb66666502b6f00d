import { Duration, Stack } from 'aws-cdk-lib';
import { Rule, RuleTargetInput, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction as FunctionTarget } from 'aws-cdk-lib/aws-events-targets';
import { Effect, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import {
  Architecture,
  Code,
  EventSourceMapping,
  Function as LambdaFunction,
  LoggingFormat,
  RecursiveLoop,
  Runtime,
  SystemLogLevel,
} from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import type { Healing } from '../shared/config/connector-settings.ts';
import { ANNOUNCE_MINUTES, RECONCILE_MINUTES } from '../shared/config/metrics.ts';
import {
  ANNOUNCE_TIMEOUT,
  acceptWildcard,
  ConnectorLog,
  type EventQueue,
  type KeptData,
  keysOf,
  type LedgerTable,
  RECONCILE_TIMEOUT,
  type SecretPurpose,
  secretArns,
  WORKER_TIMEOUT,
} from './storage.ts';

export interface ConnectorFunctionProps extends KeptData {
  readonly description: string;
  readonly bundle: string;
  readonly memoryMb: number;
  readonly timeout: Duration;
  readonly environment: Readonly<Record<string, string>>;
  readonly reservedConcurrency?: number | undefined;
  /** Its messages may cause more messages to itself, which Lambda would stop as a recursive loop. */
  readonly feedsItself?: boolean | undefined;
}

/** A function with its own log group and its own role, which at first may only write the log. */
export class ConnectorFunction extends Construct {
  readonly lambda: LambdaFunction;
  readonly logs: ConnectorLog;
  readonly #role: Role;

  constructor(scope: Construct, id: string, props: ConnectorFunctionProps) {
    super(scope, id);
    this.logs = new ConnectorLog(this, 'Logs', props);
    this.#role = new Role(this, 'Role', {
      assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
      description: `${id} of ${Stack.of(this).stackName}`,
    });
    if (props.dataKey) this.#role.addToPolicy(props.dataKey.allow());
    this.allow(['logs:CreateLogStream', 'logs:PutLogEvents'], [this.logs.logGroupArn]);
    this.lambda = new LambdaFunction(this, 'Function', {
      description: props.description,
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      code: Code.fromAsset(props.bundle),
      handler: 'index.handler',
      memorySize: props.memoryMb,
      timeout: props.timeout,
      environment: { ...props.environment },
      role: this.#role,
      logGroup: this.logs,
      loggingFormat: LoggingFormat.JSON,
      // Start and end of every invocation would be three paid log lines that the metrics make
      // superfluous; failures and time-outs are still logged.
      systemLogLevelV2: SystemLogLevel.WARN,
      ...(props.feedsItself && { recursiveLoop: RecursiveLoop.ALLOW }),
      ...(props.reservedConcurrency !== undefined && {
        reservedConcurrentExecutions: props.reservedConcurrency,
      }),
    });
  }

  /** Actions by name: the grant methods of CDK allow more than is needed. */
  allow(
    actions: readonly string[],
    resources: readonly string[],
    conditions: Record<string, unknown> = {},
  ): void {
    this.#role.addToPolicy(
      new PolicyStatement({
        effect: Effect.ALLOW,
        actions: [...actions],
        resources: [...resources],
        conditions,
      }),
    );
  }

  /** Those of all shops. */
  allowSecrets(prefix: string, ...purposes: readonly SecretPurpose[]): void {
    const arns = secretArns(this, prefix, ...purposes);
    for (const arn of arns) acceptWildcard(this.#role, arn, 'One purpose, of every shop.');
    this.allow(['secretsmanager:GetSecretValue'], arns);
  }

  /** Only items of these kinds. An update needs no read: a mark, a redaction, and the booking of a call where they are limited. */
  allowWrites(
    { table }: LedgerTable,
    kinds: readonly string[],
    { limitsCalls, marks = [] }: { limitsCalls: boolean; marks?: readonly string[] },
  ): void {
    this.allow(['dynamodb:PutItem'], [table.tableArn], keysOf(kinds));
    const updated = limitsCalls ? [...marks, 'calls'] : marks;
    if (updated.length > 0) this.allow(['dynamodb:UpdateItem'], [table.tableArn], keysOf(updated));
  }
}

/** What every worker notes: a pause of the shop, a dead letter, a message that waits, which busy shop it works for. */
const NOTED_BY_WORKERS = ['control', 'waiting', 'dead-letter', 'place'];

interface SyncWorkerProps
  extends KeptData,
    Pick<ConnectorFunctionProps, 'description' | 'bundle' | 'environment'> {
  readonly queue: EventQueue;
  readonly ledger: LedgerTable;
  readonly secretsPrefix: string;
  readonly maxConcurrency: number;
  /** The kinds of ledger items that it writes. */
  readonly writes: readonly string[];
  /** Those that it marks as uncertain or redacted. */
  readonly marks: readonly string[];
  /** A message can concern many entities and is then split into one message for each. */
  readonly fansOut: boolean;
  /** It books its calls with the rate limit in the ledger. */
  readonly limitsCalls: boolean;
  /** Orders are compared with go-live, which is when the ledger was made unless it is set. */
  readonly takesOrders: boolean;
}

/** Enough for a batch of ten orders of the largest size of a webhook. */
const MEMORY_MB = 512;
/** The maximum of a FIFO event source. */
const BATCH_SIZE = 10;

export function addSyncWorker(
  scope: Construct,
  id: string,
  props: SyncWorkerProps,
): ConnectorFunction {
  const place = new Construct(scope, id);
  const { queue, ledger, secretsPrefix } = props;
  const worker = new ConnectorFunction(place, 'Worker', {
    ...props,
    memoryMb: MEMORY_MB,
    timeout: WORKER_TIMEOUT,
    // A discount with thousands of codes is processed page by page, and each page sends the message
    // for the next. Lambda would stop the sixteenth as a recursive loop.
    feedsItself: props.fansOut,
    environment: {
      ...props.environment,
      SOURCE_QUEUE_URL: queue.source.queueUrl,
      DEAD_LETTER_QUEUE_URL: queue.deadLetters.queueUrl,
      LEDGER_TABLE: ledger.table.tableName,
      WORKERS: String(props.maxConcurrency),
    },
  });
  // The event source uses the role of the function and needs the first three.
  worker.allow(
    [
      'sqs:ReceiveMessage',
      'sqs:DeleteMessage',
      'sqs:GetQueueAttributes',
      'sqs:ChangeMessageVisibility',
    ],
    [queue.source.queueArn],
  );
  // Also to its own queue: an entity that must be checked again gets a new message.
  worker.allow(['sqs:SendMessage'], [queue.source.queueArn, queue.deadLetters.queueArn]);
  worker.allow(['dynamodb:BatchGetItem'], [ledger.table.tableArn]);
  worker.allowWrites(ledger, [...props.writes, ...NOTED_BY_WORKERS], props);
  worker.allowSecrets(secretsPrefix, 'loyalty', 'store');
  if (props.takesOrders) worker.allow(['dynamodb:DescribeTable'], [ledger.table.tableArn]);
  if (props.fansOut) worker.allow(['dynamodb:Query'], [ledger.codesIndexArn]);
  new EventSourceMapping(place, 'Source', {
    target: worker.lambda,
    eventSourceArn: queue.source.queueArn,
    batchSize: BATCH_SIZE,
    reportBatchItemFailures: true,
    maxConcurrency: props.maxConcurrency,
  });
  return worker;
}

interface ReconcileProps extends KeptData, Pick<ConnectorFunctionProps, 'bundle' | 'environment'> {
  readonly queues: readonly EventQueue[];
  /** Undefined where the storefront is not deployed: then there are no balances to repair. */
  readonly balances: EventQueue | undefined;
  readonly ledger: LedgerTable;
  /** It books its calls with the rate limit in the ledger. */
  readonly limitsCalls: boolean;
  readonly secretsPrefix: string;
  readonly healing: Healing;
  readonly webhookAddress: string;
}

/** A run that starts later than this would overlap with the next one. */
const LATEST_START = Duration.minutes(5);

export function addReconcile(scope: Construct, props: ReconcileProps): LambdaFunction {
  const place = new Construct(scope, 'Reconcile');
  const { balances, ledger, healing } = props;
  const queues = balances ? [...props.queues, balances] : props.queues;
  const reconciler = new ConnectorFunction(place, 'Reconciler', {
    ...props,
    description: 'Compares the store with the ledger and sends what is missing',
    memoryMb: MEMORY_MB,
    timeout: RECONCILE_TIMEOUT,
    environment: {
      ...props.environment,
      LEDGER_TABLE: ledger.table.tableName,
      WEBHOOK_ADDRESS: props.webhookAddress,
      ...(balances && { BALANCES_QUEUE_URL: balances.source.queueUrl }),
    },
  });
  reconciler.allow(
    ['sqs:SendMessage', 'sqs:GetQueueAttributes'],
    queues.map(({ source }) => source.queueArn),
  );
  reconciler.allow(
    ['BatchGetItem', 'Scan', 'DescribeTable'].map((action) => `dynamodb:${action}`),
    [ledger.table.tableArn],
  );
  // Its position, a pause, and the codes of a discount, which are announced before they are sent.
  reconciler.allowWrites(ledger, ['cursor', 'control', 'coupon'], {
    ...props,
    // What a redaction did not name.
    marks: ['order', 'member'],
  });
  reconciler.allow(['dynamodb:Query'], [ledger.codesIndexArn]);
  reconciler.allowSecrets(props.secretsPrefix, 'store', 'loyalty');
  // The next run continues where a failed one stopped, so a retry gains nothing. While the account has
  // no concurrency left, Lambda would otherwise hold a run back for hours.
  reconciler.lambda.configureAsyncInvoke({ retryAttempts: 0, maxEventAge: LATEST_START });
  runEvery(place, reconciler, Duration.minutes(RECONCILE_MINUTES), 'Schedule', {});
  if (healing.deepEveryDays !== false) {
    const interval = Duration.days(healing.deepEveryDays);
    runEvery(place, reconciler, interval, 'DeepSchedule', { mode: 'deep' });
  }
  return reconciler.lambda;
}

function runEvery(
  scope: Construct,
  { lambda }: ConnectorFunction,
  interval: Duration,
  id: string,
  input: object,
): void {
  const event = RuleTargetInput.fromObject(input);
  const target = new FunctionTarget(lambda, { event, retryAttempts: 2, maxEventAge: LATEST_START });
  new Rule(scope, id, { schedule: Schedule.rate(interval), targets: [target] });
}

interface AnnounceProps extends KeptData, Pick<ConnectorFunctionProps, 'bundle' | 'environment'> {
  readonly ledger: LedgerTable;
  readonly bus: string;
}

export function addAnnounce(
  scope: Construct,
  { ledger, bus, ...props }: AnnounceProps,
): LambdaFunction {
  const place = new Construct(scope, 'Announce');
  const stack = Stack.of(scope);
  const announcer = new ConnectorFunction(place, 'Announcer', {
    ...props,
    description: 'Announces on EventBridge what changed',
    memoryMb: MEMORY_MB,
    timeout: ANNOUNCE_TIMEOUT,
    environment: {
      ...props.environment,
      ...{ EVENT_BUS: bus, STACK_NAME: stack.stackName, LEDGER_TABLE: ledger.table.tableName },
    },
  });
  announcer.allow(['dynamodb:BatchGetItem'], [ledger.table.tableArn]);
  announcer.allow(['dynamodb:Query'], [ledger.lettersIndexArn]);
  announcer.allow(['dynamodb:PutItem'], [ledger.table.tableArn], keysOf(['cursor']));
  const busArn = { service: 'events', resource: 'event-bus', resourceName: bus };
  announcer.allow(['events:PutEvents'], [stack.formatArn(busArn)]);
  // The next run announces what a failed one did not.
  announcer.lambda.configureAsyncInvoke({ retryAttempts: 0, maxEventAge: LATEST_START });
  runEvery(place, announcer, Duration.minutes(ANNOUNCE_MINUTES), 'Schedule', {});
  return announcer.lambda;
}
