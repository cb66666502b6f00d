import { type Ledger, readEntry, replaceEntry, withOutcome } from './ledger.ts';
import type { EntityKey } from './ledger-key.ts';

/** The outcome of an entity whose dead letter a person dropped: it is not healed before it changes. */
export const DROPPED = 'dropped';

const MOST_TRIES = 5;

/** Adds a line after the rejection that the letter was about. Without one there is nothing to keep from healing. */
export async function noteDropped(
  key: EntityKey,
  topic: string,
  { ledger, now }: { readonly ledger: Pick<Ledger, 'readMany' | 'write'>; readonly now: Date },
): Promise<void> {
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    const entry = await readEntry(ledger, key);
    const rejected = entry?.outcomes.findLast(({ outcome }) => outcome === 'rejected');
    if (!entry || !rejected) return;
    const { version } = rejected;
    if (entry.outcomes.findLast((line) => line.version === version) !== rejected) return;
    const line = { at: now.toISOString(), outcome: DROPPED, version, topic };
    const { revision: _, ...kept } = entry;
    const next = { ...kept, outcomes: withOutcome(entry, line) };
    if (await replaceEntry(ledger, key, next, entry)) return;
  }
  throw new Error(`the ledger entry of ${key.kind} ${key.id} changes all the time`);
}
