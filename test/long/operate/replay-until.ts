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

/** Its calls, in their order. A killed process has stopped before one of them, or after one. */
export type ReplayStep = 'received' | 'sending' | 'sent' | 'retired' | 'removed';

const { DIE_AT, DIE_AFTER = '1' } = process.env;
let reached = 0;

function reach(step: ReplayStep): void {
  if (step !== DIE_AT) return;
  reached += 1;
  if (reached === Number(DIE_AFTER)) process.kill(process.pid, 'SIGKILL');
}

async function reachAfter<Value>(call: Promise<Value>, step: ReplayStep): Promise<Value> {
  const value = await call;
  reach(step);
  return value;
}

const deployment = await findDeployment({});
const tally = newTally();
const queues = openLetterQueues(deployment, ['orders']).map((queue) => ({
  ...queue,
  receive: (seconds: number) => reachAfter(queue.receive(seconds), 'received'),
  remove: (handles: readonly string[]) => reachAfter(queue.remove(handles), 'removed'),
}));
const { queue } = openSourceQueues(deployment, ['orders']);
const letterIds = new Set(await letterIdsIn(queues));
reached = 0;

await replayLetters(
  { letterIds, by: 'test@host' },
  {
    queues,
    replayQueue: {
      sendAll(...given) {
        reach('sending');
        return reachAfter(queue.sendAll(...given), 'sent');
      },
    },
    retire: (letters) =>
      reachAfter(
        retireSummaries(letters, 'replayed', { ledger: openLedger(deployment), now: new Date() }),
        'retired',
      ),
    ...letterReaderOf(deployment.connector.shops),
    now: () => new Date(),
    signal: new AbortController().signal,
    onReplayed: () => {},
  },
  tally,
);
process.stdout.write(`replayed ${tally.replayed}\n`);
