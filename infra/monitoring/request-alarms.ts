import { Duration } from 'aws-cdk-lib';
import type { WrittenMetric } from '../../shared/config/metrics.ts';
import {
  type AlarmDefinition,
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
