// A replay that dies as if by kill -9 when its loop reaches a certain step for the n-th time. Started by
// the tests, in a process of its own and in the folder of an operated connector.
import {
  openLetterQueues,
  openSourceQueues,
} from '../../scripts/connector/dead-letters/letter-queues.ts';
import { createPacer } from '../../scripts/connector/dead-letters/replay/pacer.ts';
import { letterReaderOf } from '../../scripts/connector/dead-letters/replay/prepare-replay.ts';
import { replayLetters } from '../../scripts/connector/dead-letters/replay/replay-letters.ts';
import { newTally } from '../../scripts/connector/dead-letters/replay/replay-tally.ts';
import { findDeployment } from '../../scripts/connector/deployment/find-deployment.ts';
import { openLedger } from '../../scripts/connector/deployment/open-ledger.ts';
import { retireSummaries } from '../../shared/core/batch/dead-letter.ts';

const { DIE_AT, DIE_AFTER = '1' } = process.env;
const deployment = await findDeployment({});
const tally = newTally();
let reached = 0;

await replayLetters(
  { filter: {}, limit: Number.POSITIVE_INFINITY, refetch: false, force: false, by: 'test@host' },
  {
    queues: openLetterQueues(deployment, ['orders']),
    replayQueue: openSourceQueues(deployment, ['orders']).queue,
    retire: (letters) =>
      retireSummaries(letters, 'replayed', { ledger: openLedger(deployment), now: new Date() }),
    ...letterReaderOf(deployment.connector.shops),
    pacer: createPacer(undefined, { monotonicMs: () => performance.now(), pause: async () => {} }),
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
