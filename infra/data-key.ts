import { Duration, Stack } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { type IKey, Key } from 'aws-cdk-lib/aws-kms';
import { Construct } from 'constructs';

/** Each new data key is a paid request. The longest that SQS allows is a day; a withdrawn key works for so long. */
export const QUEUE_KEY_REUSE = Duration.hours(1);

const USES = [
  ...['kms:Decrypt', 'kms:DescribeKey'],
  // SQS and Secrets Manager need a data key to write; the others are for DynamoDB.
  ...['kms:GenerateDataKey', 'kms:Encrypt', 'kms:ReEncryptFrom', 'kms:ReEncryptTo'],
];

/**
 * A key of the merchant, instead of those of AWS, for queues, ledger, secrets and logs.
 * See docs/decisions/0028-permissions-are-written-by-hand-and-changes-are-recorded.md.
 */
export class DataKey extends Construct {
  readonly key: IKey;

  constructor(scope: Construct, id: string, arn: string) {
    super(scope, id);
    this.key = Key.fromKeyArn(this, 'Key', arn);
  }

  /** Only through the services that hold the data: the key itself is never called. */
  allow(): PolicyStatement {
    const { region, urlSuffix } = Stack.of(this);
    const services = ['sqs', 'dynamodb', 'secretsmanager'];
    return new PolicyStatement({
      actions: USES,
      resources: [this.key.keyArn],
      conditions: {
        StringEquals: {
          'kms:ViaService': services.map((service) => `${service}.${region}.${urlSuffix}`),
        },
      },
    });
  }
}
