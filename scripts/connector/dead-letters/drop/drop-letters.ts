import {
  type DeadLetter,
  type LetterQueue,
  noteDropped,
} from '../../../../shared/core/batch/dead-letter.ts';
import { inBatches } from '../../../../shared/core/batch/run-batch.ts';
import { isEntityKind } from '../../../../shared/core/events/event.ts';
import type { Ledger } from '../../../../shared/core/ledger/ledger.ts';
import { type LetterFilter, matchesFilter } from '../letter-filter.ts';
import { readLetter } from '../read-letter.ts';
import { walkLetters } from '../walk-letters.ts';
import type { DroppedFile } from './dropped-file.ts';

export interface DropWorld {
  readonly queues: readonly LetterQueue[];
  readonly file: Pick<DroppedFile, 'keep'>;
  readonly ledger: Pick<Ledger, 'readMany' | 'write'>;
  /** Takes letters from the lists, before they leave the queue. */
  readonly retire: (letters: readonly DeadLetter[]) => Promise<void>;
  readonly now: () => Date;
  readonly filter: LetterFilter;
  /** No more than this match: the walk ends when it has seen them. */
  readonly most?: number | undefined;
  /** Undefined: all that match. Else only those that the person was shown. */
  readonly agreed: ReadonlySet<string> | undefined;
  readonly signal: AbortSignal;
  readonly onDropped: (dropped: number) => void;
}

/**
 * Removes letters, each after the file holds it and the ledger says so; one queue after the other. What
 * they were about is not healed until it changes in the store.
 */
export async function dropLetters(world: DropWorld): Promise<number> {
  const { queues, file, filter, agreed, onDropped, most } = world;
  const found = new AbortController();
  const signal = AbortSignal.any([world.signal, found.signal]);
  let dropped = 0;
  const isMeant = (letter: DeadLetter) =>
    matchesFilter(readLetter(letter), filter) && (agreed?.has(letter.messageId) ?? true);
  for (const queue of queues) {
    await walkLetters({ queue, signal }, async (letters) => {
      const meant = letters.filter(isMeant);
      if (meant.length > 0) await file.keep(meant);
      await inBatches(meant, (letter) => note(letter, world));
      await world.retire(meant);
      await queue.remove(meant.map(({ receiptHandle }) => receiptHandle));
      dropped += meant.length;
      if (dropped >= (most ?? Number.POSITIVE_INFINITY)) found.abort();
      onDropped(dropped);
      return letters.filter((letter) => !meant.includes(letter));
    });
  }
  return dropped;
}

async function note(letter: DeadLetter, { ledger, now }: DropWorld): Promise<void> {
  const { event } = readLetter(letter);
  if (!event || !isEntityKind(event.kind)) return;
  const key = { shop: event.shop, kind: event.kind, id: event.id };
  await noteDropped(key, event.topic, { ledger, now: now() });
}
