import { EventSourceMapping } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { ConnectorFunction, type ConnectorFunctionProps } from './connector-function.ts';
import type { EventQueue } from './event-queue.ts';
import type { LedgerTable } from './ledger-table.ts';
import type { ShopSecrets } from './shop-secrets.ts';
import { WORKER_TIMEOUT } from './timing.ts';

export interface SyncWorkerProps
  extends Pick<
    ConnectorFunctionProps,
    'description' | 'bundle' | 'environment' | 'logRetentionDays' | 'dataKey'
  > {
  readonly queue: EventQueue;
  readonly ledger: LedgerTable;
  readonly secrets: ShopSecrets;
  readonly maxConcurrency: number;
  /** A message can concern many entities and is then split into one message for each. */
  readonly fansOut: boolean;
  /** Orders are compared with go-live, which is when the ledger was made unless it is set. */
  readonly takesOrders: boolean;
}

/** Enough for a batch of ten orders of the largest size of a webhook. */
const MEMORY_MB = 512;
/** The maximum of a FIFO event source. */
const BATCH_SIZE = 10;

/** A function that processes the events of one queue. */
export class SyncWorker extends Construct {
  readonly function: ConnectorFunction;

  constructor(scope: Construct, id: string, props: SyncWorkerProps) {
    super(scope, id);
    const { queue, ledger, secrets } = props;
    this.function = new ConnectorFunction(this, 'Worker', {
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
      },
    });
    // The event source uses the role of the function and needs the first three.
    this.function.allow(
      [
        'sqs:ReceiveMessage',
        'sqs:DeleteMessage',
        'sqs:GetQueueAttributes',
        'sqs:ChangeMessageVisibility',
      ],
      [queue.source.queueArn],
    );
    // Also to its own queue: an entity that must be checked again gets a new message.
    this.function.allow(['sqs:SendMessage'], [queue.source.queueArn, queue.deadLetters.queueArn]);
    this.function.allow(
      ['dynamodb:BatchGetItem', 'dynamodb:PutItem', 'dynamodb:UpdateItem'],
      [ledger.table.tableArn],
    );
    this.function.allow(['secretsmanager:GetSecretValue'], secrets.arnsOf('loyalty', 'store'));
    if (props.takesOrders) this.function.allow(['dynamodb:DescribeTable'], [ledger.table.tableArn]);
    if (props.fansOut) this.function.allow(['dynamodb:Query'], [ledger.codesIndexArn]);
    new EventSourceMapping(this, 'Source', {
      target: this.function.lambda,
      eventSourceArn: queue.source.queueArn,
      batchSize: BATCH_SIZE,
      reportBatchItemFailures: true,
      maxConcurrency: props.maxConcurrency,
    });
  }
}
