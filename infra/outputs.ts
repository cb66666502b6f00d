import { CfnOutput } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import type { StackOutput, StackOutputs } from '../shared/config/stack-outputs.ts';

const DESCRIPTIONS: Readonly<Record<StackOutput, string>> = {
  WebhookAddress: 'The webhook address of a shop is this, a slash and the path of the shop',
  OrdersQueueUrl: 'Queue of order events',
  ProductsQueueUrl: 'Queue of product events',
  CouponsQueueUrl: 'Queue of discount and discount code events',
  OrdersDeadLetterQueueUrl: 'Dead letters of orders',
  ProductsDeadLetterQueueUrl: 'Dead letters of products',
  CouponsDeadLetterQueueUrl: 'Dead letters of discounts and codes',
  LedgerTable: 'The state that was applied last, per entity',
  SecretsPrefix: 'Secrets of a shop: this, a slash, its path, and /webhook, /loyalty or /store',
  MetricsNamespace: 'The namespace of the metrics in CloudWatch',
  ReconcileFunction: 'Compares the store with the ledger and sends what is missing',
  AlarmTopic: 'The topic that alarms notify',
  Dashboard: 'The CloudWatch dashboard',
  Concurrency: 'How many workers run at once, and what is reserved for the receiver',
  OperatorPolicy: 'Attach this policy to the people who operate the connector',
  ReadOnlyOperatorPolicy: 'Attach this policy to the people who only look at it',
  NextCommand: 'The command to run next',
  Version: 'The version of the connector that was deployed',
  PointsAddress:
    'The loyalty service sends point events here: npx loyalty-connector storefront setup shows the full address',
  StorefrontAddress:
    'The app proxy of the store calls this: npx loyalty-connector storefront setup shows the settings',
  BalancesQueueUrl: 'Queue of balance events',
  BalancesDeadLetterQueueUrl: 'Dead letters of balances',
};

/** The command line looks outputs up by these keys, so they get no generated suffix. */
export function writeOutputs(scope: Construct, outputs: StackOutputs): void {
  for (const [name, value] of Object.entries(outputs)) {
    new CfnOutput(scope, `Output${name}`, {
      value,
      description: DESCRIPTIONS[name as StackOutput],
    }).overrideLogicalId(name);
  }
}
