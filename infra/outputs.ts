import { CfnOutput, type Stack } from 'aws-cdk-lib';
import type { StackOutput, StackOutputs } from '../shared/config/stack-outputs.ts';

const DESCRIPTIONS: Readonly<Record<StackOutput, string>> = {
  WebhookAddress: 'Webhooks of a shop go to this address, a slash and the path of the shop',
  OrdersQueueUrl: 'Orders on their way',
  ProductsQueueUrl: 'Products on their way',
  CouponsQueueUrl: 'Discounts and their codes on their way',
  OrdersDeadLetterQueueUrl: 'Orders that need a person',
  ProductsDeadLetterQueueUrl: 'Products that need a person',
  CouponsDeadLetterQueueUrl: 'Discounts and codes that need a person',
  LedgerTable: 'What was applied last, per entity',
  SecretsPrefix: 'Secrets of a shop: this, a slash, its path, and /webhook, /loyalty or /store',
  MetricsNamespace: 'The namespace of the metrics in CloudWatch',
  ReconcileFunction: 'Finds and mends what the store never told',
  AlarmTopic: 'Where alarms go',
  Dashboard: 'What is going on, in figures',
  NextCommand: 'What to type next',
  PointsAddress: 'Point events go below this address: npx connector storefront setup tells where',
  StorefrontAddress:
    'What the app proxy of the store asks: npx connector storefront setup tells how',
  BalancesQueueUrl: 'Balances on their way into the store',
  BalancesDeadLetterQueueUrl: 'Balances that need a person',
};

/** The keys are what the command line looks for, so they carry no suffix. */
export function writeOutputs(stack: Stack, outputs: StackOutputs): void {
  for (const [name, value] of Object.entries(outputs)) {
    new CfnOutput(stack, `Output${name}`, {
      value,
      description: DESCRIPTIONS[name as StackOutput],
    }).overrideLogicalId(name);
  }
}
