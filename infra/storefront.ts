import { FunctionUrlAuthType } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { ConnectorFunction } from './connector-function.ts';
import { addressOf } from './endpoint.ts';
import type { EventQueue } from './event-queue.ts';
import type { LedgerTable } from './ledger-table.ts';
import type { ShopSecrets } from './shop-secrets.ts';
import { STOREFRONT_TIMEOUT } from './timing.ts';

export interface StorefrontProps {
  readonly bundle: string;
  readonly secretsPrefix: string;
  readonly metricsNamespace: string;
  readonly logRetentionDays: number;
  readonly ledger: LedgerTable;
  readonly secrets: ShopSecrets;
  /** Takes what a redemption still needs when its shopper is gone. */
  readonly balances: EventQueue;
}

/** A shopper waits for a cold start: with more memory comes more of a processor. */
const MEMORY_MB = 512;

/** What Shopify's app proxy asks on behalf of a shopper. */
export class Storefront extends Construct {
  readonly function: ConnectorFunction;
  readonly outputs;

  constructor(scope: Construct, id: string, props: StorefrontProps) {
    super(scope, id);
    this.function = new ConnectorFunction(this, 'Proxy', {
      description: 'Answers what shoppers ask of the loyalty program',
      bundle: props.bundle,
      memoryMb: MEMORY_MB,
      timeout: STOREFRONT_TIMEOUT,
      environment: {
        SECRETS_PREFIX: props.secretsPrefix,
        METRICS_NAMESPACE: props.metricsNamespace,
        LEDGER_TABLE: props.ledger.table.tableName,
        BALANCES_QUEUE_URL: props.balances.source.queueUrl,
      },
      logRetentionDays: props.logRetentionDays,
    });
    this.function.allow(
      ['dynamodb:BatchGetItem', 'dynamodb:PutItem'],
      [props.ledger.table.tableArn],
    );
    this.function.allow(['sqs:SendMessage'], [props.balances.source.queueArn]);
    this.function.allow(
      ['secretsmanager:GetSecretValue'],
      props.secrets.arnsOf('webhook', 'loyalty', 'store'),
    );
    // Everybody may call: the signature of the query is the authentication.
    const url = this.function.lambda.addFunctionUrl({ authType: FunctionUrlAuthType.NONE });
    this.outputs = { StorefrontAddress: addressOf(url) };
  }
}
