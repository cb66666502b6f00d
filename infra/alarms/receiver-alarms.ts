import { Duration } from 'aws-cdk-lib';
import { type AlarmDefinition, AN_HOUR, reaching } from './alarm-definition.ts';
import { counted } from './counted.ts';
import { endpointMetrics } from './endpoint-metrics.ts';
import type { Watched } from './watched.ts';

/** The store waits five seconds in all. */
const SLOW_MS = 3_000;
/** Anybody may try the address; a wrong secret fails every webhook. */
const MANY_FORGERIES = 5;

/** What the store meets when it sends a webhook. */
export function receiverAlarms(watched: Watched): AlarmDefinition[] {
  const { failed, slowest } = endpointMetrics(watched);
  const { metricsNamespace } = watched;
  return [
    {
      id: 'receiver-fails',
      heading: 'Receiver fails',
      urgency: 'now',
      says: 'Webhooks are answered with an error; the store sends them again for four hours.',
      first: 'doctor',
      metric: failed,
      rings: reaching(1, { times: 2, outOf: AN_HOUR }),
    },
    {
      id: 'receiver-is-slow',
      heading: 'Receiver is slow',
      urgency: 'now',
      says: `Webhooks are answered after more than ${SLOW_MS / 1000} seconds; the store hangs up after five.`,
      first: 'status',
      metric: slowest,
      rings: reaching(SLOW_MS, { times: 3, outOf: 6 }),
    },
    {
      id: 'signatures-refused',
      heading: 'Signatures refused',
      urgency: 'now',
      says: 'Webhooks are refused because their signature does not fit the secret of their shop.',
      first: 'doctor',
      metric: counted(metricsNamespace, 'receive-webhook', 'refused', { why: 'signature' }).with({
        period: Duration.minutes(15),
      }),
      rings: reaching(MANY_FORGERIES, { outOf: 4 }),
    },
    {
      id: 'older-webhook-secret',
      heading: 'Older webhook secret',
      urgency: 'today',
      says: 'The store still signs with the older webhook secret, hours after it was changed.',
      first: 'status',
      metric: counted(metricsNamespace, 'receive-webhook', 'older-secret-used').with({
        period: Duration.hours(1),
      }),
      // The store may use it for an hour after a change, which falls into two.
      rings: reaching(1, { times: 3, outOf: 24, tellsEnd: false }),
    },
    {
      id: 'unexpected-api-version',
      heading: 'Unexpected API version',
      urgency: 'today',
      says: "Webhooks come in another version of the store's API than the one they are read by.",
      first: 'webhooks check',
      metric: counted(metricsNamespace, 'receive-webhook', 'unexpected-api-version').with({
        period: Duration.hours(1),
      }),
      rings: reaching(1, { outOf: 24, tellsEnd: false }),
    },
  ];
}
