import { ArnFormat, Stack } from 'aws-cdk-lib';
import { ManagedPolicy, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import {
  acceptWildcard,
  type DataKey,
  type EventQueue,
  type LedgerTable,
  likeKeys,
} from './storage.ts';

export interface OperatorPoliciesProps {
  readonly queues: readonly EventQueue[];
  readonly ledger: LedgerTable;
  readonly dataKey: DataKey | undefined;
  readonly secretsPrefix: string;
  readonly reconcileArn: string;
  readonly alarmTopicArn: string;
}

/**
 * What an operator may write into the ledger, by the partition key: that the dead letter of an entity was dropped, a
 * closed redemption, the position of a backfill, a pause, the end of a wait.
 */
const WRITABLE_KEYS = [
  ...['order', 'product', 'coupon', 'member', 'dead-letter'].map((kind) => `${kind}|*`),
  ...['redemption', 'cursor', 'control', 'waiting'].map((kind) => `${kind}|*`),
];

/** The caller's own audit records, whose keys hold their id (scripts/connector/ground/session/audit-records.ts). */
// biome-ignore lint/suspicious/noTemplateCurlyInString: a variable of IAM, not of JavaScript
const OWN_RECORDS = 'audit|operators-????-??|${aws:userid}|*';

/**
 * Of a reader: only that personal data is shown to them. Without that record no command shows any.
 * See docs/decisions/0028-permissions-are-written-by-hand-and-changes-are-recorded.md.
 */
const OWN_REVEALS = `${OWN_RECORDS}|reveal-*`;

/**
 * Two policies to attach to people: what the commands need, on this stack alone (docs/operator-access.md).
 * They have generated names, which cannot collide with those of another region or of a deleted stack. Their
 * descriptions must never change: that replaces a policy, and the people would lose it.
 */
export class OperatorPolicies extends Construct {
  readonly operatorArn: string;
  readonly readOnlyArn: string;

  constructor(scope: Construct, id: string, props: OperatorPoliciesProps) {
    super(scope, id);
    const looks = this.#looks(props);
    const key = props.dataKey ? [props.dataKey.allow()] : [];
    this.readOnlyArn = this.#policy('ReadOnly', 'looks at, but cannot change,', [
      ...looks,
      appendRecords(props.ledger, OWN_REVEALS),
      ...key,
    ]);
    this.operatorArn = this.#policy('Operator', 'operates', [
      ...looks,
      ...this.#changes(props),
      ...key,
    ]);
  }

  #policy(id: string, verb: string, statements: PolicyStatement[]): string {
    const description = `A person who ${verb} ${Stack.of(this).stackName}`;
    return new ManagedPolicy(this, id, { description, statements }).managedPolicyArn;
  }

  /** No secrets: with them a person could change everything in the store and in the loyalty service. */
  #looks({ queues, ledger, alarmTopicArn }: OperatorPoliciesProps): PolicyStatement[] {
    const stack = Stack.of(this).formatArn({
      service: 'cloudformation',
      resource: 'stack',
      resourceName: `${Stack.of(this).stackName}/*`,
    });
    acceptWildcard(this, stack, 'The end is an id, which the command line does not know.');
    acceptWildcard(this, '*', 'GetMetricData and GetAccountSettings know no resources.');
    const deadLetters = queues.map((queue) => queue.deadLetters.queueArn);
    const sources = queues.map((queue) => queue.source.queueArn);
    return [
      allow(['cloudformation:DescribeStacks'], [stack]),
      allow(['sqs:GetQueueAttributes'], [...sources, ...deadLetters]),
      allow(['dynamodb:BatchGetItem', 'dynamodb:DescribeTable'], [ledger.table.tableArn]),
      allow(['dynamodb:Query'], [ledger.codesIndexArn, ledger.lettersIndexArn]),
      allow(['sns:ListSubscriptionsByTopic'], [alarmTopicArn]),
      allow(['cloudwatch:GetMetricData', 'lambda:GetAccountSettings'], ['*']),
    ];
  }

  #changes({
    queues,
    ledger,
    secretsPrefix,
    reconcileArn,
    alarmTopicArn,
  }: OperatorPoliciesProps): PolicyStatement[] {
    const secrets = Stack.of(this).formatArn({
      service: 'secretsmanager',
      resource: 'secret',
      resourceName: `${secretsPrefix}/*`,
      arnFormat: ArnFormat.COLON_RESOURCE_NAME,
    });
    acceptWildcard(this, secrets, 'All are secrets of this stack.');
    const logs = Stack.of(this).formatArn({
      service: 'logs',
      resource: 'log-group',
      resourceName: `${Stack.of(this).stackName}-*`,
      arnFormat: ArnFormat.COLON_RESOURCE_NAME,
    });
    acceptWildcard(this, logs, 'All names together are longer than a policy may be.');
    return [
      // A queue can be read only by receiving, which may hide a dead letter from all others for half a day.
      allow(
        ['sqs:ReceiveMessage', 'sqs:ChangeMessageVisibility', 'sqs:DeleteMessage'],
        queues.map(({ deadLetters }) => deadLetters.queueArn),
      ),
      // `retry-now` ends waits; without ReceiveMessage it can change no message that a worker did not delay.
      allow(
        ['sqs:SendMessage', 'sqs:ChangeMessageVisibility'],
        queues.map(({ source }) => source.queueArn),
      ),
      allow(['dynamodb:PutItem'], [ledger.table.tableArn], likeKeys(WRITABLE_KEYS)),
      // `privacy`: no index knows whose an item is. `audit` reads all of them.
      allow(['dynamodb:Scan'], [ledger.table.tableArn]),
      allow(['logs:FilterLogEvents'], [logs]),
      appendRecords(ledger, OWN_RECORDS),
      allow(
        SECRET_ACTIONS.map((one) => `secretsmanager:${one}`),
        [secrets],
      ),
      allow(['lambda:InvokeFunction'], [reconcileArn]),
      // `setup` enters the first address for alarms.
      allow(['sns:Subscribe'], [alarmTopicArn]),
    ];
  }
}

/** `secrets set` creates a secret with the tags of the stack; `recover` asks how old one is. */
const SECRET_ACTIONS = [
  ...['GetSecretValue', 'PutSecretValue', 'DescribeSecret'],
  ...['CreateSecret', 'TagResource'],
];

/**
 * "Grants permission to create a new item, if an item with same primary key does not exist in the table" (Service
 * Authorization Reference, DynamoDB): unlike a put, an insert replaces nothing, so people cannot change or hide
 * their own records.
 */
function appendRecords({ table }: LedgerTable, keys: string): PolicyStatement {
  return allow(['dynamodb:PartiQLInsert'], [table.tableArn], likeKeys([keys]));
}

function allow(
  actions: string[],
  resources: string[],
  conditions?: Record<string, unknown>,
): PolicyStatement {
  return new PolicyStatement({ actions, resources, ...(conditions && { conditions }) });
}
