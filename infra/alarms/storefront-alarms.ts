import { Duration } from 'aws-cdk-lib';
import { type AlarmDefinition, reaching } from './alarm-definition.ts';
import { counted, total } from './counted.ts';
import type { Watched } from './watched.ts';

/** Anybody may try an address; a wrong one at the loyalty service fails every event. */
const MANY_WRONG = 5;

/** What the loyalty service meets when it sends a point event. */
export function storefrontAlarms({ metricsNamespace, storefront }: Watched): AlarmDefinition[] {
  if (!storefront) return [];
  const refused = (why: string) =>
    counted(metricsNamespace, 'receive-points', 'refused', { why }).with({
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
  ];
}
