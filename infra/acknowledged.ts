import { CfnResource } from 'aws-cdk-lib';
import type { Construct } from 'constructs';

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
      'CloudWatch may not use the key of AWS; messages hold names of alarms and commands.',
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

/** CDK names a dependency that a reference implies already. */
const LINTED = { 'AWS::Lambda::Function': ['W3005'] } as const satisfies Record<string, string[]>;

/** Writes into the template why findings of checkov and cfn-lint stay: both read it there. */
export function acknowledgeFindings(scope: Construct): void {
  for (const one of scope.node.findAll()) {
    if (!CfnResource.isCfnResource(one)) continue;
    const type = one.cfnResourceType;
    const skip = Object.entries(FINDINGS[type] ?? {}).map(([id, comment]) => ({ id, comment }));
    if (skip.length > 0) one.addMetadata('checkov', { skip });
    const ignored = Object.entries(LINTED).find(([name]) => name === type)?.[1];
    if (ignored) one.addMetadata('cfn-lint', { config: { ignore_checks: ignored } });
  }
}
