import { Duration } from 'aws-cdk-lib';
import { type AlarmDefinition, reaching } from './alarm-definition.ts';
import { total } from './counted.ts';
import { type Watched, watchedQueues } from './watched.ts';

/** What waits: in vain, or too long. */
export function queueAlarms(watched: Watched): AlarmDefinition[] {
  const { oldestMessageMinutes } = watched.connector.alarms;
  return watchedQueues(watched).flatMap(([family, queue]): AlarmDefinition[] => {
    const { source, deadLetters } = queue;
    const worst = { statistic: 'Maximum', period: Duration.minutes(5) };
    return [
      {
        id: `dead-letters-${family}`,
        heading: 'Dead letters',
        urgency: 'today',
        says: `Messages of the ${family} queue could not be delivered and wait for a person.`,
        first: 'dead-letters list',
        // Those that somebody is looking at are hidden for a while, and no less there.
        metric: total(
          [
            deadLetters.metricApproximateNumberOfMessagesVisible(worst),
            deadLetters.metricApproximateNumberOfMessagesNotVisible(worst),
          ],
          `dead letters, ${family}`,
        ),
        rings: reaching(1),
      },
      {
        id: `oldest-message-${family}`,
        heading: 'Oldest message',
        urgency: 'now',
        says: `A message of the ${family} queue has been waiting for more than ${oldestMessageMinutes} minutes.`,
        first: 'status',
        metric: source.metricApproximateAgeOfOldestMessage(worst),
        rings: reaching(oldestMessageMinutes * 60, { times: 2, outOf: 3 }),
      },
    ];
  });
}
