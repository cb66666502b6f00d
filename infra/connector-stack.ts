import {
  Annotations,
  type App,
  CfnOutput,
  CfnResource,
  DefaultStackSynthesizer,
  type IStackSynthesizer,
  Stack,
  Tags,
  Token,
} from 'aws-cdk-lib';
import { ManagedPolicy, PermissionsBoundary } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import {
  type Concurrency,
  concurrencyText,
  defaultConcurrency,
  fitConcurrency,
  LEAST_WORKERS,
} from '../shared/config/concurrency.ts';
import type { Connector } from '../shared/config/connector-config.ts';
import type { Deployment } from '../shared/config/connector-settings.ts';
import { VERSION } from '../shared/config/release.ts';
import {
  type StackOutput,
  type StackOutputs,
  stackNameOf,
} from '../shared/config/stack-outputs.ts';
import type { FunctionName } from './bundle-functions.ts';
import { addAnnounce, addReconcile, addSyncWorker } from './connector-function.ts';
import { addReceiver } from './endpoint.ts';
import { addAlarms, addAlarmTopic } from './monitoring/alarms.ts';
import { OperatorPolicies } from './operator-policies.ts';
import { DataKey, EventQueue, LedgerTable } from './storage.ts';
import { addStorefront } from './storefront.ts';

/**
 * The kinds of ledger items that a worker writes, beside what every worker notes, and those that it marks. Orders also
 * mark used codes; a request to erase a person comes with them. Customers come with coupons.
 */
const WRITTEN = {
  orders: {
    writes: ['order', 'redemption', 'notice', 'parked', 'plan'],
    marks: ['order', 'member', 'customer', 'redemption'],
  },
  products: { writes: ['product', 'parked', 'plan'], marks: ['product'] },
  coupons: {
    writes: ['coupon', 'member', 'customer', 'parked', 'plan'],
    marks: ['coupon', 'member'],
  },
} as const;

export interface LoyaltyConnectorProps {
  /** Part of the names of secrets and metrics: `prod` belongs to `connector.config.ts`. */
  readonly stage: string;
  readonly connector: Connector;
  readonly bundleOf: (name: FunctionName) => string;
  /** As `deploy` fitted it to the quota of the account. */
  readonly concurrency?: Concurrency | undefined;
  /**
   * For an app of your own, where `deploy` cannot read it: Lambda's quota of concurrent executions in the account and
   * region, without what other functions have reserved. Without it nothing is reserved, because a reservation above
   * the quota fails the deployment.
   */
  readonly lambdaQuota?: number | undefined;
}

/** One stage of the connector, as part of any stack. A stack can hold one, because its outputs have fixed names. */
export class LoyaltyConnector extends Construct {
  constructor(
    scope: Construct,
    id: string,
    { stage, connector, bundleOf, lambdaQuota, ...given }: LoyaltyConnectorProps,
  ) {
    super(scope, id);
    const concurrency = given.concurrency ?? fitTo(this, connector, lambdaQuota);
    const { stackName, region } = Stack.of(this);
    const { deployment } = connector;
    const { retainData, logRetentionDays, encryptionKey } = deployment;
    const metricsNamespace = `LoyaltyConnector/${stage}`;
    const secretsPrefix = `${deployment.namePrefix}loyalty-connector/${stage}`;
    govern(this, deployment);

    const dataKey =
      encryptionKey === undefined ? undefined : new DataKey(this, 'DataKey', encryptionKey);
    const data = { retainData, logRetentionDays, dataKey };
    const orders = new EventQueue(this, 'Orders', data);
    const products = new EventQueue(this, 'Products', data);
    const coupons = new EventQueue(this, 'Coupons', data);
    const ledger = new LedgerTable(this, 'Ledger', data);
    const topic = addAlarmTopic(this, connector.alarms.emails, dataKey);

    const environment = {
      ORDERS_QUEUE_URL: orders.source.queueUrl,
      PRODUCTS_QUEUE_URL: products.source.queueUrl,
      COUPONS_QUEUE_URL: coupons.source.queueUrl,
      SECRETS_PREFIX: secretsPrefix,
      METRICS_NAMESPACE: metricsNamespace,
    };

    const receiver = addReceiver(this, {
      bundle: bundleOf('receive-webhook'),
      queues: [orders, products, coupons],
      secretsPrefix,
      endpoint: deployment.endpoint,
      reservedConcurrency: concurrency.receiver,
      environment,
      ...data,
    });

    const limitsCalls = connector.loyalty.callsPerSecond !== undefined;
    const shared = { ...data, environment, ledger, secretsPrefix, limitsCalls };
    const syncWorker = (
      id: string,
      kind: 'orders' | 'products' | 'coupons',
      queue: EventQueue,
      fansOut = false,
    ) =>
      addSyncWorker(this, id, {
        ...shared,
        description: `Syncs ${kind === 'coupons' ? 'discount codes' : kind} to the loyalty service`,
        bundle: bundleOf(`sync-${kind}`),
        queue,
        maxConcurrency: concurrency[kind],
        fansOut,
        takesOrders: kind === 'orders',
        ...WRITTEN[kind],
      });
    const syncOrders = syncWorker('SyncOrders', 'orders', orders);
    const syncProducts = syncWorker('SyncProducts', 'products', products);
    const syncCoupons = syncWorker('SyncCoupons', 'coupons', coupons, true);

    const storefront =
      connector.storefront &&
      addStorefront(
        this,
        {
          ...{ ...shared, metricsNamespace, bundleOf },
          maxConcurrency: concurrency.balances ?? LEAST_WORKERS,
          reservedConcurrency: concurrency.storefront,
        },
        syncOrders,
      );

    const reconcile = addReconcile(this, {
      ...shared,
      bundle: bundleOf('reconcile'),
      queues: [orders, products, coupons],
      balances: storefront?.queue,
      healing: connector.healing,
      webhookAddress: receiver.address,
    });

    const announce =
      connector.events &&
      addAnnounce(this, {
        ...{ ...data, environment, ledger, ...connector.events },
        bundle: bundleOf('announce'),
      });

    const monitored = {
      connector,
      metricsNamespace,
      queues: { orders, products, coupons },
      functions: {
        'receive-webhook': receiver.lambda,
        'sync-orders': syncOrders.lambda,
        'sync-products': syncProducts.lambda,
        'sync-coupons': syncCoupons.lambda,
        reconcile,
        ...(announce && { announce }),
      },
      storefront,
      api: receiver.api,
      ledger,
    };
    addAlarms(new Construct(this, 'Watch'), monitored, topic);

    const { announce: _, ...functions } = monitored.functions;
    const { storefront: __, ...ofStorefront } = storefront?.functions ?? {};
    const logs = Object.values({ ...functions, ...ofStorefront }).map(({ logGroup }) => logGroup);
    const policies = new OperatorPolicies(this, 'OperatorPolicies', {
      queues: [orders, products, coupons, ...(storefront ? [storefront.queue] : [])],
      ledger,
      dataKey,
      secretsPrefix,
      reconcileArn: reconcile.functionArn,
      alarmTopicArn: topic.topicArn,
    });

    writeOutputs(this, {
      WebhookAddress: receiver.address,
      OrdersQueueUrl: orders.source.queueUrl,
      ProductsQueueUrl: products.source.queueUrl,
      CouponsQueueUrl: coupons.source.queueUrl,
      OrdersDeadLetterQueueUrl: orders.deadLetters.queueUrl,
      ProductsDeadLetterQueueUrl: products.deadLetters.queueUrl,
      CouponsDeadLetterQueueUrl: coupons.deadLetters.queueUrl,
      LedgerTable: ledger.table.tableName,
      LogGroups: logs.map(({ logGroupName }) => logGroupName).join(','),
      SecretsPrefix: secretsPrefix,
      MetricsNamespace: metricsNamespace,
      ReconcileFunction: reconcile.functionName,
      AlarmTopic: topic.topicArn,
      Concurrency: concurrencyText(concurrency),
      OperatorPolicy: policies.operatorArn,
      ReadOnlyOperatorPolicy: policies.readOnlyArn,
      ...storefront?.outputs,
      NextCommand: `npx loyalty-connector setup --stack ${stackName} --region ${region}`,
      Version: VERSION,
    });
    acknowledgeFindings(this);
  }
}

/** What an account asks of everything that is made in it. */
function govern(scope: Construct, { permissionsBoundary: boundary, tags }: Deployment): void {
  if (boundary !== undefined) {
    const policy = ManagedPolicy.fromManagedPolicyArn(scope, 'Boundary', boundary);
    PermissionsBoundary.of(scope).apply(policy);
  }
  for (const [name, value] of Object.entries(tags)) Tags.of(scope).add(name, value);
}

function fitTo(scope: Construct, connector: Connector, quota: number | undefined): Concurrency {
  if (quota === undefined) {
    Annotations.of(scope).addWarningV2(
      'loyalty-connector:lambdaQuota',
      'Without the property lambdaQuota no executions are reserved for webhooks: busy workers or other functions of the account can make them fail (docs/deploy.md).',
    );
    return defaultConcurrency(connector);
  }
  const { region } = Stack.of(scope);
  const limits = { total: quota, unreserved: quota, own: 0 };
  const fitted = fitConcurrency(limits, connector, Token.isUnresolved(region) ? 'REGION' : region);
  if (fitted.kind === 'refused') throw new Error(fitted.why.join('\n'));
  return fitted.concurrency;
}

/** One stage of the connector as a stack of its own. */
export class ConnectorStack extends Stack {
  constructor(app: App, props: LoyaltyConnectorProps) {
    const { deployment } = props.connector;
    const name = stackNameOf(props.stage, deployment);
    const qualifier = deployment.bootstrapQualifier;
    super(app, name, {
      description: `loyalty-connector, stage ${props.stage}`,
      stackName: name,
      // As many alarms as a stack can hold would make the file larger than CloudFormation takes.
      suppressTemplateIndentation: true,
      // CDK's command line sets it with every deployment.
      terminationProtection: props.stage === 'prod' && deployment.retainData,
      // Activated as cost allocation tags, they show what each stage costs.
      tags: { application: 'loyalty-connector', stage: props.stage, ...deployment.tags },
      ...(qualifier !== undefined && {
        synthesizer: new DefaultStackSynthesizer({ qualifier }) as IStackSynthesizer,
      }),
    });
    // Also what CDK may put beside the construct.
    govern(this, deployment);
    // CDK leaves this name out of logical ids.
    const { concurrency = defaultConcurrency(props.connector) } = props;
    new LoyaltyConnector(this, 'Default', { ...props, concurrency });
  }
}

const DESCRIPTIONS: Readonly<Record<StackOutput, string>> = {
  WebhookAddress: 'The webhook address of a shop is this, a slash and the path of the shop',
  OrdersQueueUrl: 'Queue of order events',
  ProductsQueueUrl: 'Queue of product events',
  CouponsQueueUrl: 'Queue of discount and discount code events',
  OrdersDeadLetterQueueUrl: 'Dead letters of orders',
  ProductsDeadLetterQueueUrl: 'Dead letters of products',
  CouponsDeadLetterQueueUrl: 'Dead letters of discounts and codes',
  LogGroups: 'The logs of the functions whose lines the audit reads',
  LedgerTable: 'The state that was applied last, per entity',
  SecretsPrefix: 'Secrets of a shop: this, a slash, its path, and /webhook, /loyalty or /store',
  MetricsNamespace: 'The namespace of the metrics in CloudWatch',
  ReconcileFunction: 'Compares the store with the ledger and sends what is missing',
  AlarmTopic: 'The topic that alarms notify',
  Concurrency: 'How many workers run at once, and what is reserved for each address',
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
function writeOutputs(scope: Construct, outputs: StackOutputs): void {
  for (const [name, value] of Object.entries(outputs)) {
    new CfnOutput(scope, `Output${name}`, {
      value,
      description: DESCRIPTIONS[name as StackOutput],
    }).overrideLogicalId(name);
  }
}

/** By the type of a resource: what checkov finds there, and why it stays. cdk-nag's are where the resource is. */
const FINDINGS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'AWS::SQS::Queue': {
    CKV_AWS_27:
      'SQS encrypts it with a key of its own; deployment.encryptionKey sets one of yours.',
  },
  'AWS::DynamoDB::Table': {
    CKV_AWS_119:
      'AWS encrypts it with a key of its own; deployment.encryptionKey sets one of yours.',
  },
  'AWS::Logs::LogGroup': {
    CKV_AWS_158: 'It holds ids, no personal data; deployment.encryptionKey sets a key of yours.',
  },
  'AWS::SNS::Topic': {
    CKV_AWS_26:
      'CloudWatch may not use the key of AWS; deployment.encryptionKey sets one of yours.',
  },
  'AWS::Lambda::Function': {
    CKV_AWS_115: 'deploy reserves what the quota allows; the queue limits a worker.',
    CKV_AWS_116: 'For asynchronous calls: queues have their own, and the next reconcile continues.',
    CKV_AWS_117:
      'It calls public addresses alone; a VPC would need a gateway, and protects nothing.',
    CKV_AWS_173: 'The variables hold names and addresses, no secret.',
  },
  'AWS::Lambda::Url': {
    CKV_AWS_258: 'A store cannot sign for AWS: the function refuses what its secret did not sign.',
  },
};

/** Writes into the template why findings of checkov and cfn-lint stay: both read it there. */
function acknowledgeFindings(scope: Construct): void {
  for (const one of scope.node.findAll()) {
    if (!CfnResource.isCfnResource(one)) continue;
    const type = one.cfnResourceType;
    const skip = Object.entries(FINDINGS[type] ?? {}).map(([id, comment]) => ({ id, comment }));
    if (skip.length > 0) one.addMetadata('checkov', { skip });
    // CDK names a dependency that a reference implies already.
    if (type === 'AWS::Lambda::Function') {
      one.addMetadata('cfn-lint', { config: { ignore_checks: ['W3005'] } });
    }
  }
}
