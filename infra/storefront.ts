import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import type { StorefrontService } from '../shared/config/metrics.ts';
import { addSyncWorker, ConnectorFunction } from './connector-function.ts';
import { addFunctionUrl } from './endpoint.ts';
import {
  EventQueue,
  type KeptData,
  type LedgerTable,
  RECEIVER_TIMEOUT,
  STOREFRONT_TIMEOUT,
} from './storage.ts';

interface StorefrontProps extends KeptData {
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

/**
 * The storefront sync (point events in, balances into the store) and the function behind the app proxy. `orders` tells
 * of an order with the code of a reward that was taken back.
 */
export function addStorefront(
  stack: Construct,
  { metricsNamespace, bundleOf, maxConcurrency, ...props }: StorefrontProps,
  orders: ConnectorFunction,
) {
  const { secretsPrefix, ledger, reservedConcurrency: _, ...shared } = props;
  // Two scopes, because both are part of logical ids.
  const balances = new Construct(stack, 'Balances');
  const queue = new EventQueue(balances, 'Queue', props);
  const environment = { SECRETS_PREFIX: secretsPrefix, METRICS_NAMESPACE: metricsNamespace };
  const toQueue = { BALANCES_QUEUE_URL: queue.source.queueUrl };
  // Any caller may call it: the token in the path is the authentication.
  const receiver = new ConnectorFunction(balances, 'Receiver', {
    ...props,
    description: 'Verifies point events and puts the balances in them on their queue',
    bundle: bundleOf('receive-points'),
    memoryMb: RECEIVER_MEMORY_MB,
    timeout: RECEIVER_TIMEOUT,
    environment: { ...environment, ...toQueue },
  });
  receiver.allow(['sqs:SendMessage'], [queue.source.queueArn]);
  receiver.allowSecrets(secretsPrefix, 'points');
  // Its queue limits the worker.
  const worker = addSyncWorker(balances, 'Sync', {
    ...{ ...shared, secretsPrefix, ledger, environment, queue, maxConcurrency },
    description: 'Syncs balances from the loyalty service to the store',
    bundle: bundleOf('sync-balances'),
    fansOut: false,
    takesOrders: false,
    writes: ['customer', ...REDEMPTION_KINDS],
    marks: ['customer'],
  });
  const PointsAddress = addFunctionUrl(receiver.lambda);
  // Any caller may call it: the signature of the query or a session token is the authentication. The function
  // answers preflights itself: a CORS setting of the address would also open the routes of the app proxy.
  const proxy = new ConnectorFunction(new Construct(stack, 'Storefront'), 'Proxy', {
    ...props,
    description: 'Answers requests of shoppers about the loyalty program',
    bundle: bundleOf('storefront'),
    memoryMb: PROXY_MEMORY_MB,
    timeout: STOREFRONT_TIMEOUT,
    environment: { ...environment, LEDGER_TABLE: ledger.table.tableName, ...toQueue },
  });
  proxy.allow(['dynamodb:BatchGetItem'], [ledger.table.tableArn]);
  proxy.allowWrites(ledger, [...REDEMPTION_KINDS, 'till', 'given', 'control'], props);
  // Takes the rest of a redemption when its shopper has left.
  proxy.allow(['sqs:SendMessage'], [queue.source.queueArn]);
  proxy.allowSecrets(secretsPrefix, 'webhook', 'loyalty', 'store');
  orders.lambda.addEnvironment('BALANCES_QUEUE_URL', queue.source.queueUrl);
  orders.allow(['sqs:SendMessage'], [queue.source.queueArn]);
  const functions: Readonly<Record<StorefrontService, LambdaFunction>> = {
    'receive-points': receiver.lambda,
    'sync-balances': worker.lambda,
    storefront: proxy.lambda,
  };
  const outputs = {
    PointsAddress,
    BalancesQueueUrl: queue.source.queueUrl,
    BalancesDeadLetterQueueUrl: queue.deadLetters.queueUrl,
    StorefrontAddress: addFunctionUrl(proxy.lambda),
  };
  return { queue, functions, outputs };
}
