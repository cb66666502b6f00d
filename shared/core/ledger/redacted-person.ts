import type { Snapshot } from '../sync/read-snapshot.ts';
import type { LedgerEntry, LedgerWrite } from './ledger.ts';

/**
 * True for data from before the redaction of its person: a body that waited on a queue, a replayed dead
 * letter, a captured webhook, a store that has not erased the person yet.
 */
export function predatesRedaction(entry: LedgerEntry | undefined, version: number): boolean {
  return entry?.redactedAt !== undefined && version <= entry.redactedAt;
}

/** The mark, to keep it in the next entry. */
export function redactionOf(entry: LedgerEntry | undefined): Pick<LedgerWrite, 'redactedAt'> {
  return entry?.redactedAt === undefined ? {} : { redactedAt: entry.redactedAt };
}

/**
 * The order without anything that identifies its person. All notes and metafields are removed: only the
 * merchant knows which of them name a person.
 */
export function withoutPerson(snapshot: Snapshot): Snapshot {
  const { entity } = snapshot;
  if (entity.kind !== 'order') return snapshot;
  const order = {
    ...entity.order,
    customer: undefined,
    noteAttributes: [],
    metafields: [],
  };
  return { ...snapshot, entity: { kind: 'order', order } };
}
