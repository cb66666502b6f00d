import { readLettersById } from '../../../shared/aws/read-letters.ts';
import {
  type LetterFacts,
  retireSummaries,
  type WayOut,
} from '../../../shared/core/batch/dead-letter.ts';
import type { QueueFamily } from '../../../shared/core/events/event.ts';
import type { Deployment } from '../deployment/deployment.ts';
import { openLedger } from '../deployment/open-ledger.ts';
import { familiesOf, type LetterFilter } from './letter-filter.ts';
import { openSummaries } from './read-summaries.ts';

/** Where the letters of a filter can be, and how they leave the lists. */
export interface SearchScope {
  readonly families: readonly QueueFamily[];
  /** How many they are at most; undefined: not known. */
  readonly most: number | undefined;
  retire(letters: readonly LetterFacts[], how: WayOut): Promise<void>;
}

/** The ids of letters say which queue is to be read, and when the search is over; other ids do not. */
export async function searchScope(
  deployment: Deployment,
  filter: LetterFilter,
): Promise<SearchScope> {
  const all = familiesOf(filter, deployment.connector);
  const scope = {
    async retire(letters: readonly LetterFacts[], how: WayOut) {
      await retireSummaries(letters, how, { ledger: openLedger(deployment), now: new Date() });
    },
  };
  const ids = new Set(filter.id);
  const named = await readLettersById(openSummaries(deployment), [...ids], new Date());
  if (ids.size === 0 || named.length < ids.size)
    return { ...scope, families: all, most: undefined };
  const theirs = new Set(named.map(({ family }) => family));
  return { ...scope, families: all.filter((one) => theirs.has(one)), most: ids.size };
}
