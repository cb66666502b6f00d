import type { SentReason } from '../../../shared/core/reconcile/dependencies.ts';

/** Why a reconcile run sent something, for the terminal and for the page. */
export const SENT_REASONS: Readonly<Record<SentReason, string>> = {
  missing: 'no webhook of it was settled',
  stale: 'changed without a webhook',
  different: 'the ledger had another state',
  uncertain: 'the outcome of its last call was not known',
  deleted: 'deleted without a webhook',
  removed: 'removed from its discount without a webhook',
  'rules-changed': 'the rules or a date changed what is sent',
  unannounced: 'only its version changed',
  'dead-letter-expired': 'its dead letter expired',
  recovered: 'the ledger was lost or restored',
  lost: 'the loyalty service had lost it',
};
