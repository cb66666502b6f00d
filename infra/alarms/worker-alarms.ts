import type { Service, StorefrontService, WrittenMetric } from '../../shared/config/metrics.ts';
import { type AlarmDefinition, AN_HOUR, reaching } from './alarm-definition.ts';
import { counted, total } from './counted.ts';
import { type Watched, WORKERS } from './watched.ts';

/** What the workers meet at the loyalty service, and in themselves. */
export function workerAlarms({ metricsNamespace, storefront }: Watched): AlarmDefinition[] {
  const workers = [...WORKERS, ...(storefront ? (['sync-balances'] as const) : [])];
  const ofAll = (
    metric: WrittenMetric,
    services: readonly (Service | StorefrontService)[] = workers,
  ) =>
    total(
      services.map((service) => counted(metricsNamespace, service, metric)),
      metric,
    );
  return [
    {
      id: 'misconfigured',
      heading: 'Credentials or settings refused',
      urgency: 'now',
      says: 'The loyalty service or the store refuses the credentials or the address: nothing passes until a person acts.',
      first: 'doctor',
      metric: ofAll('misconfigured', [
        ...workers,
        'reconcile',
        ...(storefront ? (['storefront'] as const) : []),
      ]),
      // Tried again at most every half hour.
      rings: reaching(1, { outOf: AN_HOUR }),
    },
    {
      id: 'loyalty-throttles',
      heading: 'Loyalty service throttles',
      urgency: 'today',
      says: 'For an hour the loyalty service has been asking for fewer calls.',
      first: 'status',
      metric: ofAll('throttled'),
      rings: reaching(1, { times: 10, outOf: AN_HOUR }),
    },
    {
      id: 'work-broke-off',
      heading: 'Work broke off',
      urgency: 'today',
      says: 'A worker met an error that it has no answer to; the message stays on its queue.',
      first: 'status',
      metric: ofAll('crash'),
      rings: reaching(1, { outOf: AN_HOUR }),
    },
  ];
}
