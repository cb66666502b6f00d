import type { ReadSettings } from '../../../../shared/aws/read-ledger.ts';
import { readLettersAbout, readLettersById } from '../../../../shared/aws/read-letters.ts';
import type { ListedLetter, SummarizedLetter } from '../../../../shared/core/batch/dead-letter.ts';
import type { Deployment } from '../../deployment/deployment.ts';
import { KINDS } from '../filter-options.ts';
import { familiesOf } from '../letter-filter.ts';
import { openLetterQueues } from '../letter-queues.ts';
import { surveyLetters } from '../list/survey-letters.ts';
import type { ReadLetter } from '../read-letter.ts';
import { newestFirst, openSummaries } from '../read-summaries.ts';

/** An entity that fails again and again has many letters, and they tell the same: the newest is shown. */
interface Alike {
  newest: ListedLetter;
  oldestAt: number;
  count: number;
}

export interface FoundLetters {
  readonly matching: number;
  /** The newest first. */
  readonly alike: readonly Alike[];
  /** By letter id: those of `alike` whose message could be received. */
  readonly received: ReadonlyMap<string, ReadLetter>;
}

interface Search {
  readonly id: string;
  /** So many of `alike` are shown: only their messages are needed. */
  readonly most: number;
  readonly signal: AbortSignal;
  readonly onProgress: (seen: number, total: number) => void;
}

/** Finds letters by their summaries, and receives no more than it takes to reach their messages. */
export async function findLetters(deployment: Deployment, search: Search): Promise<FoundLetters> {
  const summaries = await findSummaries(openSummaries(deployment), deployment, search.id);
  if (summaries.length === 0) return walkAll(deployment, search);
  const alike = foldAlike(summaries);
  const wanted = alike.slice(0, search.most).map(({ newest }) => newest);
  const families = [...new Set(wanted.map(({ family }) => family))];
  const received = new Map<string, ReadLetter>();
  await surveyLetters({
    queues: openLetterQueues(deployment, families),
    filter: { id: wanted.map(({ letterId }) => letterId) },
    ...search,
    most: wanted.length,
    onMatch: (letter) => received.set(letter.letterId, letter),
  });
  return { matching: summaries.length, alike, received };
}

/** All that are, or are about, this. */
async function findSummaries(
  settings: ReadSettings,
  { connector }: Deployment,
  id: string,
): Promise<readonly SummarizedLetter[]> {
  const now = new Date();
  const things = connector.shops.flatMap(({ domain: shop }) =>
    KINDS.map((kind) => ({ shop, kind, id })),
  );
  const found = await Promise.all([
    readLettersById(settings, [id], now),
    ...things.map((thing) => readLettersAbout(settings, thing, now)),
  ]);
  return found.flat().filter(({ gone }) => !gone);
}

/** Of letters without a summary. */
async function walkAll(deployment: Deployment, search: Search): Promise<FoundLetters> {
  const letters: ReadLetter[] = [];
  const { matching } = await surveyLetters({
    queues: openLetterQueues(deployment, familiesOf({}, deployment.connector)),
    filter: { id: [search.id] },
    signal: search.signal,
    onProgress: search.onProgress,
    onMatch: (letter) => void letters.push(letter),
  });
  const received = new Map(letters.map((letter) => [letter.letterId, letter]));
  return { matching, alike: foldAlike(letters), received };
}

function foldAlike(letters: readonly ListedLetter[]): readonly Alike[] {
  const folded = new Map<string, Alike>();
  for (const letter of letters.toSorted(newestFirst)) {
    const { family, reason, code, why, event, at } = letter;
    const key = JSON.stringify([family, event?.kind, event?.topic, reason, code, why]);
    const known = folded.get(key);
    if (known) {
      known.count += 1;
      known.oldestAt = at;
    } else folded.set(key, { newest: letter, oldestAt: at, count: 1 });
  }
  return [...folded.values()];
}
