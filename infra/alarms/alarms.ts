import { Stack } from 'aws-cdk-lib';
import { Alarm } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import type { AlarmDefinition } from './alarm-definition.ts';
import { functionAlarms } from './function-alarms.ts';
import { healingAlarms } from './healing-alarms.ts';
import { noticeAlarms } from './notice-alarms.ts';
import { queueAlarms } from './queue-alarms.ts';
import { receiverAlarms } from './receiver-alarms.ts';
import { redemptionAlarms } from './redemption-alarms.ts';
import { silenceAlarms } from './silence-alarms.ts';
import { storefrontAlarms } from './storefront-alarms.ts';
import type { Watched } from './watched.ts';
import { workerAlarms } from './worker-alarms.ts';

/** Every alarm, to one topic. */
export class Alarms extends Construct {
  readonly definitions: readonly AlarmDefinition[];
  readonly all: readonly Alarm[];

  constructor(scope: Construct, id: string, props: { watched: Watched; topic: ITopic; now: Date }) {
    super(scope, id);
    const { watched, topic, now } = props;
    const action = new SnsAction(topic);
    const { stackName } = Stack.of(this);
    this.definitions = [
      ...queueAlarms(watched),
      ...silenceAlarms(watched, now),
      ...receiverAlarms(watched),
      ...workerAlarms(watched),
      ...functionAlarms(watched),
      ...healingAlarms(watched),
      ...noticeAlarms(watched),
      ...storefrontAlarms(watched),
      ...redemptionAlarms(watched),
    ];
    this.all = this.definitions.map((definition) => {
      const { tellsEnd, ...rings } = definition.rings;
      const alarm = new Alarm(this, definition.id, {
        ...rings,
        alarmName: `${stackName}-${definition.id}`,
        alarmDescription: this.#describe(definition),
        metric: definition.metric,
      });
      alarm.addAlarmAction(action);
      if (tellsEnd) alarm.addOkAction(action);
      return alarm;
    });
  }

  /** The mail quotes it: what happened, what to type, where to read on. */
  #describe({ says, first, heading, urgency }: AlarmDefinition): string {
    const { stackName, region } = Stack.of(this);
    const when = urgency === 'now' ? 'Look at it now.' : 'Look at it today.';
    const command = `npx connector ${first} --stack ${stackName} --region ${region}`;
    return `${says} ${when}\nFirst: ${command}\nThen: docs/runbook.md, "${heading}"`;
  }
}
