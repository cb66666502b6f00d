import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import type { StorefrontService } from '../shared/config/metrics.ts';
import { ConnectorFunction, SyncWorker } from './connector-function.ts';
import { addFunctionUrl } from './endpoint.ts';
import {
  EventQueue,
  type KeptData,
  type LedgerTable,
  RECEIVER_TIMEOUT,
  STOREFRONT_TIMEOUT,
} from './storage.ts';

export interface StorefrontProps extends KeptData {
  readonly secretsPrefix: string;
  readonly metricsNamespace: string;
  readonly ledger: LedgerTable;
  /** It books its calls with the rate limit in the ledger. */
  readonly limitsCalls: boolean;
  readonly bundleOf: (name: StorefrontService) => string;
  /** Of the worker. */
  readonly maxConcurrency: number;
  /** Of each function with an address. */
  readonly reservedConcurrency?: number | undefined;
}

const RECEIVER_MEMORY_MB = 256;
/** A shopper waits for a cold start, and more memory comes with more CPU. */
const PROXY_MEMORY_MB = 512;

/** What a redemption leaves in the ledger. */
const REDEMPTION_KINDS = ['redemption', 'reward-code'];

/** The storefront sync (point events in, balances into the store) and the functions behind the app proxy. */
export class Storefront {
  readonly queue: EventQueue;
  readonly functions: Readonly<Record<StorefrontService, LambdaFunction>>;
  readonly outputs;

  /** Two scopes, because both are part of logical ids. */
  constructor(stack: Construct, props: StorefrontProps) {
    const balances = new Construct(stack, 'Balances');
    this.queue = new EventQueue(balances, 'Queue', props);
    const receiver = this.#createReceiver(balances, props);
    // Its queue limits the worker.
    const { reservedConcurrency: _, ...shared } = props;
    const worker = new SyncWorker(balances, 'Sync', {
      ...shared,
      description: 'Syncs balances from the loyalty service to the store',
      bundle: props.bundleOf('sync-balances'),
      environment: environmentOf(props),
      queue: this.queue,
      maxConcurrency: props.maxConcurrency,
      fansOut: false,
      takesOrders: false,
      writes: ['customer', ...REDEMPTION_KINDS],
      marks: ['customer'],
    });
    const pointsAddress = addFunctionUrl(receiver.lambda);
    const proxy = this.#createProxy(new Construct(stack, 'Storefront'), props);
    this.functions = {
      'receive-points': receiver.lambda,
      'sync-balances': worker.function.lambda,
      storefront: proxy.lambda,
    };
    this.outputs = {
      PointsAddress: pointsAddress,
      BalancesQueueUrl: this.queue.source.queueUrl,
      BalancesDeadLetterQueueUrl: this.queue.deadLetters.queueUrl,
      StorefrontAddress: addFunctionUrl(proxy.lambda),
    };
  }

  /** Of an order with the code of a reward that was taken back. */
  hearFrom(orders: ConnectorFunction): void {
    orders.lambda.addEnvironment('BALANCES_QUEUE_URL', this.queue.source.queueUrl);
    orders.allow(['sqs:SendMessage'], [this.queue.source.queueArn]);
  }

  /** Any caller may call it: the token in the path is the authentication. */
  #createReceiver(scope: Construct, props: StorefrontProps): ConnectorFunction {
    const receiver = new ConnectorFunction(scope, 'Receiver', {
      ...props,
      description: 'Verifies point events and puts the balances in them on their queue',
      bundle: props.bundleOf('receive-points'),
      memoryMb: RECEIVER_MEMORY_MB,
      timeout: RECEIVER_TIMEOUT,
      environment: { ...environmentOf(props), BALANCES_QUEUE_URL: this.queue.source.queueUrl },
    });
    receiver.allow(['sqs:SendMessage'], [this.queue.source.queueArn]);
    receiver.allowSecrets(props.secretsPrefix, 'points');
    return receiver;
  }

  /**
   * Any caller may call it: the signature of the query or a session token is the authentication. The function
   * answers preflights itself: a CORS setting of the address would also open the routes of the app proxy.
   */
  #createProxy(scope: Construct, props: StorefrontProps): ConnectorFunction {
    const { ledger } = props;
    const proxy = new ConnectorFunction(scope, 'Proxy', {
      ...props,
      description: 'Answers requests of shoppers about the loyalty program',
      bundle: props.bundleOf('storefront'),
      memoryMb: PROXY_MEMORY_MB,
      timeout: STOREFRONT_TIMEOUT,
      environment: {
        ...environmentOf(props),
        LEDGER_TABLE: ledger.table.tableName,
        BALANCES_QUEUE_URL: this.queue.source.queueUrl,
      },
    });
    proxy.allow(['dynamodb:BatchGetItem'], [ledger.table.tableArn]);
    proxy.allowWrites(ledger, [...REDEMPTION_KINDS, 'till', 'given', 'control'], props);
    // Takes the rest of a redemption when its shopper has left.
    proxy.allow(['sqs:SendMessage'], [this.queue.source.queueArn]);
    proxy.allowSecrets(props.secretsPrefix, 'webhook', 'loyalty', 'store');
    return proxy;
  }
}

function environmentOf({ secretsPrefix, metricsNamespace }: StorefrontProps) {
  return { SECRETS_PREFIX: secretsPrefix, METRICS_NAMESPACE: metricsNamespace };
}
