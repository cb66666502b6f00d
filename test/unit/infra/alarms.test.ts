import { describe, expect, it } from 'vitest';
import { METRICS, type WrittenMetric } from '../../../shared/config/metrics.ts';
import { DEAD_LETTER_DAYS } from '../../../shared/core/events/dead-letter.ts';
import { propertiesOf, synthesizeStack } from '../../support/synthesized-stack.ts';
import { alarmsOf, dashboardOf, keyOf, type NamedAlarm } from '../../support/watched-metrics.ts';

const silence = { hours: 4, opens: 9, closes: 21, timeZone: 'America/Sao_Paulo' };
const template = synthesizeStack({
  alarms: { emails: ['oncall@example.com'], orderSilence: silence },
  shops: [
    { domain: 'example-store.myshopify.com' },
    { domain: 'second-store.myshopify.com', orderSilence: { ...silence, hours: 2 } },
    { domain: 'quiet-store.myshopify.com', orderSilence: false },
  ],
});
const least = synthesizeStack();
const alarms = alarmsOf(template);

function alarm(id: string, among: readonly NamedAlarm[] = alarms) {
  const found = among.find(({ name }) => name === `loyalty-connector-prod-${id}`);
  if (!found) throw new Error(`no alarm ${id}`);
  return found.properties;
}

/** How often it is measured, and how many of the last measurements count. */
function rhythm(id: string, among?: readonly NamedAlarm[]) {
  const { Period, Metrics, EvaluationPeriods, DatapointsToAlarm } = alarm(id, among);
  const queries = (Metrics ?? []) as readonly { MetricStat?: { Period: number } }[];
  const period = Period ?? queries.find(({ MetricStat }) => MetricStat)?.MetricStat?.Period;
  return {
    period: Number(period),
    outOf: Number(EvaluationPeriods),
    times: Number(DatapointsToAlarm ?? EvaluationPeriods),
  };
}

/** CloudWatch looks back one day, or a week in periods of an hour and more. */
const longest = (period: number) => (period < 3_600 ? 86_400 : 7 * 86_400);

describe('every alarm', () => {
  it('goes to the topic, and so does its recovery unless it is an event', () => {
    for (const { name, properties } of alarms) {
      expect(properties.AlarmActions, name).toHaveLength(1);
      expect(properties.ActionsEnabled ?? true, name).toBe(true);
    }
    const without = alarms
      .filter(({ properties }) => !('OKActions' in properties))
      .map(({ name }) => name.replace('loyalty-connector-prod-', ''));
    expect(without.toSorted()).toEqual([
      'app-uninstalled',
      'data-request',
      'older-webhook-secret',
      'orders-differ',
      'shop-redaction',
      'unexpected-api-version',
    ]);
  });

  it('takes nothing written for nothing happened, but for those that miss something', () => {
    const breaching = alarms.filter(
      ({ properties }) => properties.TreatMissingData === 'breaching',
    );
    expect(breaching.map(({ name }) => name.replace('loyalty-connector-prod-', ''))).toEqual([
      'no-orders-example-store',
      'no-orders-second-store',
      'reconciliation-missing',
    ]);
    for (const { properties } of alarms.filter((one) => !breaching.includes(one))) {
      expect(properties.TreatMissingData).toBe('notBreaching');
    }
  });

  it('stays within what CloudWatch takes: a day of periods, a week of hours, its lengths', () => {
    for (const { name, description } of alarms) {
      const { period, outOf, times } = rhythm(name.replace('loyalty-connector-prod-', ''));
      expect(period % 60, name).toBe(0);
      expect(period, name).toBeLessThanOrEqual(86_400);
      expect(period * outOf, name).toBeLessThanOrEqual(longest(period));
      expect(times, name).toBeLessThanOrEqual(outOf);
      expect(name.length).toBeLessThanOrEqual(255);
      expect(description.length).toBeLessThanOrEqual(1_024);
      expect(description, name).toMatch(/^[\x20-\x7e\n]+$/);
    }
  });

  it.each([15, 60, 1_440])('does so with a reconciliation every %i minutes', (everyMinutes) => {
    const other = alarmsOf(synthesizeStack({ healing: { everyMinutes } }));
    for (const id of ['webhooks-get-lost', 'reconciliation-missing', 'subscriptions-wrong']) {
      const { period, outOf } = rhythm(id, other);
      expect(period * outOf, id).toBeLessThanOrEqual(longest(period));
      expect(period, id).toBeLessThanOrEqual(86_400);
    }
    expect(rhythm('reconciliation-missing', other)).toEqual({
      period: everyMinutes * 60,
      outOf: 3,
      times: 3,
    });
    expect(alarm('reconciliation-missing', other)).toMatchObject({
      Threshold: 1,
      ComparisonOperator: 'LessThanThreshold',
    });
  });

  it('looks at a metric of its own namespace only by details that are kept apart', () => {
    const own = [...alarms.flatMap(({ metrics }) => metrics), ...dashboardOf(template).metrics];
    for (const metric of own.filter(({ namespace }) => namespace.startsWith('Loyalty'))) {
      expect(metric.namespace).toBe('LoyaltyConnector/prod');
      const { service, ...details } = metric.dimensions;
      expect(service, keyOf(metric)).toBeDefined();
      const kept: readonly string[] = METRICS[metric.name as WrittenMetric];
      expect([[], kept.toSorted()], keyOf(metric)).toContainEqual(Object.keys(details).toSorted());
    }
  });
});

describe('single alarms', () => {
  it.each(['orders', 'products', 'coupons'])(
    'a single dead letter of %s rings, also while it is being looked at',
    (family) => {
      expect(alarm(`dead-letters-${family}`)).toMatchObject({
        Threshold: 1,
        ComparisonOperator: 'GreaterThanOrEqualToThreshold',
        EvaluationPeriods: 1,
        Metrics: [
          { Expression: 'FILL(part0, 0) + FILL(part1, 0)' },
          { MetricStat: { Metric: { MetricName: 'ApproximateNumberOfMessagesVisible' } } },
          { MetricStat: { Metric: { MetricName: 'ApproximateNumberOfMessagesNotVisible' } } },
        ],
      });
    },
  );

  it.each(['orders', 'products', 'coupons'])(
    'a dead letter of %s rings again four days before SQS deletes it',
    (family) => {
      expect(alarm(`dead-letters-expire-${family}`)).toMatchObject({
        Threshold: (DEAD_LETTER_DAYS - 4) * 86_400,
        MetricName: 'ApproximateAgeOfOldestMessage',
        Statistic: 'Maximum',
      });
    },
  );

  it('the age of the oldest message follows its setting', () => {
    const age = (minutes: number) =>
      alarm(
        'oldest-message-orders',
        alarmsOf(synthesizeStack({ alarms: { oldestMessageMinutes: minutes } })),
      ).Threshold;
    expect(alarm('oldest-message-orders').Threshold).toBe(1_800);
    expect(age(90)).toBe(5_400);
  });

  it('the share that was healed follows its setting, and needs more than a few', () => {
    const { Metrics, Threshold, ComparisonOperator } = alarm(
      'webhooks-get-lost',
      alarmsOf(synthesizeStack({ alarms: { healedPercent: 12 } })),
    );
    expect({ Threshold, ComparisonOperator }).toEqual({
      Threshold: 12,
      ComparisonOperator: 'GreaterThanThreshold',
    });
    expect(Metrics).toMatchObject([
      { Expression: 'IF(FILL(healed, 0) >= 5, 100 * FILL(healed, 0) / looked, 0)' },
      {},
      {},
    ]);
  });

  it('each shop with opening hours has its own silence, over its own number of hours', () => {
    expect(alarm('no-orders-example-store')).toMatchObject({
      EvaluationPeriods: 16,
      DatapointsToAlarm: 16,
    });
    expect(alarm('no-orders-second-store')).toMatchObject({ EvaluationPeriods: 8 });
    expect(() => alarm('no-orders-quiet-store')).toThrow();
    expect(alarmsOf(least).some(({ name }) => name.includes('no-orders'))).toBe(false);
    const [orders] = alarms.find(({ name }) => name.endsWith('second-store'))?.metrics ?? [];
    expect(orders?.dimensions).toEqual({
      service: 'receive-webhook',
      shop: 'second-store.myshopify.com',
      kind: 'order',
    });
  });

  it('a webhook that failed is counted where webhooks come in', () => {
    expect(alarm('receiver-fails')).toMatchObject({
      Namespace: 'AWS/Lambda',
      MetricName: 'Url5xxCount',
      DatapointsToAlarm: 2,
      EvaluationPeriods: 12,
    });
    const api = alarmsOf(synthesizeStack({ deployment: { endpoint: { kind: 'http-api' } } }));
    expect(alarm('receiver-fails', api)).toMatchObject({
      Namespace: 'AWS/ApiGateway',
      MetricName: '5xx',
    });
    expect(alarm('receiver-is-slow', api)).toMatchObject({
      Namespace: 'AWS/ApiGateway',
      MetricName: 'Latency',
      ExtendedStatistic: 'p99',
    });
  });

  it('every function of the stack has an alarm for its errors, and is looked at for throttling', () => {
    const functions = Object.keys(template.findResources('AWS::Lambda::Function'));
    const watching = (name: string) =>
      alarms
        .flatMap(({ metrics }) => metrics)
        .filter((metric) => metric.namespace === 'AWS/Lambda' && metric.name === name)
        .map(({ dimensions }) => dimensions.FunctionName)
        .toSorted();
    const wanted = functions.map((id) => `{${id}}`).toSorted();
    expect(watching('Errors')).toEqual(wanted);
    expect(watching('Throttles')).toEqual(wanted);
  });

  it('an hour of the older secret after a change is no trouble', () => {
    expect(alarm('older-webhook-secret')).toMatchObject({
      Period: 3_600,
      DatapointsToAlarm: 3,
      EvaluationPeriods: 24,
    });
  });
});

describe('the topic', () => {
  it('is encrypted with a key that CloudWatch may use: with the one of SNS no alarm would arrive', () => {
    const [topic] = propertiesOf(template, 'AWS::SNS::Topic');
    const [keyId] = Object.keys(template.findResources('AWS::KMS::Key'));
    expect(topic?.KmsMasterKeyId).toEqual({ 'Fn::GetAtt': [keyId, 'Arn'] });
    const [key] = propertiesOf(template, 'AWS::KMS::Key');
    expect(key?.EnableKeyRotation).toBe(true);
    expect(key?.KeyPolicy.Statement).toContainEqual({
      Sid: 'AlarmsMayPublish',
      Effect: 'Allow',
      Principal: { Service: 'cloudwatch.amazonaws.com' },
      Action: ['kms:Decrypt', 'kms:GenerateDataKey*'],
      Resource: '*',
    });
  });

  it('takes alarms of this stack only, and nothing without TLS', () => {
    const [policy] = propertiesOf(template, 'AWS::SNS::TopicPolicy');
    const statements = policy?.PolicyDocument.Statement;
    expect(statements).toHaveLength(2);
    expect(statements[0]).toMatchObject({
      Effect: 'Deny',
      Principal: '*',
      Condition: { Bool: { 'aws:SecureTransport': 'false' } },
    });
    expect(statements[1]).toMatchObject({
      Effect: 'Allow',
      Principal: { Service: 'cloudwatch.amazonaws.com' },
      Action: 'sns:Publish',
    });
    expect(JSON.stringify(statements[1].Condition)).toContain('alarm:loyalty-connector-prod-*');
  });
});

describe('what watching costs', () => {
  it('is 48 metrics of alarms, and two for each shop whose silence counts', () => {
    // $0.10 a month each; docs/decisions/0012-what-rings.md tells the sum.
    expect(alarmsOf(least).flatMap(({ metrics }) => metrics)).toHaveLength(48);
    expect(alarms.flatMap(({ metrics }) => metrics)).toHaveLength(48 + 2 * 2);
  });

  it('is a dashboard that is free for one shop: 50 metrics', () => {
    expect(new Set(dashboardOf(least).metrics.map(keyOf)).size).toBe(50);
  });

  it('keeps no dimension that no alarm or graph uses', () => {
    const looked = [...alarms.flatMap(({ metrics }) => metrics), ...dashboardOf(template).metrics];
    for (const [metric, details] of Object.entries(METRICS)) {
      if (details === null) continue;
      const used = looked.some(
        ({ name, dimensions }) =>
          name === metric && details.every((detail) => detail in dimensions),
      );
      expect(details.length === 0 || used, metric).toBe(true);
    }
  });
});
