import { FunctionUrlAuthType } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import type { StorefrontService } from '../shared/config/metrics.ts';
import { ConnectorFunction } from './connector-function.ts';
import { addressOf } from './endpoint.ts';
import { EventQueue } from './event-queue.ts';
import type { LedgerTable } from './ledger-table.ts';
import type { ShopSecrets } from './shop-secrets.ts';
import { SyncWorker } from './sync-worker.ts';
import { RECEIVER_TIMEOUT } from './timing.ts';

export interface BalancesProps {
  readonly secretsPrefix: string;
  readonly metricsNamespace: string;
  readonly retainData: boolean;
  readonly logRetentionDays: number;
  readonly ledger: LedgerTable;
  readonly secrets: ShopSecrets;
  readonly bundleOf: (name: StorefrontService) => string;
}

const RECEIVER_MEMORY_MB = 256;
/** The least that AWS takes; two write the balances of hundreds of customers a minute. */
const MAX_CONCURRENCY = 2;

/** The way back: point events in, balances into the store. */
export class Balances extends Construct {
  readonly queue: EventQueue;
  readonly functions;
  readonly outputs;

  constructor(scope: Construct, id: string, props: BalancesProps) {
    super(scope, id);
    const { secrets, logRetentionDays, bundleOf } = props;
    const environment = {
      SECRETS_PREFIX: props.secretsPrefix,
      METRICS_NAMESPACE: props.metricsNamespace,
    };
    this.queue = new EventQueue(this, 'Queue', props);
    const receiver = new ConnectorFunction(this, 'Receiver', {
      description: 'Checks point events and puts the balances in them on their queue',
      bundle: bundleOf('receive-points'),
      memoryMb: RECEIVER_MEMORY_MB,
      timeout: RECEIVER_TIMEOUT,
      environment: { ...environment, BALANCES_QUEUE_URL: this.queue.source.queueUrl },
      logRetentionDays,
    });
    receiver.allow(['sqs:SendMessage'], [this.queue.source.queueArn]);
    receiver.allow(['secretsmanager:GetSecretValue'], secrets.arnsOf('points'));
    const worker = new SyncWorker(this, 'Sync', {
      description: 'Brings balances into the store',
      bundle: bundleOf('sync-balances'),
      environment,
      logRetentionDays,
      queue: this.queue,
      ledger: props.ledger,
      secrets,
      maxConcurrency: MAX_CONCURRENCY,
      fansOut: false,
    });
    this.functions = {
      'receive-points': receiver.lambda,
      'sync-balances': worker.function.lambda,
    };
    // Everybody may call: the token in the path is the authentication.
    const url = receiver.lambda.addFunctionUrl({ authType: FunctionUrlAuthType.NONE });
    this.outputs = {
      PointsAddress: addressOf(url),
      BalancesQueueUrl: this.queue.source.queueUrl,
      BalancesDeadLetterQueueUrl: this.queue.deadLetters.queueUrl,
    };
  }
}
