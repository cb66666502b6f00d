import { Duration } from 'aws-cdk-lib';
import type { StorefrontService } from '../../shared/config/metrics.ts';
import { type AlarmDefinition, AN_HOUR, reaching } from './alarm-definition.ts';
import { counted, total } from './counted.ts';
import type { Watched } from './watched.ts';

/** Anybody may try an address; a wrong one at the loyalty service fails every event. */
const MANY_WRONG = 5;

/** Anybody may try the address; a wrong secret fails every page that shows the program. */
const MANY_FORGERIES = 20;
/** In five minutes: more than the moment in which a call was slow. */
const MANY_UNANSWERED = 5;

/** What the loyalty service meets when it sends a point event, and shoppers when they look at the program. */
export function storefrontAlarms({ metricsNamespace, storefront }: Watched): AlarmDefinition[] {
  if (!storefront) return [];
  const refused = (why: string, service: StorefrontService = 'receive-points') =>
    counted(metricsNamespace, service, 'refused', { why }).with({
      period: Duration.minutes(15),
    });
  return [
    {
      id: 'point-events-refused',
      heading: 'Point events refused',
      urgency: 'today',
      says: 'Point events are refused: their address has a wrong token, or they are not what the contract says.',
      first: 'storefront setup',
      metric: total(
        [refused('token'), refused('not-the-contract')],
        'point events refused',
        Duration.minutes(15),
      ),
      rings: reaching(MANY_WRONG, { outOf: 4 }),
    },
    {
      id: 'storefront-refused',
      heading: 'Storefront refused',
      urgency: 'today',
      says: 'Requests of the storefront are refused: their signature, their time or their shop does not fit.',
      first: 'doctor',
      metric: total(
        (['signature', 'stale', 'other-shop', 'ambiguous'] as const).map((why) =>
          refused(why, 'storefront'),
        ),
        'requests of the storefront refused',
        Duration.minutes(15),
      ),
      rings: reaching(MANY_FORGERIES, { outOf: 4 }),
    },
    {
      id: 'storefront-unavailable',
      heading: 'Storefront unavailable',
      urgency: 'today',
      says: 'Shoppers cannot see the loyalty program: the loyalty service, the store or the ledger does not answer.',
      first: 'status',
      metric: counted(metricsNamespace, 'storefront', 'unavailable'),
      rings: reaching(MANY_UNANSWERED, { times: 2, outOf: AN_HOUR }),
    },
  ];
}
