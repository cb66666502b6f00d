import { setTimeout as sleep } from 'node:timers/promises';
import type { Deployment } from '../../deployment/deployment.ts';
import { openLedger } from '../../deployment/open-ledger.ts';
import { EXIT, type ExitCode } from '../../exit.ts';
import type { Session } from '../../session.ts';
import type { LetterFilter } from '../letter-filter.ts';
import { openLetterQueues, openSourceQueues } from '../letter-queues.ts';
import { searchScope } from '../search-scope.ts';
import { whoIsAtTheKeyboard } from '../who.ts';
import { dryRun } from './dry-run.ts';
import { type Followed, type FollowWorld, followReplayed } from './follow-replayed.ts';
import { openLetterSearch } from './letter-search.ts';
import { createPacer } from './pacer.ts';
import { letterReaderOf } from './prepare-replay.ts';
import { replayLetters } from './replay-letters.ts';
import { countObstacles, newTally, type ReplayedLetter } from './replay-tally.ts';
import { reportReplay } from './report-replay.ts';

export interface ReplayOptions {
  readonly yes?: boolean;
  readonly limit?: number;
  readonly rate?: number;
  readonly refetch?: boolean;
  readonly force?: boolean;
  readonly wait?: boolean;
}

/** `loyalty-connector dead-letters replay` */
export async function replayCommand(
  session: Session,
  filter: LetterFilter,
  options: ReplayOptions,
): Promise<ExitCode> {
  const signal = session.interruption();
  const deployment = await session.findDeployment();
  const scope = await searchScope(deployment, filter);
  const { families, most } = scope;
  const choice = {
    filter,
    most,
    limit: options.limit ?? Number.POSITIVE_INFINITY,
    refetch: options.refetch === true,
    force: options.force === true,
    by: whoIsAtTheKeyboard(),
  };
  const queues = openLetterQueues(deployment, families);
  const reader = letterReaderOf(deployment.connector.shops);
  if (!options.yes) return dryRun(session, choice, { queues, ...reader, signal });

  const change = await session.beginChange(deployment);
  const { queue: replayQueue, depth } = openSourceQueues(deployment, families);
  const counts = await Promise.all(queues.map((queue) => queue.counts()));
  const visible = counts.reduce((sum, queue) => sum + queue.visible, 0);
  const inFlight = counts.reduce((sum, queue) => sum + queue.inFlight, 0);
  // With a filter the number of matching letters is not known before all are read.
  const total = Object.keys(filter).length > 0 ? undefined : Math.min(visible, choice.limit);
  const progress = session.terminal.progress('Replaying dead letters:', total);
  const replayed: ReplayedLetter[] = [];
  const tally = newTally();
  const startedAt = performance.now();
  const monotonicMs = () => performance.now();
  const pause = (milliseconds: number, until: AbortSignal) =>
    sleep(milliseconds, undefined, { signal: until }).catch(() => {});
  let lastAt = startedAt;
  let fault: unknown;
  try {
    await replayLetters(
      choice,
      {
        queues,
        replayQueue,
        retire: (letters) => scope.retire(letters, 'replayed'),
        ...reader,
        pacer: createPacer(options.rate, { monotonicMs, pause }),
        now: () => new Date(),
        signal,
        onReplayed(letter) {
          lastAt = performance.now();
          if (options.wait) replayed.push(letter);
          const share = Math.max(tally.seen / visible, tally.replayed / choice.limit);
          const detail = `${countObstacles(tally)} cannot be replayed`;
          progress.report(tally.replayed, detail, total === undefined ? share : undefined);
        },
      },
      tally,
    );
  } catch (error) {
    fault = error;
  }
  progress.end();
  change.count({ replayed: tally.replayed, notReplayed: countObstacles(tally) });
  const elapsedMs = lastAt - startedAt;
  const followed =
    options.wait && fault === undefined && replayed.length > 0
      ? await follow(session, deployment, replayed, { depth, by: choice.by, signal })
      : undefined;
  const wasWhole =
    fault === undefined && !signal.aborted && most === undefined && tally.replayed < choice.limit;
  const notSeen = wasWhole ? Math.max(visible + inFlight - tally.seen, 0) : 0;
  reportReplay(session, { stack: deployment.stack, tally, notSeen, elapsedMs, followed });
  if (fault !== undefined) throw fault;
  const failing = followed ? followed.failing + followed.underway : tally.backAgain;
  const unhappy = countObstacles(tally) + failing;
  return unhappy === 0 ? EXIT.fine : EXIT.failed;
}

async function follow(
  session: Session,
  deployment: Deployment,
  replayed: readonly ReplayedLetter[],
  world: Pick<FollowWorld, 'by' | 'depth' | 'signal'>,
): Promise<Followed> {
  const progress = session.terminal.progress('Waiting for outcomes:', replayed.length);
  const followed = await followReplayed(replayed, {
    ...world,
    ledger: openLedger(deployment),
    eachLetter: openLetterSearch(deployment),
    onProgress: (settled, depth) => progress.report(settled, `${depth} messages on the queues`),
  });
  progress.end();
  return followed;
}
