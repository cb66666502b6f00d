/**
 * The keys of the CloudFormation outputs. The stack writes them; the command line and the local stack
 * read them.
 */
export const STACK_OUTPUTS = [
  /** Without the shop's own part: a shop's webhooks go to `<WebhookAddress>/<path>`. */
  'WebhookAddress',
  'OrdersQueueUrl',
  'ProductsQueueUrl',
  'CouponsQueueUrl',
  'OrdersDeadLetterQueueUrl',
  'ProductsDeadLetterQueueUrl',
  'CouponsDeadLetterQueueUrl',
  'LedgerTable',
  /** Of the functions whose lines `audit` reads, separated by commas. */
  'LogGroups',
  /** A shop's secrets are `<SecretsPrefix>/<path>/webhook`, `/loyalty` and `/store`. */
  'SecretsPrefix',
  'MetricsNamespace',
  'ReconcileFunction',
  'AlarmTopic',
  /** See shared/config/concurrency.ts. */
  'Concurrency',
  /** ARNs of the policies for people. */
  'OperatorPolicy',
  'ReadOnlyOperatorPolicy',
  'NextCommand',
  /** Of the connector that was deployed. */
  'Version',
] as const;

/** Written only where the settings have a `storefront`. */
const OPTIONAL_OUTPUTS = [
  /** Point events go to `<PointsAddress>/<path>/<token>`. */
  'PointsAddress',
  /** Shopify's app proxy calls `<StorefrontAddress>/<path>/…`. */
  'StorefrontAddress',
  'BalancesQueueUrl',
  'BalancesDeadLetterQueueUrl',
] as const;

type OptionalOutput = (typeof OPTIONAL_OUTPUTS)[number];

export type StackOutput = (typeof STACK_OUTPUTS)[number] | OptionalOutput;

export type StackOutputs = Readonly<
  Record<Exclude<StackOutput, OptionalOutput>, string> & Partial<Record<OptionalOutput, string>>
>;

/** The name of a stage's own stack, after which CloudFormation names what is in it. */
export const stackNameOf = (
  stage: string,
  { namePrefix }: { readonly namePrefix: string },
): string => `${namePrefix}loyalty-connector-${stage}`;
