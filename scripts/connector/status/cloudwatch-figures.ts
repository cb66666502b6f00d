import {
  type CloudWatchClient,
  GetMetricDataCommand,
  type MetricDataQuery,
} from '@aws-sdk/client-cloudwatch';
import type { ReadFigures, WantedFigure } from './figures.ts';

const HOUR_SECONDS = 3_600;
/** SQS writes its own metrics once a minute, and they arrive some minutes late. */
const AGE_WITHIN_SECONDS = 900;

/** The figures of the last hour from CloudWatch, in one request: it accepts 500 queries. */
export function createCloudWatchFigures(
  client: CloudWatchClient,
  namespace: string,
  now: () => Date,
): ReadFigures {
  return async (wanted) => {
    const answers = await ask(
      client,
      wanted.map((figure) => queryOf(namespace, figure)),
      now(),
      HOUR_SECONDS,
    );
    return wanted.map(({ statistic }, index) => {
      const values = answers[index] ?? [];
      if (values.length === 0) return undefined;
      // CloudWatch chooses where periods begin, so an hour may span two: the worse percentile
      // is shown, because percentiles cannot be combined.
      return statistic === 'Sum'
        ? values.reduce((sum, value) => sum + value, 0)
        : Math.max(...values);
    });
  };
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
  const answers = await ask(client, queries, now, AGE_WITHIN_SECONDS);
  return answers.map(([newest]) => newest);
}

type Statistic = NonNullable<MetricDataQuery['MetricStat']>;

function queryOf(namespace: string, figure: WantedFigure): Statistic {
  const { metric, statistic } = figure;
  const period = statistic === 'Sum' ? 60 : HOUR_SECONDS;
  return statisticOf(namespace, metric, {}, statistic, period);
}

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

/** The values of each query, the newest first. */
async function ask(
  client: CloudWatchClient,
  statistics: readonly Statistic[],
  now: Date,
  withinSeconds: number,
): Promise<readonly (readonly number[])[]> {
  const values: number[][] = statistics.map(() => []);
  let NextToken: string | undefined;
  do {
    const answer = await client.send(
      new GetMetricDataCommand({
        MetricDataQueries: statistics.map((MetricStat, index) => ({ Id: `q${index}`, MetricStat })),
        StartTime: new Date(now.getTime() - withinSeconds * 1000),
        EndTime: now,
        ScanBy: 'TimestampDescending',
        ...(NextToken && { NextToken }),
      }),
    );
    for (const { Id = '', Values = [] } of answer.MetricDataResults ?? []) {
      values[Number(Id.slice(1))]?.push(...Values);
    }
    NextToken = answer.NextToken;
  } while (NextToken);
  return values;
}
