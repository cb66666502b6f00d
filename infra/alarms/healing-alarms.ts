import { Duration } from 'aws-cdk-lib';
import { MathExpression } from 'aws-cdk-lib/aws-cloudwatch';
import { type AlarmDefinition, missing, reaching } from './alarm-definition.ts';
import { counted } from './counted.ts';
import type { Watched } from './watched.ts';

/** Below so many, a share says nothing: one of three is no sign of lost webhooks. */
const LEAST_HEALED = 5;
/** One run may fail and the next may still be under way. */
const RUNS_MISSED = 3;
/** CloudWatch looks back one day at most in periods below an hour. */
const DAY_IN_QUARTERS = 96;

/** What reconciliation finds, and whether it runs at all. */
export function healingAlarms({ connector, metricsNamespace }: Watched): AlarmDefinition[] {
  const { everyMinutes } = connector.healing;
  const { healedPercent } = connector.alarms;
  const looked = counted(metricsNamespace, 'reconcile', 'looked-at');
  const healed = counted(metricsNamespace, 'reconcile', 'healed');
  const wrong = counted(metricsNamespace, 'reconcile', 'subscriptions-wrong');
  const quartersToTheNextRun = Math.ceil(everyMinutes / 15) + 1;
  return [
    {
      id: 'webhooks-get-lost',
      heading: 'Webhooks get lost',
      urgency: 'today',
      says: `Reconciliation had to send more than ${healedPercent} % of what it looked at: webhooks get lost.`,
      first: 'webhooks check',
      metric: new MathExpression({
        expression: `IF(FILL(healed, 0) >= ${LEAST_HEALED}, 100 * FILL(healed, 0) / looked, 0)`,
        usingMetrics: { healed, looked },
        label: 'healed, percent',
        period: Duration.minutes(Math.max(everyMinutes, 60)),
      }),
      rings: reaching(healedPercent, { above: true }),
    },
    {
      id: 'reconciliation-missing',
      heading: 'Reconciliation missing',
      urgency: 'today',
      says: `Reconciliation, due every ${everyMinutes} minutes, has not come to its end ${RUNS_MISSED} times in a row.`,
      first: 'status',
      metric: counted(metricsNamespace, 'reconcile', 'reconciled').with({
        period: Duration.minutes(everyMinutes),
      }),
      rings: missing(RUNS_MISSED),
    },
    {
      id: 'subscriptions-wrong',
      heading: 'Subscriptions wrong',
      urgency: 'now',
      says: 'Webhook subscriptions of a shop are missing or differ from what the connector needs.',
      first: 'webhooks check',
      metric: wrong.with({ period: Duration.minutes(15) }),
      rings: reaching(1, { outOf: Math.min(quartersToTheNextRun, DAY_IN_QUARTERS) }),
    },
  ];
}
