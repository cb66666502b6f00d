import { type AlarmDefinition, reaching } from './alarm-definition.ts';
import { counted } from './counted.ts';
import type { Watched } from './watched.ts';

/** What the store asks of a person. Each is an event: it rings once and has no end. */
export function noticeAlarms({ metricsNamespace }: Watched): AlarmDefinition[] {
  const notice = (why: string) => ({
    metric: counted(metricsNamespace, 'sync-orders', 'notice', { why }),
    rings: reaching(1, { tellsEnd: false }),
  });
  return [
    {
      id: 'data-request',
      heading: 'Data request',
      urgency: 'today',
      says: 'A customer asked, through the store, for the data that is kept of them.',
      first: 'status',
      ...notice('data-request'),
    },
    {
      id: 'shop-redaction',
      heading: 'Shop redaction',
      urgency: 'today',
      says: 'The store asks that the data of a shop that removed the app be erased.',
      first: 'status',
      ...notice('shop-redact'),
    },
    {
      id: 'app-uninstalled',
      heading: 'App uninstalled',
      urgency: 'now',
      says: 'The app was removed from a shop: no webhook comes from it any more.',
      first: 'doctor',
      ...notice('app-uninstalled'),
    },
  ];
}
