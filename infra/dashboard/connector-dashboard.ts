import { Duration, Stack } from 'aws-cdk-lib';
import { AlarmStatusWidget, Dashboard, PeriodOverride } from 'aws-cdk-lib/aws-cloudwatch';
import { Construct } from 'constructs';
import type { Alarms } from '../alarms/alarms.ts';
import type { Watched } from '../alarms/watched.ts';
import { functionWidgets } from './function-widgets.ts';
import { guideWidget } from './guide-widget.ts';
import { queueWidgets } from './queue-widgets.ts';
import { storefrontWidgets } from './storefront-widgets.ts';
import { trafficWidgets } from './traffic-widgets.ts';

/** One screen, read from the top: is it well, what moves, what waits, what fails, what to type. */
export class ConnectorDashboard extends Construct {
  /** In the console. */
  readonly address: string;

  constructor(scope: Construct, id: string, props: { watched: Watched; alarms: Alarms }) {
    super(scope, id);
    const { watched, alarms } = props;
    const { stackName, region } = Stack.of(this);
    new Dashboard(this, 'Dashboard', {
      dashboardName: stackName,
      defaultInterval: Duration.hours(3),
      periodOverride: PeriodOverride.INHERIT,
      widgets: [
        [
          new AlarmStatusWidget({
            title: 'Is it well?',
            alarms: [...alarms.all],
            width: 24,
            height: 6,
          }),
        ],
        ...trafficWidgets(watched),
        ...storefrontWidgets(watched),
        queueWidgets(watched),
        ...functionWidgets(watched),
        [guideWidget(this, alarms.definitions)],
      ],
    });
    this.address = `https://${region}.console.aws.amazon.com/cloudwatch/home?region=${region}#dashboards/dashboard/${stackName}`;
  }
}
