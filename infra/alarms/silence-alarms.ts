import { Duration } from 'aws-cdk-lib';
import { type IMetric, MathExpression } from 'aws-cdk-lib/aws-cloudwatch';
import type { OrderSilence } from '../../shared/config/order-silence.ts';
import { type AlarmDefinition, missing } from './alarm-definition.ts';
import { counted } from './counted.ts';
import type { Watched } from './watched.ts';
import { QUARTER, WEEK_MINUTES, type WeekSpan, watchedWeek } from './watched-week.ts';

/** One per shop that has opening hours. */
export function silenceAlarms(watched: Watched, now: Date): AlarmDefinition[] {
  const { connector, metricsNamespace, queues } = watched;
  return connector.shops.flatMap(({ domain, path, orderSilence }): AlarmDefinition[] => {
    if (orderSilence === false) return [];
    const orders = counted(metricsNamespace, 'receive-webhook', 'received', {
      shop: domain,
      kind: 'order',
    });
    return [
      {
        id: `no-orders-${path}`,
        heading: 'No orders',
        urgency: 'now',
        says: `No order webhook came from ${domain} for ${orderSilence.hours} hours in which it is open.`,
        first: `webhooks check --shop ${domain}`,
        metric: new MathExpression({
          expression: silenceExpression(watchedWeek(orderSilence, now)),
          usingMetrics: { orders, minute: minuteOfWeek(queues.orders) },
          label: 'order webhooks while open',
          period: Duration.minutes(QUARTER),
        }),
        rings: missing(quartersIn(orderSilence)),
      },
    ];
  });
}

const quartersIn = ({ hours }: OrderSilence): number => (hours * 60) / QUARTER;

/**
 * The workers' polling makes SQS write this figure at every minute of day and night. Orders could not
 * serve as the clock: in the night that must not count as silence, there are none.
 */
function minuteOfWeek({ source }: Watched['queues']['orders']): IMetric {
  return new MathExpression({
    // CloudWatch counts the days from 1, which is Monday.
    expression: '1440 * (DAY(clock) - 1) + 60 * HOUR(clock) + MINUTE(clock)',
    usingMetrics: { clock: source.metricApproximateNumberOfMessagesVisible() },
    label: 'minute of the week',
    period: Duration.minutes(QUARTER),
  });
}

/** Webhooks while the shop is open; outside of these hours 1, which is no silence. */
export function silenceExpression(spans: readonly WeekSpan[]): string {
  const [first] = spans;
  if (!first)
    throw new Error('order silence: the shop is never open by the clocks of its time zone');
  const orders = 'FILL(orders, 0)';
  if (first.to - first.from === WEEK_MINUTES) return `${orders} + 0 * minute`;
  const open = spans.map(({ from, to }) => {
    // A period ends a quarter of an hour later, and must end before the shop closes. At the end of the
    // week a shop that goes on being open does not close.
    const goesOn = to === WEEK_MINUTES && first.from === 0;
    return `(minute >= ${from} AND minute <= ${goesOn ? to : to - QUARTER})`;
  });
  return `IF(${open.join(' OR ')}, ${orders}, 1)`;
}
