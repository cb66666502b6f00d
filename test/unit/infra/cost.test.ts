import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import connector from '../../../connector.config.ts';
import { costTable, putTable } from '../../../scripts/build/cost/cost-table.ts';
import { describeStack } from '../../../scripts/build/cost/describe-stack.ts';
import { monthlyCost } from '../../../scripts/build/cost/monthly-cost.ts';
import { synthesizeStack } from '../../support/synthesized-stack.ts';

const template = synthesizeStack().toJSON();
const stack = describeStack(template as never);
const days = { orderRetentionDays: 400 };

describe('docs/cost.md', () => {
  it('shows what the stack costs as it is described today', () => {
    const document = readFileSync('docs/cost.md', 'utf8');
    expect(putTable(document, costTable(template as never, connector))).toBe(document);
  });
});

describe('the cost of a month', () => {
  it('is read from the template', () => {
    expect(stack).toMatchObject({
      receiverMb: 256,
      workerMb: 512,
      eventSources: 3,
      secrets: 3,
      dashboards: 1,
      logRetentionDays: 30,
      recovery: true,
      httpApi: false,
    });
    // Every hour, and every seventh day.
    expect(stack.reconcileRuns).toBeCloseTo(720 + 30 / 7);
  });

  it('is not a number that nobody can pay, or that is none', () => {
    for (const { dollars } of [0, 1e7].flatMap((webhooks) => {
      const { perWebhook, fixed } = monthlyCost(stack, webhooks, days);
      return [...perWebhook, ...fixed];
    })) {
      expect(dollars).toBeGreaterThanOrEqual(0);
      expect(dollars).toBeLessThan(100);
    }
  });

  it('grows with the webhooks, and has a part that does not', () => {
    const [few, many] = [1e4, 1e6].map((webhooks) => monthlyCost(stack, webhooks, days));
    expect(many?.total).toBeGreaterThan(few?.total ?? 0);
    expect(many?.fixed).toEqual(few?.fixed);
    expect(monthlyCost(stack, 0, days).perWebhook.every(({ dollars }) => dollars === 0)).toBe(true);
  });

  it('counts every metric of an alarm on an expression', () => {
    const metric = { MetricStat: {} };
    const alarms = {
      One: { Type: 'AWS::CloudWatch::Alarm', Properties: { MetricName: 'Errors' } },
      Two: {
        Type: 'AWS::CloudWatch::Alarm',
        Properties: { Metrics: [{ Expression: 'a + b' }, metric, metric] },
      },
    };
    const { Resources } = template as { Resources: object };
    const more = describeStack({ Resources: { ...Resources, ...alarms } as never });
    expect(more.alarmMetrics - stack.alarmMetrics).toBe(3);
  });

  it('has a line for the HTTP API where there is one', () => {
    const byApi = synthesizeStack({ deployment: { endpoint: { kind: 'http-api' } } }).toJSON();
    const { perWebhook } = monthlyCost(describeStack(byApi as never), 1e6, days);
    expect(perWebhook.find(({ what }) => what === 'HTTP API')?.dollars).toBeCloseTo(1);
  });
});
