import type { SentReason } from '../../../../../../shared/core/reconcile/healing-message.ts';
import type { BackfillsDocument } from '../../../../backfill/report.ts';
import { SENT_REASONS } from '../../../../healing/sent-reasons.ts';

type Stage = BackfillsDocument['backfills'][number]['state'];

export const strings = {
  reasons: {
    missing: SENT_REASONS.missing,
    stale: SENT_REASONS.stale,
    different: SENT_REASONS.different,
    uncertain: SENT_REASONS.uncertain,
    deleted: SENT_REASONS.deleted,
    removed: SENT_REASONS.removed,
    'rules-changed': SENT_REASONS['rules-changed'],
    unannounced: SENT_REASONS.unannounced,
    'letter-expired': SENT_REASONS['letter-expired'],
    recovered: SENT_REASONS.recovered,
    lost: SENT_REASONS.lost,
  } satisfies Readonly<Record<SentReason, string>>,
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
