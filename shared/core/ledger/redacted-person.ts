import type { Snapshot } from '../sync/read-snapshot.ts';
import type { LedgerEntry, LedgerWrite } from './ledger.ts';

/**
 * True for what was told before its person was redacted: a body that waited on a queue, a dead letter that
 * is replayed, a captured webhook, a store that has not erased them itself yet.
 */
export function predatesRedaction(entry: LedgerEntry | undefined, version: number): boolean {
  return entry?.redactedAt !== undefined && version <= entry.redactedAt;
}

/** The mark, for whatever entry comes next. */
export function redactionOf(entry: LedgerEntry | undefined): Pick<LedgerWrite, 'redactedAt'> {
  return entry?.redactedAt === undefined ? {} : { redactedAt: entry.redactedAt };
}

/**
 * The order without anything by which its person could be known. Notes and metafields go as a whole:
 * which of them name somebody, only the merchant knows.
 */
export function withoutPerson(snapshot: Snapshot): Snapshot {
  const { entity } = snapshot;
  if (entity.kind !== 'order') return snapshot;
  const nobody = { name: undefined, email: undefined, phone: undefined };
  const order = {
    ...entity.order,
    customer: undefined,
    contact: nobody,
    noteAttributes: [],
    metafields: [],
  };
  return { ...snapshot, entity: { kind: 'order', order } };
}
