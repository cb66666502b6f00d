import { Duration } from 'aws-cdk-lib';
import { type IMetric, MathExpression } from 'aws-cdk-lib/aws-cloudwatch';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { OrderSilence } from '../../shared/config/connector-settings.ts';
import type { WrittenMetric } from '../../shared/config/metrics.ts';
import {
  type AlarmDefinition,
  absent,
  atLeast,
  endpointMetrics,
  type Monitored,
  ONE_HOUR,
  ownMetric,
  publicFunctions,
  sumOf,
} from './alarm-definition.ts';

const MINUTES_5 = Duration.minutes(5);
const MINUTES_15 = Duration.minutes(15);
const HOUR = Duration.hours(1);
/** The store waits five seconds in all. */
const SLOW_MS = 3_000;
/** Anyone may call a public address; a wrong secret or token fails every request. */
const MANY_REFUSED = 5;
const MANY_REFUSED_PAGES = 20;
/** In five minutes: more than one slow moment of the loyalty service. */
const MANY_UNANSWERED = 5;
/** In five minutes, one a second: scanners of the internet send a few a day. */
const FLOOD = 300;
/** Pages of a busy shop get many 4xx answers without a fault: not logged in, too few points. */
const FLOOD_OF_PAGES = 3_000;

export function receiverAlarms(monitored: Monitored): AlarmDefinition[] {
  const { serverErrors, latency } = endpointMetrics(monitored);
  const { metricsNamespace } = monitored;
  return [
    {
      heading: 'Receiver fails',
      urgency: 'now',
      message:
        'The receiver answers webhooks with an error; the store repeats them for four hours.',
      command: 'doctor',
      metric: serverErrors,
      condition: atLeast(1, { times: 2, outOf: ONE_HOUR }),
      level: 'both',
    },
    {
      heading: 'Receiver is slow',
      urgency: 'now',
      message: `The receiver takes more than ${SLOW_MS / 1000} seconds to answer webhooks; the store hangs up after five.`,
      command: 'status',
      metric: latency,
      condition: atLeast(SLOW_MS, { times: 3, outOf: 6 }),
    },
    {
      heading: 'Signatures refused',
      urgency: 'now',
      message:
        'The receiver refuses webhooks because their signature does not match the secret of their shop.',
      command: 'doctor',
      metric: ownMetric(metricsNamespace, 'signatures-refused', { period: MINUTES_15 }),
      condition: atLeast(MANY_REFUSED, { outOf: 4 }),
    },
    {
      heading: 'Older webhook secret',
      urgency: 'today',
      message:
        'The older webhook secret is still used, hours after it was changed: by the store, or by others.',
      command: 'status',
      metric: ownMetric(metricsNamespace, 'older-secret-used', { period: HOUR }),
      // The store may use it for an hour after a change, and that hour touches two periods.
      condition: atLeast(1, { times: 3, outOf: 24, notifyOnRecovery: false }),
    },
    {
      heading: 'Unexpected API version',
      urgency: 'today',
      message: "The store sends webhooks in another version of its API than the connector's.",
      command: 'webhooks check',
      metric: ownMetric(metricsNamespace, 'unexpected-api-version', { period: HOUR }),
      condition: atLeast(1, { outOf: 24, notifyOnRecovery: false }),
    },
  ];
}

/**
 * What anyone can do to a public address, also by unknown paths and wrong methods. AWS counts these
 * answers: the functions write nothing about them, so that a flood does not fill the log.
 */
export function floodAlarms(monitored: Monitored): AlarmDefinition[] {
  const { clientErrors } = endpointMetrics(monitored);
  const addresses = publicFunctions(monitored);
  return [
    ...addresses.map(([name, one]): AlarmDefinition => {
      const many = name === 'storefront' ? FLOOD_OF_PAGES : FLOOD;
      return {
        id: `many-refused-${name}`,
        heading: 'Many requests refused',
        urgency: 'today',
        message: `The address for ${name} refused ${many} requests and more in five minutes: a flood, or a sender with a wrong address.`,
        command: 'status',
        metric:
          name === 'webhooks'
            ? clientErrors
            : one.metric('Url4xxCount', { statistic: 'Sum', period: MINUTES_5 }),
        condition: atLeast(many, { outOf: ONE_HOUR }),
        level: 'both',
      };
    }),
    {
      heading: 'Functions throttled',
      urgency: 'now',
      message:
        'AWS turns requests away, because the account or the reservation of an address has no concurrency left.',
      command: 'doctor',
      metric: sumOf(
        addresses.map(([, one]) => one.metricThrottles({ statistic: 'Sum', period: MINUTES_5 })),
        'throttled requests',
      ),
      condition: atLeast(1, { times: 2, outOf: ONE_HOUR }),
    },
  ];
}

/** Requests of the store that a person must answer. Each is a single event without recovery. */
export function noticeAlarms({ metricsNamespace }: Monitored): AlarmDefinition[] {
  const notice = (metric: WrittenMetric) => ({
    metric: ownMetric(metricsNamespace, metric),
    condition: atLeast(1, { notifyOnRecovery: false }),
  });
  return [
    {
      heading: 'Data request',
      urgency: 'today',
      message: 'A customer asked, through the store, for the personal data that is kept of them.',
      command: 'status',
      ...notice('data-request'),
    },
    {
      heading: 'Shop redaction',
      urgency: 'today',
      message: 'The store asks to erase the data of a shop that removed the app.',
      command: 'status',
      ...notice('shop-redact'),
    },
    {
      heading: 'App uninstalled',
      urgency: 'now',
      message: 'A shop removed the app and sends no more webhooks.',
      command: 'doctor',
      ...notice('app-uninstalled'),
    },
  ];
}

export function storefrontAlarms({ metricsNamespace, storefront }: Monitored): AlarmDefinition[] {
  if (!storefront) return [];
  return [
    {
      heading: 'Point events refused',
      urgency: 'today',
      message: 'The connector refuses point events: their token is wrong or missing.',
      command: 'storefront setup',
      metric: ownMetric(metricsNamespace, 'points-refused', { period: MINUTES_15 }),
      condition: atLeast(MANY_REFUSED, { outOf: 4 }),
    },
    {
      heading: 'Storefront refused',
      urgency: 'today',
      message:
        'The storefront function refuses requests: their signature or session token is not accepted.',
      command: 'doctor',
      metric: ownMetric(metricsNamespace, 'storefront-refused', { period: MINUTES_15 }),
      condition: atLeast(MANY_REFUSED_PAGES, { outOf: 4 }),
    },
    {
      heading: 'Storefront unavailable',
      urgency: 'today',
      message:
        'Shoppers cannot see the loyalty program: the loyalty service, the store or the ledger does not answer.',
      command: 'status',
      metric: ownMetric(metricsNamespace, 'unavailable'),
      condition: atLeast(MANY_UNANSWERED, { times: 2, outOf: ONE_HOUR }),
    },
    {
      heading: 'Redemption pending',
      urgency: 'today',
      message:
        'A customer redeemed a reward, and the connector can finish it neither with a code nor by giving the points back.',
      command: 'redemptions list',
      metric: ownMetric(metricsNamespace, 'redemption-pending'),
      condition: atLeast(1, { outOf: ONE_HOUR, notifyOnRecovery: false }),
    },
    {
      heading: 'PIN guessing',
      urgency: 'today',
      message:
        'A user of the point of sale gave many wrong PINs, or had many sent in vain, for one customer after another: no more of theirs are tried or sent for an hour.',
      command: 'redemptions list',
      metric: ownMetric(metricsNamespace, 'pin-guessing'),
      condition: atLeast(1, { outOf: ONE_HOUR, notifyOnRecovery: false }),
    },
  ];
}

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
