import { Duration } from 'aws-cdk-lib';
import type { IWidget } from 'aws-cdk-lib/aws-cloudwatch';
import { type Watched, watchedQueues } from '../alarms/watched.ts';
import { graph } from './graph.ts';

/** What waits. */
export function queueWidgets(watched: Watched): IWidget[] {
  const queues = watchedQueues(watched);
  const worst = { statistic: 'Maximum', period: Duration.minutes(1) };
  return [
    graph(
      'Waiting in the queues',
      queues.map(([family, queue]) =>
        queue.source.metricApproximateNumberOfMessagesVisible({ ...worst, label: family }),
      ),
      { unit: 'messages' },
    ),
    graph(
      'Age of the oldest message',
      queues.map(([family, queue]) =>
        queue.source.metricApproximateAgeOfOldestMessage({ ...worst, label: family }),
      ),
      { unit: 'seconds' },
    ),
    graph(
      'Dead letters: these need a person',
      queues.map(([family, queue]) =>
        queue.deadLetters.metricApproximateNumberOfMessagesVisible({
          ...worst,
          label: family,
        }),
      ),
      { unit: 'messages' },
    ),
  ];
}
