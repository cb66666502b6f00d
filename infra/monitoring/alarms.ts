import { ArnFormat, Stack } from 'aws-cdk-lib';
import { Alarm } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { type ITopic, Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Construct } from 'constructs';
import type { DataKey } from '../storage.ts';
import type { Monitored } from './alarm-definition.ts';
import {
  awsAlarms,
  floodAlarms,
  noticeAlarms,
  queueAlarms,
  receiverAlarms,
  reconciliationAlarms,
  storefrontAlarms,
  workerAlarms,
} from './alarm-list.ts';

/**
 * Every alarm notifies one topic.
 * See docs/decisions/0027-an-alarm-is-for-what-a-person-must-act-on.md.
 */
export function addAlarms(scope: Construct, monitored: Monitored, topic: ITopic): void {
  const action = new SnsAction(topic);
  const { stackName, region } = Stack.of(scope);
  const { monitoring } = monitored.connector.deployment;
  const definitions = [
    ...queueAlarms(monitored),
    ...receiverAlarms(monitored),
    ...floodAlarms(monitored),
    ...workerAlarms(monitored),
    ...awsAlarms(monitored),
    ...reconciliationAlarms(monitored),
    ...noticeAlarms(monitored),
    ...storefrontAlarms(monitored),
  ];
  for (const { condition, metric, heading, level = 'full', ...definition } of definitions) {
    if (level !== 'both' && level !== monitoring) continue;
    const id = definition.id ?? heading.toLowerCase().replaceAll(' ', '-');
    const { notifyOnRecovery, ...settings } = condition;
    const alarm = new Alarm(scope, id, {
      ...settings,
      alarmName: `${stackName}-${id}`,
      alarmDescription: [
        `${definition.message} Look at it ${definition.urgency}.`,
        `First: npx loyalty-connector ${definition.command} --stack ${stackName} --region ${region}`,
        `Then: docs/runbook.md, "${heading}"`,
      ].join('\n'),
      metric,
    });
    alarm.addAlarmAction(action);
    if (notifyOnRecovery) alarm.addOkAction(action);
  }
}

/**
 * The topic that alarms notify. Each address confirms its subscription once, in the e-mail
 * from AWS.
 *
 * Without a key of the merchant it has none: CloudWatch may not use the one that AWS keeps for SNS, and alarms would not
 * arrive ("Encrypted SNS topics and CloudWatch alarms"). Messages hold the name of an alarm, a number and the command to
 * run: nothing personal and no secret.
 */
export function addAlarmTopic(
  scope: Construct,
  emails: readonly string[],
  key: DataKey | undefined,
): Topic {
  const stack = Stack.of(scope);
  const topic = new Topic(new Construct(scope, 'Alarms'), 'Topic', {
    enforceSSL: true,
    ...(key && { masterKey: key.key }),
  });
  const alarms = stack.formatArn({
    service: 'cloudwatch',
    resource: 'alarm',
    resourceName: `${stack.stackName}-*`,
    arnFormat: ArnFormat.COLON_RESOURCE_NAME,
  });
  topic.addToResourcePolicy(
    new PolicyStatement({
      sid: 'AlarmsOfThisAccount',
      principals: [new ServicePrincipal('cloudwatch.amazonaws.com')],
      actions: ['sns:Publish'],
      resources: [topic.topicArn],
      conditions: { ArnLike: { 'aws:SourceArn': alarms } },
    }),
  );
  for (const email of emails) topic.addSubscription(new EmailSubscription(email));
  return topic;
}
