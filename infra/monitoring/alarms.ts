import { ArnFormat, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { Alarm } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Key } from 'aws-cdk-lib/aws-kms';
import { type ITopic, Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Construct } from 'constructs';
import type { AlarmDefinition } from './alarm-definition.ts';
import type { Monitored } from './metrics.ts';
import { orderSilenceAlarms } from './order-silence.ts';
import { noticeAlarms, receiverAlarms, storefrontAlarms } from './request-alarms.ts';
import { awsAlarms, queueAlarms, reconciliationAlarms, workerAlarms } from './sync-alarms.ts';

/**
 * Every alarm notifies one topic.
 * See docs/decisions/0012-what-rings.md.
 */
export class Alarms extends Construct {
  readonly definitions: readonly AlarmDefinition[];
  readonly all: readonly Alarm[];

  constructor(
    scope: Construct,
    id: string,
    props: { monitored: Monitored; topic: ITopic; now: Date },
  ) {
    super(scope, id);
    const action = new SnsAction(props.topic);
    const { stackName, region } = Stack.of(this);
    this.definitions = [
      ...queueAlarms(props.monitored),
      ...orderSilenceAlarms(props.monitored, props.now),
      ...receiverAlarms(props.monitored),
      ...workerAlarms(props.monitored),
      ...awsAlarms(props.monitored),
      ...reconciliationAlarms(props.monitored),
      ...noticeAlarms(props.monitored),
      ...storefrontAlarms(props.monitored),
    ];
    this.all = this.definitions.map(({ condition, metric, ...definition }) => {
      const { notifyOnRecovery, ...settings } = condition;
      const alarm = new Alarm(this, definition.id, {
        ...settings,
        alarmName: `${stackName}-${definition.id}`,
        alarmDescription: [
          `${definition.message} Look at it ${definition.urgency}.`,
          `First: npx loyalty-connector ${definition.command} --stack ${stackName} --region ${region}`,
          `Then: docs/runbook.md, "${definition.heading}"`,
        ].join('\n'),
        metric,
      });
      alarm.addAlarmAction(action);
      if (notifyOnRecovery) alarm.addOkAction(action);
      return alarm;
    });
  }
}

const CLOUDWATCH = new ServicePrincipal('cloudwatch.amazonaws.com');

/** The topic that alarms notify. Each address confirms its subscription once, in the e-mail from AWS. */
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
   * A key of its own: CloudWatch may not use the key that AWS manages for SNS, and alarms would not
   * arrive ("Encrypted SNS topics and CloudWatch alarms"). The topic's policy says whose alarms may
   * publish; the key alone grants nothing.
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
