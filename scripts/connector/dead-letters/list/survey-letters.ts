import type { LetterQueue } from '../../../../shared/core/events/dead-letter.ts';
import type { QueueFamily } from '../../../../shared/core/events/event.ts';
import { type LetterFilter, matchesFilter } from '../letter-filter.ts';
import { createLetterGroups, type LetterGroup } from '../letter-groups.ts';
import { type ReadLetter, readLetter } from '../read-letter.ts';
import { walkLetters } from '../walk-letters.ts';

export interface Survey {
  readonly groups: readonly LetterGroup[];
  readonly matching: number;
  readonly queues: readonly QueueSurvey[];
}

interface QueueSurvey {
  readonly family: QueueFamily;
  readonly seen: number;
  readonly matching: number;
  /** What SQS counted before, beyond what was seen: in other hands, or behind others of its group. */
  readonly notSeen: number;
  readonly retentionSeconds: number;
}

interface SurveySettings {
  readonly queues: readonly LetterQueue[];
  readonly filter: LetterFilter;
  readonly signal: AbortSignal;
  /** How many of how many were seen, from time to time. */
  readonly onProgress: (seen: number, total: number) => void;
  /** Every letter that matches, once. */
  readonly onMatch?: (letter: ReadLetter) => void;
}

/** Looks at every letter and changes none. */
export async function surveyLetters(settings: SurveySettings): Promise<Survey> {
  const { queues, filter, signal, onProgress, onMatch = () => {} } = settings;
  const groups = createLetterGroups();
  const counts = await Promise.all(queues.map((queue) => queue.counts()));
  const total = counts.reduce((sum, { visible, inFlight }) => sum + visible + inFlight, 0);
  let seenInAll = 0;
  const surveyed = queues.map(async (queue, index): Promise<QueueSurvey> => {
    let seen = 0;
    let matching = 0;
    await walkLetters({ queue, signal }, async (letters) => {
      for (const letter of letters.map(readLetter)) {
        if (!matchesFilter(letter, filter)) continue;
        matching += 1;
        groups.add(letter);
        onMatch(letter);
      }
      seen += letters.length;
      seenInAll += letters.length;
      onProgress(seenInAll, total);
      return letters;
    });
    const { visible = 0, inFlight = 0, retentionSeconds = 0 } = counts[index] ?? {};
    const notSeen = Math.max(visible + inFlight - seen, 0);
    return { family: queue.family, seen, matching, notSeen, retentionSeconds };
  });
  const all = await Promise.all(surveyed);
  const matching = all.reduce((sum, one) => sum + one.matching, 0);
  return { groups: groups.all(), matching, queues: all };
}
