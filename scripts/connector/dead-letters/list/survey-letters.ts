import type { LetterQueue, SummarizedLetter } from '../../../../shared/core/batch/dead-letter.ts';
import type { QueueFamily } from '../../../../shared/core/events/event.ts';
import { type LetterFilter, matchesFilter } from '../letter-filter.ts';
import { createLetterGroups, type LetterGroup } from '../letter-groups.ts';
import { type ReadLetter, readLetter } from '../read-letter.ts';
import { walkLetters } from '../walk-letters.ts';

export interface Survey {
  /** What was read: summaries of the ledger, or the letters themselves. */
  readonly source: 'summaries' | 'queues';
  readonly groups: readonly LetterGroup[];
  readonly matching: number;
  readonly queues: readonly QueueSurvey[];
}

interface QueueSurvey {
  readonly family: QueueFamily;
  readonly seen: number;
  readonly matching: number;
  /**
   * What SQS counted before, beyond what was seen: without a summary; or, where the queue was read, in other hands,
   * or behind others of its group.
   */
  readonly notSeen: number;
  /** Summaries beyond what SQS counts: their letters were removed without this command line. */
  readonly gone: number;
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
  /** No more than this match: the survey ends when it has seen them. */
  readonly most?: number | undefined;
}

/** Groups the summaries, and receives no letter. */
export async function surveySummaries({
  queues,
  filter,
  letters,
  onMatch,
}: Pick<SurveySettings, 'queues' | 'filter'> & {
  readonly letters: readonly SummarizedLetter[];
  readonly onMatch: (letter: SummarizedLetter) => void;
}): Promise<Survey> {
  const groups = createLetterGroups();
  const chosen = letters.filter((letter) => matchesFilter(letter, filter));
  for (const letter of chosen) {
    groups.add(letter);
    onMatch(letter);
  }
  const inFamily = (some: readonly SummarizedLetter[], family: QueueFamily) =>
    some.reduce((sum, one) => sum + (one.family === family ? 1 : 0), 0);
  const surveyed = queues.map(async (queue): Promise<QueueSurvey> => {
    const { family } = queue;
    const { visible, inFlight, retentionSeconds } = await queue.counts();
    const seen = inFamily(letters, family);
    return {
      ...{ family, seen, matching: inFamily(chosen, family), retentionSeconds },
      notSeen: Math.max(visible + inFlight - seen, 0),
      gone: Math.max(seen - visible - inFlight, 0),
    };
  });
  return {
    source: 'summaries',
    groups: groups.all(),
    matching: chosen.length,
    queues: await Promise.all(surveyed),
  };
}

/** Looks at every letter and changes none. */
export async function surveyLetters(settings: SurveySettings): Promise<Survey> {
  const { queues, filter, onProgress, onMatch = () => {}, most } = settings;
  const found = new AbortController();
  const signal = AbortSignal.any([settings.signal, found.signal]);
  const groups = createLetterGroups();
  const counts = await Promise.all(queues.map((queue) => queue.counts()));
  const total = counts.reduce((sum, { visible, inFlight }) => sum + visible + inFlight, 0);
  let seenInAll = 0;
  let matchingInAll = 0;
  const surveyed = queues.map(async (queue, index): Promise<QueueSurvey> => {
    let seen = 0;
    let matching = 0;
    await walkLetters({ queue, signal }, async (letters) => {
      for (const letter of letters.map(readLetter)) {
        if (!matchesFilter(letter, filter)) continue;
        matching += 1;
        matchingInAll += 1;
        if (matchingInAll === most) found.abort();
        groups.add(letter);
        onMatch(letter);
      }
      seen += letters.length;
      seenInAll += letters.length;
      onProgress(seenInAll, total);
      return letters;
    });
    const { visible = 0, inFlight = 0, retentionSeconds = 0 } = counts[index] ?? {};
    const notSeen = found.signal.aborted ? 0 : Math.max(visible + inFlight - seen, 0);
    return { family: queue.family, seen, matching, notSeen, gone: 0, retentionSeconds };
  });
  const all = await Promise.all(surveyed);
  return { source: 'queues', groups: groups.all(), matching: matchingInAll, queues: all };
}
