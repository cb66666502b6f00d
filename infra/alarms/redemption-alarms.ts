import { type AlarmDefinition, AN_HOUR, reaching } from './alarm-definition.ts';
import { counted, total } from './counted.ts';
import type { Watched } from './watched.ts';

/** Rewards that no machine can bring to their end. */
export function redemptionAlarms({ metricsNamespace, storefront }: Watched): AlarmDefinition[] {
  if (!storefront) return [];
  const notice = (service: 'sync-balances' | 'storefront', why: string) =>
    counted(metricsNamespace, service, 'notice', { why });
  return [
    {
      id: 'redemption-pending',
      heading: 'Redemption pending',
      urgency: 'today',
      says: 'A customer redeemed a reward and nobody knows whether the points were spent, or the code that the loyalty service gave is taken in the store.',
      first: 'redemptions list',
      metric: total(
        [
          notice('sync-balances', 'redemption-pending'),
          notice('sync-balances', 'reward-code-taken'),
          notice('storefront', 'reward-code-taken'),
        ],
        'redemptions for a person to look at',
      ),
      rings: reaching(1, { outOf: AN_HOUR, tellsEnd: false }),
    },
  ];
}
