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
    'description' | 'bundle' | 'environment' | 'logRetentionDays'
  > {
  readonly queue: EventQueue;
  readonly ledger: LedgerTable;
  readonly secrets: ShopSecrets;
  readonly maxConcurrency: number;
  /** Whether a message can be about many entities, which it turns into messages of their own. */
  readonly fansOut: boolean;
}

/** Room for a batch of ten orders as large as a webhook can be. */
const MEMORY_MB = 512;
/** The most that a FIFO event source takes. */
const BATCH_SIZE = 10;

/** A function that settles the events of one queue. */
export class SyncWorker extends Construct {
  readonly function: ConnectorFunction;

  constructor(scope: Construct, id: string, props: SyncWorkerProps) {
    super(scope, id);
    const { queue, ledger, secrets } = props;
    this.function = new ConnectorFunction(this, 'Worker', {
      ...props,
      memoryMb: MEMORY_MB,
      timeout: WORKER_TIMEOUT,
      // A discount with thousands of codes is taken page by page, each page a message that the one
      // before it sent. Lambda would take the sixteenth for a runaway loop, and stop it.
      feedsItself: props.fansOut,
      environment: {
        ...props.environment,
        SOURCE_QUEUE_URL: queue.source.queueUrl,
        DEAD_LETTER_QUEUE_URL: queue.deadLetters.queueUrl,
        LEDGER_TABLE: ledger.table.tableName,
      },
    });
    // The first three for the event source, which acts as the function.
    this.function.allow(
      [
        'sqs:ReceiveMessage',
        'sqs:DeleteMessage',
        'sqs:GetQueueAttributes',
        'sqs:ChangeMessageVisibility',
      ],
      [queue.source.queueArn],
    );
    // Its own queue, too: what must be looked at again gets a message of its own.
    this.function.allow(['sqs:SendMessage'], [queue.source.queueArn, queue.deadLetters.queueArn]);
    this.function.allow(
      ['dynamodb:BatchGetItem', 'dynamodb:PutItem', 'dynamodb:UpdateItem'],
      [ledger.table.tableArn],
    );
    this.function.allow(['secretsmanager:GetSecretValue'], secrets.arnsOf('loyalty', 'store'));
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
