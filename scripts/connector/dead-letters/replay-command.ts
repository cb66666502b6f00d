import { setTimeout as sleep } from 'node:timers/promises';
import { type Deployment, openLedger } from '../deployment/deployment.ts';
import { localUser } from '../deployment/read-caller.ts';
import {
  type Block,
  type Document,
  type TableBlock,
  type Tone,
  text,
  type Verdict,
} from '../document/document.ts';
import { line } from '../document/line.ts';
import type { Session } from '../session.ts';
import { counted, spanText } from '../terminal/text.ts';
import { aboutCell, groupsOf, groupsTable, type OrderNames, readNames } from './describe.ts';
import {
  type FollowDeps,
  type FollowedLetter,
  followReplayed,
  openLetterSearch,
} from './follow-replayed.ts';
import { noticesOf, readList } from './list.ts';
import {
  type LetterFilter,
  NOT_SEEN,
  openLetterQueues,
  openSourceQueues,
  optionsOf,
  searchScope,
} from './read.ts';
import {
  countObstacles,
  createPacer,
  foreseeReplay,
  letterReaderOf,
  newTally,
  OBSTACLES,
  type Obstacle,
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

/** More than that are counted only. */
const MOST_KEPT = 1_000;

/** `loyalty-connector dead-letters replay` */
export async function replayCommand(
  session: Session,
  filter: LetterFilter,
  options: ReplayOptions,
): Promise<Document> {
  const signal = session.interruption();
  const deployment = await session.findDeployment();
  if (!options.yes) return previewReplay(session, deployment, filter, options);
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
          if (options.wait || replayed.length < MOST_KEPT) replayed.push(letter);
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
  const names = await readNames(
    deployment,
    replayed.slice(0, MOST_SHOWN).map((letter) => ({ ...letter, letterId: letter.id })),
  );
  const { stack } = deployment;
  const document = replayDocument({ stack, tally, notSeen, elapsedMs, replayed, followed, names });
  if (fault === undefined) return document;
  session.show(document);
  throw fault;
}

async function follow(
  session: Session,
  deployment: Deployment,
  replayed: readonly ReplayedLetter[],
  deps: Pick<FollowDeps, 'by' | 'depth' | 'signal'>,
): Promise<readonly FollowedLetter[]> {
  const progress = session.terminal.progress('Waiting for outcomes:', replayed.length);
  const followed = await followReplayed(replayed, {
    ...deps,
    ledger: openLedger(deployment),
    lettersSince: openLetterSearch(deployment),
    onProgress: (settled, depth) => progress.report(settled, `${depth} messages on the queues`),
  });
  progress.end();
  return followed;
}

/** What a replay would do, by the list: without receiving, sending or removing anything. */
async function previewReplay(
  session: Session,
  deployment: Deployment,
  filter: LetterFilter,
  options: ReplayOptions,
): Promise<Document> {
  const list = await readList(session, deployment, filter);
  const { limit, rate, refetch = false, force } = options;
  const foreseen = Map.groupBy(list.matching, (letter) =>
    foreseeReplay(letter, { refetch }, deployment.connector.shops),
  );
  const matching = list.matching.length;
  // SQS gives the oldest first.
  const sent = (foreseen.get(undefined) ?? []).slice(-(limit ?? matching));
  const unread = refetch ? 0 : sent.filter(({ reason }) => reason === 'unreadable').length;
  const again = { ...optionsOf(filter), limit, rate, refetch, force, wait: true, yes: true };
  const obstacles = [...foreseen].flatMap(([one, { length }]) => (one ? [[one, length]] : []));
  return {
    title:
      matching === 0
        ? 'No dead letter to send'
        : `Would send ${sent.length} of ${counted(matching, 'matching dead letter')} again`,
    blocks: [
      ...noticesOf(list, filter),
      ...(sent.length > 0 ? [groupsTable(groupsOf(sent))] : []),
      ...obstacleTexts(Object.fromEntries(obstacles), 'cannot be sent again'),
      ...(unread > 0 ? [text(`${unread} only if this release can read them: ${UNREAD}`)] : []),
      text('Nothing was sent.'),
    ],
    next:
      sent.length === 0
        ? []
        : [{ label: `Send ${sent.length}`, line: line('dead-letters replay', [], again) }],
    data: {
      ...{ dryRun: true, matching, wouldReplay: sent.length, groups: groupsOf(sent) },
      cannot: Object.fromEntries(obstacles),
    },
  };
}

const UNREAD = 'the one that parked them could not. --refetch asks the store instead.';

function obstacleTexts(
  obstacles: Readonly<Record<string, number>>,
  what: string,
): readonly Block[] {
  return Object.entries(obstacles).map(([obstacle, count]) =>
    text(`${count} ${what}: ${OBSTACLES[obstacle as Obstacle]}.`, 'bad'),
  );
}

interface ReplayReport {
  readonly stack: string;
  readonly tally: ReplayTally;
  /** What SQS counted beyond those that it gave; 0 when the run ended early. */
  readonly notSeen: number;
  readonly elapsedMs: number;
  /** The first, or with --wait all. */
  readonly replayed: readonly ReplayedLetter[];
  /** Undefined without --wait. */
  readonly followed: readonly FollowedLetter[] | undefined;
  readonly names: OrderNames;
}

/** What was done, in the end or when it was interrupted. */
function replayDocument(report: ReplayReport): Document {
  const { stack, tally, notSeen, elapsedMs, followed } = report;
  const { replayed, beyondLimit, notReached, backAgain } = tally;
  const perSecond = Math.round(replayed / Math.max(elapsedMs / 1000, 0.001));
  const rate = elapsedMs >= 1000 ? ` in ${spanText(elapsedMs)} (${perSecond}/s)` : '';
  const verdict = verdictOf(tally, followed);
  const cannot = Object.fromEntries(tally.obstacles);
  const failures = groupsOf((followed ?? []).flatMap(({ again }) => again ?? []));
  const left = (count: number, why: string) =>
    count > 0 ? [text(`Left ${count} ${why}.`, 'soft')] : [];
  return {
    title:
      replayed === 0 ? 'Nothing was sent' : `Sent ${counted(replayed, 'dead letter')} again${rate}`,
    ...(verdict && { verdict }),
    blocks: [
      ...(replayed > 0 ? [sentTable(report)] : []),
      ...(failures.length > 0 ? [groupsTable(failures)] : []),
      ...(replayed > 0 && !followed
        ? [text('The workers have them now. What becomes of them was not followed: --wait does.')]
        : []),
      ...obstacleTexts(cannot, 'left'),
      ...left(beyondLimit, 'or more: beyond --limit'),
      ...left(notReached, 'or more: interrupted'),
      ...left(backAgain, 'that were sent a moment ago, and are dead letters again already'),
      ...(notSeen > 0 ? [text(`About ${notSeen} more cannot be seen now: ${NOT_SEEN}`)] : []),
    ],
    next: [{ label: 'See what is left', line: line('dead-letters list') }],
    data: {
      ...{ stack, ...tally, obstacles: undefined, cannot, notSeen },
      seconds: Math.round(elapsedMs) / 1000,
      ...(followed && { failures, each: followed.slice(0, MOST_KEPT) }),
    },
  };
}

/** Undefined where nothing is known of what became of them. */
function verdictOf(
  tally: ReplayTally,
  followed: readonly FollowedLetter[] | undefined,
): Verdict | undefined {
  const results = Map.groupBy(followed ?? [], ({ result }) => result);
  const countOf = (result: string) => results.get(result)?.length ?? 0;
  const left = countObstacles(tally) + tally.backAgain;
  if (countOf('failing') > 0) {
    const what = `${countOf('failing')} of ${tally.replayed} failed again, and are dead letters.`;
    return { kind: 'action required', what };
  }
  if (left > 0) {
    return { kind: 'action required', what: `${counted(left, 'dead letter')} could not be sent.` };
  }
  if (!followed) return undefined;
  const each = [...results].map(([result, { length }]) => `${length} ${result}`).join(', ');
  return countOf('underway') > 0
    ? { kind: 'waits', what: `Not all have their outcome, and the workers go on: ${each}.` }
    : { kind: 'well', what: `All went through: ${each}.` };
}

/** More than that are counted only. */
const MOST_SHOWN = 100;

const TONES: Readonly<Record<string, Tone>> = { failing: 'bad', underway: 'waits' };

function sentTable({ replayed, followed, names }: ReplayReport): TableBlock {
  const queued = replayed.map((letter) => ({ ...letter, result: 'on its queue' }));
  const shown = (followed ?? queued).slice(0, MOST_SHOWN);
  return {
    kind: 'table',
    ...(replayed.length > shown.length && { title: `The first ${shown.length}` }),
    columns: [{ title: 'Sent', shrinks: true }, { title: 'Result' }],
    rows: shown.map(({ result, ...letter }) => ({
      cells: [
        aboutCell({ ...letter, letterId: letter.id }, names),
        { text: result, tone: TONES[result] ?? 'well' },
      ],
    })),
  };
}
