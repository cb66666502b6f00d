import type { DeadLetter, LetterQueue } from '../../../../shared/core/events/dead-letter.ts';
import { type LetterFilter, matchesFilter } from '../letter-filter.ts';
import { readLetter } from '../read-letter.ts';
import { walkLetters } from '../walk-letters.ts';
import type { DroppedFile } from './dropped-file.ts';

export interface DropWorld {
  readonly queues: readonly LetterQueue[];
  readonly file: Pick<DroppedFile, 'keep'>;
  readonly filter: LetterFilter;
  /** Undefined: all that match. Else only those that the person was shown. */
  readonly agreed: ReadonlySet<string> | undefined;
  readonly signal: AbortSignal;
  readonly onDropped: (dropped: number) => void;
}

/** Removes letters for good, each after the file holds it; one queue after the other. */
export async function dropLetters(world: DropWorld): Promise<number> {
  const { queues, file, filter, agreed, signal, onDropped } = world;
  let dropped = 0;
  const isMeant = (letter: DeadLetter) =>
    matchesFilter(readLetter(letter), filter) && (agreed?.has(letter.messageId) ?? true);
  for (const queue of queues) {
    await walkLetters({ queue, signal }, async (letters) => {
      const meant = letters.filter(isMeant);
      if (meant.length > 0) await file.keep(meant);
      await queue.remove(meant.map(({ receiptHandle }) => receiptHandle));
      dropped += meant.length;
      onDropped(dropped);
      return letters.filter((letter) => !meant.includes(letter));
    });
  }
  return dropped;
}
