import {
  type CloudWatchClient,
  GetMetricDataCommand,
  type MetricDataQuery,
} from '@aws-sdk/client-cloudwatch';
import type { Point, ReadFigures, WantedFigure } from './figures.ts';

/** SQS writes its own metrics once a minute, and they arrive some minutes late. */
const AGE_WITHIN_SECONDS = 900;

/** The figures from CloudWatch, in one request: it accepts 500 queries. */
export function createCloudWatchFigures(
  client: CloudWatchClient,
  namespace: string,
  now: Date,
): ReadFigures {
  const queryOf = ({ metric, statistic, everySeconds }: WantedFigure) =>
    statisticOf(namespace, metric, {}, statistic, everySeconds);
  return (wanted, since) => ask(client, wanted.map(queryOf), since, now);
}

/** Seconds that each queue's oldest message has waited; undefined: SQS has no recent value. */
export async function readOldestAges(
  client: CloudWatchClient,
  queueNames: readonly string[],
  now: Date,
): Promise<readonly (number | undefined)[]> {
  const queries = queueNames.map((QueueName) =>
    statisticOf('AWS/SQS', 'ApproximateAgeOfOldestMessage', { QueueName }, 'Maximum', 60),
  );
  const since = new Date(now.getTime() - AGE_WITHIN_SECONDS * 1000);
  const answers = await ask(client, queries, since, now);
  return answers.map(([newest]) => newest?.value);
}

type Statistic = NonNullable<MetricDataQuery['MetricStat']>;

function statisticOf(
  Namespace: string,
  MetricName: string,
  dimensions: Readonly<Record<string, string>>,
  Stat: string,
  Period: number,
): Statistic {
  const Dimensions = Object.entries(dimensions).map(([Name, Value]) => ({ Name, Value }));
  return { Metric: { Namespace, MetricName, Dimensions }, Period, Stat };
}

/** The points of each query, the newest first. */
async function ask(
  client: CloudWatchClient,
  statistics: readonly Statistic[],
  since: Date,
  now: Date,
): Promise<readonly (readonly Point[])[]> {
  const points: Point[][] = statistics.map(() => []);
  let NextToken: string | undefined;
  do {
    const answer = await client.send(
      new GetMetricDataCommand({
        MetricDataQueries: statistics.map((MetricStat, index) => ({ Id: `q${index}`, MetricStat })),
        StartTime: since,
        EndTime: now,
        ScanBy: 'TimestampDescending',
        ...(NextToken && { NextToken }),
      }),
    );
    for (const { Id = '', Values = [], Timestamps = [] } of answer.MetricDataResults ?? []) {
      const found = Values.map((value, index) => ({
        at: Timestamps[index]?.getTime() ?? 0,
        value,
      }));
      points[Number(Id.slice(1))]?.push(...found);
    }
    NextToken = answer.NextToken;
  } while (NextToken);
  return points;
}
