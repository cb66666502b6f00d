import { ArnFormat, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Key } from 'aws-cdk-lib/aws-kms';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Construct } from 'constructs';

const CLOUDWATCH = new ServicePrincipal('cloudwatch.amazonaws.com');

/** Where alarms go. Each address confirms its subscription once, by the mail that AWS sends it. */
export class AlarmTopic extends Construct {
  readonly topic: Topic;

  constructor(scope: Construct, id: string, props: { readonly emails: readonly string[] }) {
    super(scope, id);
    this.topic = new Topic(this, 'Topic', { enforceSSL: true, masterKey: this.#createKey() });
    this.topic.addToResourcePolicy(
      new PolicyStatement({
        sid: 'AlarmsOfThisAccount',
        principals: [CLOUDWATCH],
        actions: ['sns:Publish'],
        resources: [this.topic.topicArn],
        conditions: {
          ArnLike: {
            'aws:SourceArn': Stack.of(this).formatArn({
              service: 'cloudwatch',
              resource: 'alarm',
              resourceName: `${Stack.of(this).stackName}-*`,
              arnFormat: ArnFormat.COLON_RESOURCE_NAME,
            }),
          },
        },
      }),
    );
    for (const email of props.emails) this.topic.addSubscription(new EmailSubscription(email));
  }

  /**
   * A key of its own: CloudWatch may not use the one that AWS keeps for SNS, and an alarm would find
   * nobody ("Encrypted SNS topics and CloudWatch alarms"). The topic's policy says whose alarms may
   * publish; the key is of no use without it.
   */
  #createKey(): Key {
    const key = new Key(this, 'Key', {
      description: `Alarms of ${Stack.of(this).stackName}`,
      enableKeyRotation: true,
      // Nothing that it encrypted is kept.
      removalPolicy: RemovalPolicy.DESTROY,
    });
    key.addToResourcePolicy(
      new PolicyStatement({
        sid: 'AlarmsMayPublish',
        principals: [CLOUDWATCH],
        actions: ['kms:Decrypt', 'kms:GenerateDataKey*'],
        resources: ['*'],
      }),
    );
    return key;
  }
}
