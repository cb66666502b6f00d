import { describe, expect, it } from 'vitest';
import { RHYTHMS } from '../../../shared/config/metrics.ts';
import { propertiesOf, synthesizeStack } from '../../support/synthesized-stack.ts';
import { alarmsOf, keyOf, type NamedAlarm } from '../../support/watched-metrics.ts';

const template = synthesizeStack({
  alarms: { emails: ['oncall@example.com'] },
  rules: { currency: 'EUR' },
  shops: [{ domain: 'example-store.myshopify.com' }, { domain: 'second-store.myshopify.com' }],
});
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

  it('takes nothing written for nothing happened, but for a run that is missed', () => {
    const breaching = alarms.filter(
      ({ properties }) => properties.TreatMissingData === 'breaching',
    );
    expect(breaching.map(({ name }) => name.replace('loyalty-connector-prod-', ''))).toEqual([
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

  it('looks at a metric of its own namespace without dimensions', () => {
    const own = alarms.flatMap(({ metrics }) => metrics);
    for (const metric of own.filter(({ namespace }) => namespace.startsWith('Loyalty'))) {
      expect(metric.namespace).toBe('LoyaltyConnector/prod');
      expect(Object.keys(metric.dimensions), keyOf(metric)).toEqual([]);
    }
  });
});

describe('single alarms', () => {
  it('of a queue are not about the age of dead letters, which SQS forgets once they are read several times', () => {
    for (const family of ['orders', 'products', 'coupons']) {
      expect(alarm(`dead-letters-expire-${family}`)).toMatchObject({
        MetricName: 'ApproximateNumberOfMessagesVisible',
        Period: 86_400,
      });
    }
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

  it.each([undefined, {}])(
    'watch every queue and function, with the storefront %j',
    (storefront) => {
      const stack = synthesizeStack(storefront && { storefront });
      const watched = alarmsOf(stack).flatMap(({ metrics }) => metrics);
      const watching = (name: string, dimension: string) => {
        const metrics = watched.filter((metric) => metric.name === name);
        return new Set(metrics.map(({ dimensions }) => dimensions[dimension]));
      };
      const queues = Object.entries(stack.findResources('AWS::SQS::Queue'));
      const named = (isDead: boolean) =>
        queues
          .filter(([, { Properties }]) => (Properties.RedrivePolicy === undefined) === isDead)
          .map(([id]) => `{${id}.QueueName}`);
      const dead = watching('ApproximateNumberOfMessagesVisible', 'QueueName');
      expect(dead).toEqual(new Set(named(true)));
      const oldest = watching('ApproximateAgeOfOldestMessage', 'QueueName');
      expect(oldest).toEqual(new Set(named(false)));
      // The receiver's errors are answers.
      const functions = Object.keys(stack.findResources('AWS::Lambda::Function'));
      const others = functions.filter((id) => !id.startsWith('ReceiveWebhook'));
      expect(watching('Errors', 'FunctionName')).toEqual(new Set(others.map((id) => `{${id}}`)));
      // Messages of a throttled worker wait: the age of their queue shows it.
      const addresses = functions.filter((id) => /^(?:ReceiveW|BalancesR|Storefront)/.test(id));
      const throttled = watching('Throttles', 'FunctionName');
      expect(throttled).toEqual(new Set(addresses.map((id) => `{${id}}`)));
      // DynamoDB counts what it throttles of an index for that index only.
      const [table] = propertiesOf(stack, 'AWS::DynamoDB::Table');
      const indexes = table?.GlobalSecondaryIndexes.map(
        (one: { IndexName: string }) => one.IndexName,
      );
      expect(watching('WriteThrottleEvents', 'GlobalSecondaryIndexName')).toEqual(
        new Set([undefined, ...indexes]),
      );
    },
  );
});

describe('the topic', () => {
  it('has no key: with the one of SNS no alarm would arrive, and one of our own costs money', () => {
    expect(propertiesOf(template, 'AWS::SNS::Topic')).toEqual([undefined]);
    template.resourceCountIs('AWS::KMS::Key', 0);
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
  it('is 39 metrics of alarms, and 7 in basic', () => {
    // $0.10 a month each; docs/cost.md has the sum.
    expect(alarms.flatMap(({ metrics }) => metrics)).toHaveLength(39);
    const basic = synthesizeStack({ deployment: { monitoring: 'basic' } });
    expect(alarmsOf(basic).flatMap(({ metrics }) => metrics)).toHaveLength(7);
  });

  it('is no metric of our own that no alarm or command uses', () => {
    const whole = synthesizeStack({ storefront: {} });
    const looked = new Set(
      alarmsOf(whole)
        .flatMap(({ metrics }) => metrics)
        .map(({ name }) => name),
    );
    const unused = Object.keys(RHYTHMS).filter((name) => !looked.has(name));
    // `status` shows them.
    const shown = ['applied', 'latency-ms', 'no-change', 'received', 'rejected', 'retried'];
    expect(unused.toSorted()).toEqual([...shown, 'unknown-topic']);
  });
});
