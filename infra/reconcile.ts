import { Duration } from 'aws-cdk-lib';
import { Rule, RuleTargetInput, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import { Construct } from 'constructs';
import type { Healing } from '../shared/config/healing-settings.ts';
import { ConnectorFunction, type ConnectorFunctionProps } from './connector-function.ts';
import type { EventQueue } from './event-queue.ts';
import type { LedgerTable } from './ledger-table.ts';
import type { ShopSecrets } from './shop-secrets.ts';
import { RECONCILE_TIMEOUT } from './timing.ts';

export interface ReconcileProps
  extends Pick<ConnectorFunctionProps, 'bundle' | 'environment' | 'logRetentionDays' | 'dataKey'> {
  readonly queues: readonly EventQueue[];
  /** Undefined where the storefront is not deployed: then there are no balances to repair. */
  readonly balances: EventQueue | undefined;
  readonly ledger: LedgerTable;
  /** It books its calls on the line of tokens in the ledger. */
  readonly limitsCalls: boolean;
  readonly secrets: ShopSecrets;
  readonly healing: Healing;
  readonly webhookAddress: string;
}

const MEMORY_MB = 512;
/** A run that starts later than this would overlap with the next one. */
const LATEST_START = Duration.minutes(5);

/** The function that compares the store with the ledger, and its schedules. */
export class Reconcile extends Construct {
  readonly function: ConnectorFunction;

  constructor(scope: Construct, id: string, props: ReconcileProps) {
    super(scope, id);
    const { balances, ledger, secrets, healing } = props;
    const queues = balances ? [...props.queues, balances] : props.queues;
    this.function = new ConnectorFunction(this, 'Reconciler', {
      ...props,
      description: 'Compares the store with the ledger and sends what is missing',
      memoryMb: MEMORY_MB,
      timeout: RECONCILE_TIMEOUT,
      environment: {
        ...props.environment,
        LEDGER_TABLE: ledger.table.tableName,
        WEBHOOK_ADDRESS: props.webhookAddress,
        ...(balances && { BALANCES_QUEUE_URL: balances.source.queueUrl }),
      },
    });
    this.function.allow(
      ['sqs:SendMessage', 'sqs:GetQueueAttributes'],
      queues.map(({ source }) => source.queueArn),
    );
    this.function.allow(
      ['BatchGetItem', 'PutItem', 'Scan', 'DescribeTable'].map((action) => `dynamodb:${action}`),
      [ledger.table.tableArn],
    );
    this.function.allow(['dynamodb:Query'], [ledger.codesIndexArn]);
    if (props.limitsCalls) this.function.allow(['dynamodb:UpdateItem'], [ledger.table.tableArn]);
    this.function.allow(['secretsmanager:GetSecretValue'], secrets.arnsOf('store', 'loyalty'));
    // The next run continues where a failed one stopped, so a retry gains nothing. While the account has
    // no concurrency left, Lambda would otherwise hold a run back for hours.
    this.function.lambda.configureAsyncInvoke({ retryAttempts: 0, maxEventAge: LATEST_START });
    this.#runEvery(Duration.minutes(healing.everyMinutes), 'Schedule', {});
    if (healing.deepEveryDays !== false) {
      this.#runEvery(Duration.days(healing.deepEveryDays), 'DeepSchedule', { mode: 'deep' });
    }
  }

  #runEvery(interval: Duration, id: string, input: object): void {
    new Rule(this, id, {
      schedule: Schedule.rate(interval),
      targets: [
        new LambdaFunction(this.function.lambda, {
          event: RuleTargetInput.fromObject(input),
          retryAttempts: 2,
          maxEventAge: LATEST_START,
        }),
      ],
    });
  }
}
