import { Duration } from 'aws-cdk-lib';
import { type IWidget, Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { counted } from '../alarms/counted.ts';
import { endpointMetrics } from '../alarms/endpoint-metrics.ts';
import { type Watched, WORKERS, watchedFunctions } from '../alarms/watched.ts';
import { graph } from './graph.ts';

const MINUTE = Duration.minutes(1);

/** The receiver as the store sees it, and the functions as AWS does. */
export function functionWidgets(watched: Watched): IWidget[][] {
  const { functions, metricsNamespace, ledger } = watched;
  const { refused, failed, slowest } = endpointMetrics(watched);
  const sum = { statistic: 'Sum', period: MINUTE };
  // Without a dimension it is the whole account's: all functions share one quota.
  const account = (metricName: string, statistic: string, label: string) =>
    new Metric({ namespace: 'AWS/Lambda', metricName, statistic, label, period: MINUTE });
  return [
    [
      graph(
        'Answers that the store takes for failures',
        [
          refused.with({ label: '4xx', period: MINUTE }),
          failed.with({ label: '5xx', period: MINUTE }),
        ],
        { unit: 'a minute' },
      ),
      graph(
        'Time of functions: the store waits 5000 ms for the receiver',
        [
          slowest.with({ label: 'receive-webhook p99', period: MINUTE }),
          ...WORKERS.map((worker) =>
            functions[worker].metricDuration({
              statistic: 'Maximum',
              period: MINUTE,
              label: `${worker} longest`,
            }),
          ),
        ],
        { unit: 'milliseconds' },
      ),
      graph(
        'Errors and time-outs of functions',
        watchedFunctions(watched).map(([service, one]) =>
          one.metricErrors({ ...sum, label: service }),
        ),
        { unit: 'a minute', stacked: true },
      ),
    ],
    [
      graph(
        'Concurrency of the whole account',
        [account('ConcurrentExecutions', 'Maximum', 'running')],
        { unit: 'functions', right: [account('Throttles', 'Sum', 'held back (right)')] },
      ),
      graph(
        'Found by reconciliation',
        [
          counted(metricsNamespace, 'reconcile', 'looked-at').with({ label: 'looked at' }),
          ...(['order', 'product', 'coupon'] as const).map((kind) =>
            counted(metricsNamespace, 'reconcile', 'healed', { kind }).with({
              label: `healed ${kind}`,
            }),
          ),
        ],
        {
          unit: 'entities a run',
          right: [
            counted(metricsNamespace, 'reconcile', 'oldest-healed-ms', {}, 'Maximum').with({
              label: 'oldest healed, ms (right)',
            }),
          ],
        },
      ),
      graph(
        'Ledger',
        [
          ledger.table.metricConsumedReadCapacityUnits({ ...sum, label: 'read units' }),
          ledger.table.metricConsumedWriteCapacityUnits({ ...sum, label: 'write units' }),
        ],
        {
          unit: 'units a minute',
          right: (['ReadThrottleEvents', 'WriteThrottleEvents'] as const).map((name) =>
            ledger.table.metric(name, { ...sum, label: `${name} (right)` }),
          ),
        },
      ),
    ],
  ];
}
