import { setTimeout as sleep } from 'node:timers/promises';
import type { DeadLetterQueue } from '../../../shared/core/batch/dead-letter.ts';
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
import {
  aboutCell,
  createLetterGroups,
  groupsTable,
  type OrderNames,
  readNames,
} from './describe.ts';
import {
  type FollowDeps,
  type Followed,
  followReplayed,
  openLetterSearch,
} from './follow-replayed.ts';
import {
  type LetterFilter,
  NOT_SEEN,
  openLetterQueues,
  openSourceQueues,
  optionsOf,
  searchScope,
  surveyLetters,
} from './read.ts';
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
  if (!options.yes) return dryRun(session, choice, options, { queues, ...reader, signal });

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
  const names = await readNames(deployment, replayed.slice(0, MOST_SHOWN));
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
  options: ReplayOptions,
  deps: LetterReader & {
    readonly queues: readonly DeadLetterQueue[];
    readonly signal: AbortSignal;
  },
): Promise<Document> {
  const groups = createLetterGroups();
  const obstacles = new Map<Obstacle, number>();
  let replayable = 0;
  const progress = session.terminal.progress('Reading dead letters:');
  const { matching, notSeen = 0 } = await surveyLetters({
    ...deps,
    filter: choice.filter,
    most: choice.most,
    onProgress: (seen, total) => progress.report(seen, `of about ${total}`, seen / total),
    onMatch(letters) {
      for (const letter of letters) {
        const prepared = prepareReplay(letter, choice, deps, new Date());
        if (prepared.kind === 'event') {
          replayable += 1;
          if (replayable <= choice.limit) groups.add(letter);
        } else obstacles.set(prepared.obstacle, (obstacles.get(prepared.obstacle) ?? 0) + 1);
      }
    },
  });
  progress.end();
  const would = Math.min(replayable, choice.limit);
  const { limit, rate, refetch, force } = options;
  const same = { ...optionsOf(choice.filter), limit, rate, refetch, force };
  return {
    title:
      matching === 0
        ? 'No dead letter matches'
        : `Would send ${would} of ${matching} matching dead letters again`,
    blocks: [
      ...(would > 0 ? [groupsTable(groups.all())] : []),
      ...obstacleTexts(obstacles, 'cannot be sent again'),
      ...notSeenTexts(notSeen),
      text('Nothing was sent.'),
    ],
    next:
      would === 0
        ? []
        : [
            {
              label: `Send ${would}`,
              line: line('dead-letters replay', [], { ...same, wait: true, yes: true }),
            },
          ],
    data: {
      dryRun: true,
      ...{ matching, wouldReplay: would, notSeen, cannot: Object.fromEntries(obstacles) },
      groups: groups.all(),
    },
  };
}

function obstacleTexts(obstacles: ReadonlyMap<Obstacle, number>, what: string): readonly Block[] {
  return [...obstacles].map(([obstacle, count]) =>
    text(`${count} ${what}: ${OBSTACLES[obstacle]}.`, 'bad'),
  );
}

const notSeenTexts = (notSeen: number): readonly Block[] =>
  notSeen > 0 ? [text(`About ${notSeen} more cannot be seen now: ${NOT_SEEN}`, 'waits')] : [];

interface ReplayReport {
  readonly stack: string;
  readonly tally: ReplayTally;
  /** What SQS counted beyond those that it gave; 0 when the run ended early. */
  readonly notSeen: number;
  readonly elapsedMs: number;
  /** The first, or with --wait all. */
  readonly replayed: readonly ReplayedLetter[];
  /** Undefined without --wait. */
  readonly followed: Followed | undefined;
  readonly names: OrderNames;
}

/** What was done, in the end or when it was interrupted. */
function replayDocument(report: ReplayReport): Document {
  const { stack, tally, notSeen, elapsedMs, followed } = report;
  const { obstacles, ...counts } = tally;
  const perSecond = Math.round(tally.replayed / Math.max(elapsedMs / 1000, 0.001));
  const rate = elapsedMs >= 1000 ? ` in ${spanText(elapsedMs)} (${perSecond}/s)` : '';
  const verdict = verdictOf(tally, followed);
  return {
    title:
      tally.replayed === 0
        ? 'Nothing was sent'
        : `Sent ${counted(tally.replayed, 'dead letter')} again${rate}`,
    ...(verdict && { verdict }),
    blocks: [
      ...(tally.replayed > 0 ? [sentTable(report)] : []),
      ...(tally.replayed > 0 && !followed
        ? [text('The workers have them now. What becomes of them was not followed: --wait does.')]
        : []),
      ...(followed && followed.failing > 0 ? [groupsTable(followed.failures)] : []),
      ...obstacleTexts(obstacles, 'left'),
      ...leftTexts(tally, followed),
      ...notSeenTexts(notSeen),
    ],
    next: [{ label: 'See what is left', line: line('dead-letters list') }],
    data: {
      stack,
      ...counts,
      notSeen,
      cannot: Object.fromEntries(obstacles),
      seconds: Math.round(elapsedMs) / 1000,
      ...(followed && {
        ...{ ...followed, outcomes: Object.fromEntries(followed.outcomes) },
        each: followed.each.slice(0, MOST_KEPT),
      }),
    },
  };
}

/** Undefined where nothing is known of what became of them. */
function verdictOf(tally: ReplayTally, followed: Followed | undefined): Verdict | undefined {
  const left = countObstacles(tally) + tally.backAgain;
  if (followed && followed.failing > 0) {
    const what = `${followed.failing} of ${tally.replayed} failed again, and are dead letters.`;
    return { kind: 'action required', what };
  }
  if (left > 0) {
    return { kind: 'action required', what: `${counted(left, 'dead letter')} could not be sent.` };
  }
  if (!followed) return undefined;
  if (followed.underway > 0) {
    const what = `${followed.underway} have no outcome yet: they are on their queue, and the workers go on.`;
    return { kind: 'waits', what };
  }
  return { kind: 'well', what: `All went through: ${outcomesText(followed)}.` };
}

function outcomesText({ outcomes, settled }: Followed): string {
  const parts = [...outcomes].map(([outcome, count]) => `${count} ${outcome}`);
  if (settled > 0) parts.push(`${settled} settled with nothing to change`);
  return parts.join(', ');
}

function leftTexts(
  { beyondLimit, notReached, notMatching, backAgain }: ReplayTally,
  followed: Followed | undefined,
): readonly Block[] {
  const left = [
    [beyondLimit, 'or more: beyond --limit'],
    [notReached, 'or more: interrupted'],
    [notMatching, 'that did not match'],
    [followed ? 0 : backAgain, 'that were sent a moment ago, and are dead letters again already'],
  ] as const;
  return left
    .filter(([count]) => count > 0)
    .map(([count, why]) => text(`Left ${count} ${why}.`, 'soft'));
}

/** More than that are counted only. */
const MOST_SHOWN = 100;

const TONES: Readonly<Record<string, Tone>> = { failing: 'bad', underway: 'waits' };

function sentTable({ replayed, followed, names }: ReplayReport): TableBlock {
  const each = (followed?.each ?? replayed.map((one) => ({ ...one, result: 'on its queue' })))
    .map((one, index) => ({ ...one, shop: replayed[index]?.shop }))
    .slice(0, MOST_SHOWN);
  const hasMore = replayed.length > each.length;
  return {
    kind: 'table',
    ...(hasMore && { title: `The first ${each.length}` }),
    columns: [{ title: 'Sent', shrinks: true }, { title: 'Result' }],
    rows: each.map(({ kind, id, shop, result }) => ({
      cells: [
        aboutCell({ letterId: id, kind, id, ...(shop && { shop }) }, names),
        { text: result, tone: TONES[result] ?? 'well' },
      ],
    })),
  };
}
