import { Stack } from 'aws-cdk-lib';
import { Alarm } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import type { AlarmDefinition } from './alarm-definition.ts';
import type { Monitored } from './metrics.ts';
import { orderSilenceAlarms } from './order-silence.ts';
import { floodAlarms, noticeAlarms, receiverAlarms, storefrontAlarms } from './request-alarms.ts';
import { awsAlarms, queueAlarms, reconciliationAlarms, workerAlarms } from './sync-alarms.ts';

/**
 * Every alarm notifies one topic.
 * See docs/decisions/0027-an-alarm-is-for-what-a-person-must-act-on.md.
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
    const { monitored } = props;
    const action = new SnsAction(props.topic);
    const { stackName, region } = Stack.of(this);
    const { monitoring } = monitored.connector.deployment;
    this.definitions = [
      ...queueAlarms(monitored),
      ...orderSilenceAlarms(monitored, props.now),
      ...receiverAlarms(monitored),
      ...floodAlarms(monitored),
      ...workerAlarms(monitored),
      ...awsAlarms(monitored),
      ...reconciliationAlarms(monitored),
      ...noticeAlarms(monitored),
      ...storefrontAlarms(monitored),
    ].filter(({ level = 'full' }) => level === 'both' || level === monitoring);
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
