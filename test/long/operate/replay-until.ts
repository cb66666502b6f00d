import { openLetterQueues } from '../../../scripts/connector/ground/letters/read-letters.ts';
import {
  letterReaderOf,
  newTally,
  replayLetters,
} from '../../../scripts/connector/ground/letters/replay-letters.ts';
import { openLedger } from '../../../scripts/connector/ground/session/deployment.ts';
import { findDeployment } from '../../../scripts/connector/ground/session/find-deployment.ts';
import { openSourceQueues } from '../../../scripts/connector/ground/session/queues.ts';
import { retireSummaries } from '../../../shared/core/batch/dead-letter.ts';
import { letterIdsIn } from '../../support/parked-letters.ts';

const { DIE_AT, DIE_AFTER = '1' } = process.env;
const deployment = await findDeployment({});
const tally = newTally();
const queues = openLetterQueues(deployment, ['orders']);
const letterIds = new Set(await letterIdsIn(queues));
let reached = 0;

await replayLetters(
  { letterIds, by: 'test@host' },
  {
    queues,
    replayQueue: openSourceQueues(deployment, ['orders']).queue,
    retire: (letters) =>
      retireSummaries(letters, 'replayed', { ledger: openLedger(deployment), now: new Date() }),
    ...letterReaderOf(deployment.connector.shops),
    now: () => new Date(),
    signal: new AbortController().signal,
    onReplayed: () => {},
    onStep(step) {
      if (step !== DIE_AT) return;
      reached += 1;
      if (reached === Number(DIE_AFTER)) process.kill(process.pid, 'SIGKILL');
    },
  },
  tally,
);
process.stdout.write(`replayed ${tally.replayed}\n`);
