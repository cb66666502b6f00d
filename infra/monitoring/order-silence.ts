import { Duration } from 'aws-cdk-lib';
import { type IMetric, MathExpression } from 'aws-cdk-lib/aws-cloudwatch';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { OrderSilence } from '../../shared/config/alarm-settings.ts';
import { type AlarmDefinition, absent } from './alarm-definition.ts';
import { type Monitored, ownMetric } from './metrics.ts';

/** A part of the week in minutes of UTC, from Monday 00:00. */
interface WeekSpan {
  readonly from: number;
  /** Not included. */
  readonly to: number;
}

const WEEK_MINUTES = 7 * 1440;
/** Minutes. The UTC offset of every time zone is a multiple of it. */
const QUARTER = 15;

/** One alarm for each shop that has opening hours. */
export function orderSilenceAlarms(monitored: Monitored, now: Date): AlarmDefinition[] {
  const { connector, metricsNamespace, queues } = monitored;
  return connector.shops.flatMap(({ domain, path, orderSilence }): AlarmDefinition[] => {
    if (orderSilence === false) return [];
    const orders = ownMetric(metricsNamespace, 'orders-received', {
      dimensionsMap: { shop: domain },
    });
    return [
      {
        id: `no-orders-${path}`,
        heading: 'No orders',
        urgency: 'now',
        message: `${domain} has sent no order webhook for ${orderSilence.hours} hours, all within its opening hours.`,
        command: `webhooks check --shop ${domain}`,
        metric: new MathExpression({
          expression: silenceExpression(openSpans(orderSilence, now)),
          usingMetrics: { orders, minute: minuteOfWeek(queues.orders.source) },
          label: 'order webhooks while open',
          period: Duration.minutes(QUARTER),
        }),
        condition: absent((orderSilence.hours * 60) / QUARTER),
        level: 'both',
      },
    ];
  });
}

/**
 * The workers' polling makes SQS write this metric every minute, day and night. Order webhooks could
 * not serve as the clock: at night, which must not count as silence, there are none.
 */
function minuteOfWeek(queue: IQueue): IMetric {
  return new MathExpression({
    // CloudWatch counts the days from 1, which is Monday.
    expression: '1440 * (DAY(clock) - 1) + 60 * HOUR(clock) + MINUTE(clock)',
    usingMetrics: { clock: queue.metricApproximateNumberOfMessagesVisible() },
    label: 'minute of the week',
    period: Duration.minutes(QUARTER),
  });
}

/** The number of webhooks while the shop is open; outside of these hours 1, which is no silence. */
export function silenceExpression(spans: readonly WeekSpan[]): string {
  const [first] = spans;
  if (!first)
    throw new Error(
      'orderSilence: with the clock changes of its time zone the shop is never open at the same time all year. Widen the hours between opens and closes.',
    );
  const orders = 'FILL(orders, 0)';
  if (first.to - first.from === WEEK_MINUTES) return `${orders} + 0 * minute`;
  const open = spans.map(({ from, to }) => {
    // A period lasts a quarter of an hour and must end before the shop closes. A shop that stays open
    // past the end of the week does not close there.
    const staysOpen = to === WEEK_MINUTES && first.from === 0;
    return `(minute >= ${from} AND minute <= ${staysOpen ? to : to - QUARTER})`;
  });
  return `IF(${open.join(' OR ')}, ${orders}, 1)`;
}

/**
 * The opening hours in UTC, because CloudWatch knows no other time zone. A quarter of an hour is included
 * only if the shop is open in it at every UTC offset that its time zone has in the coming year. Where
 * clocks change, this leaves out the hour that is open in one half of the year only, and never includes
 * a closed one.
 */
export function openSpans(silence: OrderSilence, now: Date): readonly WeekSpan[] {
  const offsets = utcOffsetsMinutes(silence.timeZone, now);
  const spans: WeekSpan[] = [];
  for (let from = 0; from < WEEK_MINUTES; from += QUARTER) {
    if (!offsets.every((offset) => isOpen(from + offset, silence))) continue;
    const last = spans.at(-1);
    if (last?.to === from) spans[spans.length - 1] = { from: last.from, to: from + QUARTER };
    else spans.push({ from, to: from + QUARTER });
  }
  return spans;
}

const LAST_DAY = { 'monday-to-friday': 5, 'monday-to-saturday': 6, 'every-day': 7 } as const;

function isOpen(localMinute: number, { opens, closes, days = 'every-day' }: OrderSilence): boolean {
  const ofWeek = (localMinute + WEEK_MINUTES) % WEEK_MINUTES;
  const ofDay = ofWeek % 1440;
  return ofWeek < LAST_DAY[days] * 1440 && ofDay >= opens * 60 && ofDay < closes * 60;
}

/** Every UTC offset, east positive, that the time zone has in the coming year. */
function utcOffsetsMinutes(timeZone: string, now: Date): readonly number[] {
  const format = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' });
  const found = new Set<number>();
  for (let day = 0; day <= 371; day += 7) {
    const parts = format.formatToParts(now.getTime() + day * 86_400_000);
    const name = parts.find(({ type }) => type === 'timeZoneName')?.value ?? '';
    const [, sign = '+', hours = '0', minutes = '0'] = /GMT([+-])(\d{2}):(\d{2})/.exec(name) ?? [];
    const distance = Number(hours) * 60 + Number(minutes);
    found.add(sign === '-' ? -distance : distance);
  }
  return [...found];
}
