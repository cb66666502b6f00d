import type { QueueFamily } from '../../../../../../shared/core/events/event.ts';
import type { Verdict } from '../../../../status/judge-status.ts';
import type { LastHour } from '../../../../status/status-model.ts';

export const strings = {
  states: {
    well: 'All is well',
    waiting: 'Messages wait and go on by themselves',
    'needs-a-person': 'Action required',
  } satisfies Readonly<Record<Verdict['state'], string>>,
  counts: {
    received: 'received',
    applied: 'applied',
    retried: 'retried',
    rejected: 'rejected',
  } satisfies Readonly<Record<keyof LastHour['perMinute'], string>>,
  families: {
    orders: 'Orders',
    products: 'Products',
    coupons: 'Coupons',
    balances: 'Balances',
  } satisfies Readonly<Record<QueueFamily, string>>,
  unknown: 'Unknown',
};
