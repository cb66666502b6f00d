import { setTimeout as sleep } from 'node:timers/promises';
import type { DeadLetterQueue } from '../../../shared/core/batch/dead-letter.ts';
import { type Deployment, openLedger } from '../deployment/deployment.ts';
import { localUser } from '../deployment/read-caller.ts';
import { EXIT, type ExitCode } from '../exit.ts';
import type { Session } from '../session.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { counted, spanText } from '../terminal/text.ts';
import type { LetterFilter } from './filter.ts';
import {
  type FollowDeps,
  type Followed,
  followReplayed,
  openLetterSearch,
} from './follow-replayed.ts';
import { createLetterGroups, groupsAsJson, notSeenText, showGroups } from './groups.ts';
import { openLetterQueues, openSourceQueues, searchScope, surveyLetters } from './read.ts';
import {
  countObstacles,
  createPacer,
  type LetterReader,
  letterReaderOf,
  newTally,
  OBSTACLES,
  type Obstacle,
  prepareReplay,
  type ReplayChoice,
  type ReplayedLetter,
  type ReplayTally,
  replayLetters,
} from './replay.ts';

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
    by: localUser(),
  };
  const queues = openLetterQueues(deployment, families);
  const reader = letterReaderOf(deployment.connector.shops);
  if (!options.yes) return dryRun(session, choice, { queues, ...reader, signal });

  const change = await session.beginChange(deployment);
  const { queue: replayQueue, depth } = openSourceQueues(deployment, families);
  const counts = await Promise.all(queues.map((queue) => queue.counts()));
  const visible = counts.reduce((sum, queue) => sum + queue.visible, 0);
  const inFlight = counts.reduce((sum, queue) => sum + queue.inFlight, 0);
  // With a filter the number of matching dead letters is not known before all are read.
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
  deps: Pick<FollowDeps, 'by' | 'depth' | 'signal'>,
): Promise<Followed> {
  const progress = session.terminal.progress('Waiting for outcomes:', replayed.length);
  const followed = await followReplayed(replayed, {
    ...deps,
    ledger: openLedger(deployment),
    eachLetter: openLetterSearch(deployment),
    onProgress: (settled, depth) => progress.report(settled, `${depth} messages on the queues`),
  });
  progress.end();
  return followed;
}

/** What a replay would do, without sending or removing anything. */
async function dryRun(
  session: Session,
  choice: ReplayChoice,
  deps: LetterReader & {
    readonly queues: readonly DeadLetterQueue[];
    readonly signal: AbortSignal;
  },
): Promise<ExitCode> {
  const { terminal } = session;
  const groups = createLetterGroups();
  const obstacles = new Map<Obstacle, number>();
  let replayable = 0;
  const progress = terminal.progress('Reading dead letters:');
  const { matching, queues } = await surveyLetters({
    ...deps,
    filter: choice.filter,
    most: choice.most,
    onProgress: (seen, total) => progress.report(seen, `of about ${total}`, seen / total),
    onMatch(letter) {
      const prepared = prepareReplay(letter, choice, deps, new Date());
      if (prepared.kind === 'event') {
        replayable += 1;
        if (replayable <= choice.limit) groups.add(letter);
      } else obstacles.set(prepared.obstacle, (obstacles.get(prepared.obstacle) ?? 0) + 1);
    },
  });
  progress.end();
  const notSeen = queues.reduce((sum, queue) => sum + queue.notSeen, 0);
  const would = Math.min(replayable, choice.limit);
  if (session.json) {
    terminal.json({
      dryRun: true,
      matching,
      wouldReplay: would,
      notSeen,
      cannot: Object.fromEntries(obstacles),
      groups: groupsAsJson(groups.all()),
    });
    return EXIT.fine;
  }
  if (matching === 0) terminal.line('No dead letter matches. Nothing would be sent.');
  else terminal.line(`${would} of ${matching} matching dead letters would be sent again.`);
  if (would > 0) {
    terminal.line();
    showGroups(groups.all(), terminal, new Date());
  }
  for (const [obstacle, count] of obstacles) {
    terminal.line();
    terminal.paragraph(`${count} cannot be replayed: ${OBSTACLES[obstacle]}.`);
  }
  if (notSeen > 0) {
    terminal.line();
    terminal.paragraph(notSeenText(notSeen));
  }
  if (would > 0) {
    terminal.hint(`\n${terminal.style('bold', 'Nothing was sent. Repeat with --yes to do it.')}`);
  }
  return EXIT.fine;
}

interface ReplayReport {
  readonly stack: string;
  readonly tally: ReplayTally;
  /** What SQS counted beyond those that it gave; 0 when the run ended early. */
  readonly notSeen: number;
  readonly elapsedMs: number;
  /** Undefined without --wait. */
  readonly followed: Followed | undefined;
}

/** What was done, in the end or when it was interrupted. */
function reportReplay({ terminal, json }: Session, report: ReplayReport): void {
  const { tally, notSeen, elapsedMs, followed } = report;
  const { obstacles, ...counts } = tally;
  const perSecond = Math.round(tally.replayed / Math.max(elapsedMs / 1000, 0.001));
  if (json) {
    terminal.json({
      stack: report.stack,
      ...counts,
      notSeen,
      cannot: Object.fromEntries(obstacles),
      seconds: Math.round(elapsedMs) / 1000,
      ...(followed && {
        outcomes: Object.fromEntries(followed.outcomes),
        settled: followed.settled,
        failing: followed.failing,
        underway: followed.underway,
        failures: groupsAsJson(followed.failures),
        each: followed.each.slice(0, MOST_IN_JSON),
      }),
    });
    return;
  }
  const rate = elapsedMs >= 1000 ? ` in ${spanText(elapsedMs)} (${perSecond}/s)` : '';
  terminal.line(
    terminal.style('bold', `Replayed ${counted(tally.replayed, 'dead letter')}${rate}.`),
  );
  reportWhatIsLeft(tally, terminal);
  if (tally.backAgain > 0 && !followed) {
    terminal.line(
      `Left ${tally.backAgain}: replayed a moment ago, and dead letters again already.`,
    );
  }
  if (notSeen > 0) terminal.paragraph(notSeenText(notSeen));
  if (followed) reportOutcomes(followed, terminal);
  else if (tally.replayed > 0) {
    terminal.line('The workers have them now; --wait follows them to their outcome.');
  }
}

function reportWhatIsLeft(tally: ReplayTally, { line, paragraph }: Terminal): void {
  for (const [obstacle, count] of tally.obstacles)
    paragraph(`Left ${count}: ${OBSTACLES[obstacle]}.`);
  if (tally.beyondLimit > 0) line(`Left ${tally.beyondLimit} or more: beyond --limit.`);
  if (tally.notReached > 0) line(`Left ${tally.notReached} or more: interrupted.`);
  if (tally.notMatching > 0) line(`Left ${tally.notMatching}: they did not match.`);
}

function reportOutcomes(followed: Followed, terminal: Terminal): void {
  const { outcomes, settled, failing, failures, underway } = followed;
  const parts = [...outcomes].map(([outcome, count]) => `${count} ${outcome}`);
  if (settled > 0) parts.push(`${settled} settled with nothing to change`);
  if (parts.length > 0)
    terminal.line(terminal.style('green', `Went through: ${parts.join(', ')}.`));
  if (underway > 0) {
    terminal.line(
      terminal.style(
        'yellow',
        `No outcome yet: ${underway}. The queue is not empty, and the workers go on.`,
      ),
    );
  }
  showEach(followed, terminal);
  if (failing === 0) return;
  terminal.line(terminal.style('red', `Still failing: ${failing}, dead letters again:`));
  terminal.line();
  showGroups(failures, terminal, new Date());
}

/** More than that are counted only. */
const MOST_SHOWN = 20;
const MOST_IN_JSON = 1_000;

function showEach({ each }: Followed, { line, table }: Terminal): void {
  if (each.length < 2 || each.length > MOST_SHOWN) return;
  line();
  table({
    columns: [{ title: 'SENT', shrinks: true }, { title: 'RESULT' }],
    rows: each.map(({ kind, id, result }) => [`${kind} ${id}`, result]),
  });
  line();
}
