import { Duration } from 'aws-cdk-lib';
import type { IWidget } from 'aws-cdk-lib/aws-cloudwatch';
import { FAMILIES, type Watched } from '../alarms/watched.ts';
import { graph } from './graph.ts';

/** What waits. */
export function queueWidgets({ queues }: Watched): IWidget[] {
  const worst = { statistic: 'Maximum', period: Duration.minutes(1) };
  return [
    graph(
      'Waiting in the queues',
      FAMILIES.map((family) =>
        queues[family].source.metricApproximateNumberOfMessagesVisible({ ...worst, label: family }),
      ),
      { unit: 'messages' },
    ),
    graph(
      'Age of the oldest message',
      FAMILIES.map((family) =>
        queues[family].source.metricApproximateAgeOfOldestMessage({ ...worst, label: family }),
      ),
      { unit: 'seconds' },
    ),
    graph(
      'Dead letters: these need a person',
      FAMILIES.map((family) =>
        queues[family].deadLetters.metricApproximateNumberOfMessagesVisible({
          ...worst,
          label: family,
        }),
      ),
      { unit: 'messages' },
    ),
  ];
}
