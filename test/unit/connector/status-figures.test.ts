import { createServer } from 'node:http';
import { CloudWatchClient } from '@aws-sdk/client-cloudwatch';
import { describe, expect, it } from 'vitest';
import { listen } from '../../../local/stack/emulators.ts';
import { awsSettings } from '../../../scripts/connector/ground/session/deployment.ts';
import {
  createCloudWatchFigures,
  createLocalFigures,
  readLastDay,
  readLastHour,
  readOldestAges,
} from '../../../scripts/connector/ground/session/figures.ts';
import { withAges } from '../../../scripts/connector/look/collect-status.ts';

const NOW = new Date('2026-11-15T12:07:30.000Z');
const minutesAgo = (minutes: number) => NOW.getTime() - minutes * 60_000;
const sample = (name: string, value: number, at = minutesAgo(10)) => ({
  ...{ name, dimensions: {}, at, value },
});

describe("the last hour's figures of a local stack", () => {
  const hourIn = (answer: unknown) =>
    readLastHour(
      createLocalFigures(async () => answer),
      NOW,
    );

  it('are summed, and latency is shown by its percentiles', async () => {
    const metrics = [
      sample('received', 3),
      sample('received', 2, minutesAgo(4)),
      sample('received', 9, minutesAgo(61)),
      sample('orders-received', 3),
      sample('signatures-refused', 4),
      sample('applied', 2),
      sample('no-change', 1),
      ...Array.from({ length: 100 }, (_, index) => sample('latency-ms', index + 1)),
    ];
    const hour = await hourIn({ metrics });
    expect(hour).toMatchObject({
      ...{ applied: 2, 'no-change': 1, retried: 0, rejected: 0, misconfigured: 0, crash: 0 },
      ...{ received: 5, 'signatures-refused': 4, 'unknown-topic': 0, 'older-secret-used': 0 },
      signs: {
        'signatures-refused': { lastAt: minutesAgo(10), acceptedSince: 2, sinceAccepted: 0 },
      },
      latencyMs: { p50: 50, p99: 99 },
    });
  });

  it('say when trouble was last seen, and what was accepted later', async () => {
    const start = minutesAgo(30);
    const at = (name: string, value: number, after: number) => sample(name, value, start + after);
    const metrics = [
      ...[at('crash', 1, 10), at('crash', 1, 20), at('crash', 0, 30)],
      ...[at('applied', 5, 20), at('applied', 2, 21), at('no-change', 1, 40)],
    ];
    const { signs } = await hourIn({ metrics });
    expect(signs).toEqual({ crash: { lastAt: start + 20, acceptedSince: 3, sinceAccepted: 0 } });
  });

  it.each([[undefined], ['text'], [{ metrics: 'none' }], [{ metrics: [null, { name: 1 }] }]])(
    'are unknown, not zero, when the address answers with %j',
    async (answer) => {
      await expect(hourIn(answer)).rejects.toThrow('not understood');
    },
  );
});

describe('charts', () => {
  const metrics = [
    sample('received', 2, minutesAgo(0)),
    sample('received', 3, minutesAgo(59)),
    sample('received', 5, minutesAgo(60)),
    sample('applied', 1, minutesAgo(59)),
    sample('applied', 1, minutesAgo(59) + 20_000),
    sample('rejected', 7, minutesAgo(20 * 60)),
    sample('latency-ms', 100, minutesAgo(59)),
    sample('latency-ms', 900, minutesAgo(59)),
    sample('latency-ms', 500, minutesAgo(20 * 60)),
  ];
  const read = createLocalFigures(async () => ({ metrics }));

  it('have a value for each minute of the last hour, the current one last', async () => {
    const { chart } = await readLastHour(read, NOW);
    expect(chart).toMatchObject({ from: '2026-11-15T11:08:00.000Z', everySeconds: 60 });
    const { received, applied, p50, p99, rejected } = chart;
    expect([received.length, received[0], received[1], received.at(-1)]).toEqual([60, 3, 0, 2]);
    expect(applied[0]).toBe(2);
    expect([p50[0], p99[0], p50[1]]).toEqual([100, 900, null]);
    expect(rejected.every((one) => one === 0)).toBe(true);
  });

  it('have a value for each quarter of an hour of the last day', async () => {
    const day = await readLastDay(read, NOW);
    expect(day).toMatchObject({ from: '2026-11-14T12:15:00.000Z', everySeconds: 900 });
    expect([day.received.length, day.received.at(-1), day.rejected[15]]).toEqual([96, 2, 7]);
    expect([day.p99[15], day.p99[14]]).toEqual([500, null]);
    expect(day.received.reduce((sum, one) => sum + one)).toBe(10);
  });
});

interface Asked {
  readonly StartTime: number;
  readonly MetricDataQueries: readonly {
    readonly Id: string;
    readonly MetricStat: {
      readonly Metric: { readonly MetricName: string };
      readonly Stat: string;
      readonly Period: number;
    };
  }[];
}

describe('the figures of CloudWatch', () => {
  it('cost one request for the last hour and one for the last day, with few metrics', async () => {
    const asked: Asked[] = [];
    const server = await listen(
      createServer(async (request, response) => {
        const chunks: Buffer[] = [];
        for await (const chunk of request) chunks.push(chunk);
        const question: Asked = JSON.parse(Buffer.concat(chunks).toString());
        asked.push(question);
        // A value of 4 in the period that began five minutes ago, or of which that is a part.
        const MetricDataResults = question.MetricDataQueries.map(({ Id, MetricStat }) => ({
          ...{ Id, Values: [4] },
          Timestamps: [Math.floor(minutesAgo(5) / 1000 / MetricStat.Period) * MetricStat.Period],
        }));
        response.end(JSON.stringify({ MetricDataResults }));
      }),
    );
    const aws = awsSettings({
      region: 'eu-central-1',
      endpoint: server.endpoint,
      credentials: { accessKeyId: 'AKIAEXAMPLE', secretAccessKey: 'secret' },
    });
    const client = new CloudWatchClient(aws);
    const readFigures = createCloudWatchFigures(client, 'LoyaltyConnector/prod', NOW);
    const hour = await readLastHour(readFigures, NOW);
    const day = await readLastDay(readFigures, NOW);
    const ages = await readOldestAges(client, ['orders.fifo', 'products.fifo'], NOW);
    await server.stop();

    expect(asked.map(({ MetricDataQueries: queries }) => queries.length)).toEqual([14, 6, 2]);
    expect(new Date((asked[1]?.StartTime ?? 0) * 1000).toISOString()).toBe(day.from);
    expect(hour).toMatchObject({ received: 4, latencyMs: { p50: 4, p99: 4 } });
    expect(hour.chart.received.slice(-7)).toEqual([0, 4, 0, 0, 0, 0, 0]);
    expect(day.p99.slice(-2)).toEqual([null, 4]);
    expect(ages).toEqual([4, 4]);
  });

  it('are not needed to count messages: an age that cannot be read is not known', () => {
    const counts = [
      { family: 'orders', waiting: 2, inFlight: 0, dead: 0 },
      { family: 'products', waiting: 0, inFlight: 0, dead: 1 },
    ] as const;
    expect(withAges(counts, {}).map((one) => one.oldestSeconds)).toEqual([undefined, 0]);
    expect(withAges(counts, { orders: 70 })[0]?.oldestSeconds).toBe(70);
  });
});
