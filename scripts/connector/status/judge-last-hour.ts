import type { LastHour, QueueStatus, Status, WorkerHour } from './status-model.ts';
import { count, type Trouble } from './trouble.ts';

/** A scanner is refused now and then. */
const FEW_BAD_SIGNATURES = 5;
/** A single entity that is refused for now is tried a dozen times in its first hour. */
const MANY_WAITING = 5;
const MANY_RETRIED = 10;

interface HourVerdict {
  readonly troubles: readonly Trouble[];
  readonly notes: readonly string[];
}

/** What the figures of an hour mean now: what nothing waits for any more is over. */
export function judgeLastHour({ lastHour, queues }: Pick<Status, 'lastHour' | 'queues'>) {
  if (lastHour.kind === 'unknown') return { troubles: [], notes: [] };
  const { workers, receiver } = lastHour.value;
  const waitingOf = (family: QueueStatus['family']) => {
    if (queues.kind === 'unknown') return undefined;
    const queue = queues.value.find((one) => one.family === family);
    return queue ? queue.waiting + queue.inFlight : 0;
  };
  const verdicts = [
    ...workers.map((worker) => judgeWorker(worker, waitingOf(worker.family))),
    judgeReceiver(receiver),
  ];
  return {
    troubles: verdicts.flatMap(({ troubles }) => troubles),
    notes: verdicts.flatMap(({ notes }) => notes),
  };
}

/** `waiting` undefined: not known. */
function judgeWorker(worker: WorkerHour, waiting: number | undefined): HourVerdict {
  const { family, misconfigured, crash, retried } = worker;
  const troubles: Trouble[] = [];
  const notes: string[] = [];
  if (misconfigured > 0) {
    const times = `(${count(misconfigured, 'time')} in the last hour)`;
    // Each message that met it stays on its queue: an empty one says that it is mended.
    if (waiting === 0) {
      notes.push(
        `${family}: credentials, scopes or an address were refused ${times}, and nothing waits any more`,
      );
    } else {
      const what = `${family} wait because credentials, scopes or an address are refused ${times}`;
      troubles.push({ what, next: 'doctor' });
    }
  }
  if (crash > 0) {
    const what = `sync-${family} broke off ${count(crash, 'time')} in the last hour: its log has the reason`;
    troubles.push({ what, next: 'doctor' });
  }
  const settled =
    worker.applied + worker.unchanged + worker.superseded + worker.skipped + worker.handled;
  const isStuck = waiting !== undefined && waiting >= MANY_WAITING;
  if (isStuck && misconfigured === 0 && retried >= MANY_RETRIED && retried > settled) {
    const what = `${family}: ${waiting} wait, and in the last hour more tries failed (${retried}) than went through (${settled}): the loyalty service or the store is away, slow or refuses for now`;
    troubles.push({ what, next: 'doctor' });
  }
  return { troubles, notes };
}

function judgeReceiver({ badSignatures, olderSecretUsed }: LastHour['receiver']): HourVerdict {
  const what = `${badSignatures} webhooks were refused for their signature in the last hour: the app signs with another secret, or somebody else sends`;
  const note = `${count(olderSecretUsed, 'webhook')} came signed with the older secret: do not finish the rotation yet`;
  return {
    troubles: badSignatures > FEW_BAD_SIGNATURES ? [{ what, next: 'doctor' }] : [],
    notes: olderSecretUsed > 0 ? [note] : [],
  };
}
