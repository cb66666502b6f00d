import { readLetters } from '../../../../shared/aws/read-ledger.ts';
import type { Deployment } from '../../deployment/deployment.ts';
import { openSummaries } from '../read-summaries.ts';
import type { FollowWorld } from './follow-replayed.ts';

/** By the summaries, which the workers write beside each dead letter. */
export function openLetterSearch(deployment: Deployment): FollowWorld['eachLetter'] {
  return async (since, visit) => {
    const asked = { since: since.getTime(), now: new Date() };
    for await (const letters of readLetters(openSummaries(deployment), 'open', asked)) {
      letters.forEach(visit);
    }
  };
}
