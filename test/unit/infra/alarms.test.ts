import { describe, expect, it } from 'vitest';
import { RHYTHMS } from '../../../shared/config/metrics.ts';
import { propertiesOf, synthesizeStack } from '../../support/synthesized-stack.ts';
import { alarmsOf, dashboardOf, keyOf, type NamedAlarm } from '../../support/watched-metrics.ts';

const silence = { hours: 4, opens: 9, closes: 21, timeZone: 'America/Sao_Paulo' };
const template = synthesizeStack({
  alarms: { emails: ['oncall@example.com'], orderSilence: silence },
  deployment: { dashboard: true },
  rules: { currency: 'EUR' },
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

  it('looks at a metric of its own namespace without dimensions, but for the orders of a shop', () => {
    const own = [...alarms.flatMap(({ metrics }) => metrics), ...dashboardOf(template).metrics];
    for (const metric of own.filter(({ namespace }) => namespace.startsWith('Loyalty'))) {
      expect(metric.namespace).toBe('LoyaltyConnector/prod');
      const dimensions = metric.name === 'orders-received' ? ['shop'] : [];
      expect(Object.keys(metric.dimensions), keyOf(metric)).toEqual(dimensions);
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

  it('each shop with opening hours has its own silence, over its own number of hours', () => {
    expect(alarm('no-orders-example-store')).toMatchObject({
      EvaluationPeriods: 16,
      DatapointsToAlarm: 16,
    });
    expect(alarm('no-orders-second-store')).toMatchObject({ EvaluationPeriods: 8 });
    expect(() => alarm('no-orders-quiet-store')).toThrow();
    expect(alarmsOf(least).some(({ name }) => name.includes('no-orders'))).toBe(false);
    const [orders] = alarms.find(({ name }) => name.endsWith('second-store'))?.metrics ?? [];
    expect(orders).toMatchObject({
      name: 'orders-received',
      dimensions: { shop: 'second-store.myshopify.com' },
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
  it('is 39 metrics of alarms, two for each shop whose silence counts, and 7 in basic', () => {
    // $0.10 a month each; docs/cost.md has the sum.
    expect(alarmsOf(least).flatMap(({ metrics }) => metrics)).toHaveLength(39);
    expect(alarms.flatMap(({ metrics }) => metrics)).toHaveLength(39 + 2 * 2);
    const basic = synthesizeStack({ deployment: { monitoring: 'basic' } });
    expect(alarmsOf(basic).flatMap(({ metrics }) => metrics)).toHaveLength(7);
  });

  it('is no dashboard, unless it is asked for: then one of the 50 metrics that may be free', () => {
    expect(propertiesOf(least, 'AWS::CloudWatch::Dashboard')).toEqual([]);
    const largest = synthesizeStack({ storefront: {}, deployment: { dashboard: true } });
    expect(new Set(dashboardOf(largest).metrics.map(keyOf)).size).toBeLessThanOrEqual(50);
  });

  it('is no metric of our own that no alarm, graph or command uses', () => {
    const whole = synthesizeStack({ storefront: {}, deployment: { dashboard: true } });
    const looked = new Set(
      [...alarmsOf(whole).flatMap(({ metrics }) => metrics), ...dashboardOf(whole).metrics].map(
        ({ name }) => name,
      ),
    );
    const unused = Object.keys(RHYTHMS).filter((name) => !looked.has(name));
    // The first needs the setting of its alarm, and `status` shows the last.
    expect(unused.toSorted()).toEqual(['orders-received', 'unknown-topic']);
  });
});

describe('the dashboard', () => {
  const { widgets, metrics } = dashboardOf(template);

  it('begins with every alarm of the stack', () => {
    const [first] = widgets;
    expect(first?.type).toBe('alarm');
    expect(first?.properties.alarms).toHaveLength(alarmsOf(template).length);
  });

  it('ends with what to type for each alarm', () => {
    const text = widgets.at(-1)?.properties.markdown ?? '';
    expect(text).toContain('export CONNECTOR_STACK=loyalty-connector-prod');
    for (const { description } of alarmsOf(template)) {
      const [, heading = ''] = /docs\/runbook\.md, "(.+)"$/.exec(description) ?? [];
      expect(text).toContain(`| ${heading} |`);
    }
  });

  it('fills every row of its width and no more', () => {
    const rows = Map.groupBy(widgets as readonly { width: number; y?: number }[], ({ y }) => y);
    for (const row of rows.values()) {
      expect(row.reduce((sum, { width }) => sum + width, 0)).toBe(24);
    }
  });

  it('shows every queue', () => {
    const queues = Object.keys(template.findResources('AWS::SQS::Queue'));
    const shown = new Set(metrics.map(({ dimensions }) => dimensions.QueueName));
    expect(queues.filter((id) => !shown.has(`{${id}.QueueName}`))).toEqual([]);
  });

  it('is found by the output of the stack', () => {
    const { Dashboard, AlarmTopic } = template.toJSON().Outputs;
    expect(JSON.stringify(Dashboard.Value)).toContain(
      'dashboards/dashboard/loyalty-connector-prod',
    );
    expect(AlarmTopic.Value).toEqual({ Ref: expect.stringContaining('Topic') });
    template.hasResourceProperties('AWS::CloudWatch::Dashboard', {
      DashboardName: 'loyalty-connector-prod',
    });
  });
});
