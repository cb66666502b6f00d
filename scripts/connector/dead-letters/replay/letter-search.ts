import { readLetters } from '../../../../shared/aws/read-letters.ts';
import type { QueueFamily } from '../../../../shared/core/events/event.ts';
import type { Deployment } from '../../deployment/deployment.ts';
import { openLetterQueues } from '../letter-queues.ts';
import { readLetter } from '../read-letter.ts';
import { openSummaries } from '../read-summaries.ts';
import { walkLetters } from '../walk-letters.ts';
import type { FollowWorld } from './follow-replayed.ts';

/** By the summaries; the queues are walked only where an older release wrote none. */
export function openLetterSearch(
  deployment: Deployment,
  families: readonly QueueFamily[],
): FollowWorld['eachLetter'] {
  return async (since, visit) => {
    const settings = await openSummaries(deployment);
    if (settings) {
      const asked = { since: since.getTime(), now: new Date() };
      for await (const letters of readLetters(settings, 'open', asked)) letters.forEach(visit);
      return;
    }
    const { signal } = new AbortController();
    const walks = openLetterQueues(deployment, families).map((queue) =>
      walkLetters({ queue, signal }, async (letters) => {
        letters.map(readLetter).forEach(visit);
        return letters;
      }),
    );
    await Promise.all(walks);
  };
}
