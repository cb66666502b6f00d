import { describe, expect, it } from 'vitest';
import { propertiesOf, synthesizeStack } from '../../support/synthesized-stack.ts';

const template = synthesizeStack();
const often = synthesizeStack({ healing: { everyMinutes: 15, deepEveryDays: false } });
const rules = propertiesOf(template, 'AWS::Events::Rule');

describe('the reconcile schedule', () => {
  it('runs every hour, and over everything once a week', () => {
    expect(rules).toMatchObject([
      { ScheduleExpression: 'rate(1 hour)', Targets: [{ Input: '{}' }] },
      { ScheduleExpression: 'rate(7 days)', Targets: [{ Input: '{"mode":"deep"}' }] },
    ]);
  });

  it('runs as often as the settings say, and not over everything when they say never', () => {
    expect(propertiesOf(often, 'AWS::Events::Rule')).toMatchObject([
      { ScheduleExpression: 'rate(15 minutes)', Targets: [{ Input: '{}' }] },
    ]);
  });

  it('ends a run before the next one begins, however often it runs', () => {
    const [reconcile] = propertiesOf(template, 'AWS::Lambda::Function').filter(
      ({ Environment }) => Environment.Variables.WEBHOOK_ADDRESS,
    );
    expect(reconcile?.Timeout).toBeLessThanOrEqual(/* the shortest that is accepted */ 15 * 60);
  });

  it('repeats no run that failed: the next one goes on where it was', () => {
    expect(propertiesOf(template, 'AWS::Lambda::EventInvokeConfig')).toMatchObject([
      { MaximumRetryAttempts: 0 },
    ]);
  });

  it('starts no run so late that it would run beside the next one', () => {
    const [lambda] = propertiesOf(template, 'AWS::Lambda::EventInvokeConfig');
    expect(lambda?.MaximumEventAgeInSeconds).toBe(300);
    for (const { Targets } of rules) {
      expect(Targets).toMatchObject([{ RetryPolicy: { MaximumEventAgeInSeconds: 300 } }]);
    }
  });

  it('knows the address that the webhooks of every shop must go to', () => {
    const addresses = propertiesOf(template, 'AWS::Lambda::Function').flatMap(
      ({ Environment }) => Environment.Variables.WEBHOOK_ADDRESS ?? [],
    );
    expect(addresses).toEqual([template.toJSON().Outputs.WebhookAddress.Value]);
  });
});
