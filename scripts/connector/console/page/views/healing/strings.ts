import type { BackfillsDocument } from '../../../../backfill/report.ts';

type Stage = BackfillsDocument['backfills'][number]['state'];

export const strings = {
  kinds: {
    order: 'Order',
    product: 'Product',
    coupon: 'Coupon',
  },
  states: {
    missing: 'missing',
    wrong: 'wrong',
    extra: 'too many',
    covered: 'Events announce it too',
    other: 'another address',
  },
  backfills: 'Backfills',
  stages: {
    finished: 'Finished',
    'not-started': 'Not started',
    'waits-for-store': 'Waits for the store',
    'stopped-or-running': 'Stopped or running',
  } satisfies Readonly<Record<Stage, string>>,
  whats: {
    orders: 'Orders',
    products: 'Products',
    discounts: 'Discount codes',
  },
};
