import {
  type ListedDeadLetter,
  retireSummaries,
  type SummarizedDeadLetter,
} from '../../../shared/core/batch/dead-letter.ts';
import { type Deployment, openLedger } from '../deployment/deployment.ts';
import { localUser } from '../deployment/read-caller.ts';
import { type Block, type Document, table, text, type Verdict } from '../document/document.ts';
import { line } from '../document/line.ts';
import { isHolding, pauseText, readPauses } from '../pause/read-pauses.ts';
import type { Session } from '../session/session.ts';
import { EXIT, type ExitCode } from '../terminal/exit.ts';
import { counted } from '../terminal/text.ts';
import {
  aboutCell,
  groupsOf,
  groupsTable,
  type LetterGroup,
  type OrderNames,
  readNames,
} from './describe.ts';
import { type FollowedLetter, followAll, RESULTS } from './follow.ts';
import { type LetterList, noticesOf, openIn, readList, scanNext } from './list.ts';
import {
  type LetterFilter,
  NOT_SEEN,
  openLetterQueues,
  openSourceQueues,
  optionsOf,
} from './read.ts';
import {
  countObstacles,
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
  readonly wait?: boolean;
}

/** More than that are counted only. */
const MOST_SHOWN = 100;

/** `loyalty-connector dead-letters replay`: what would be sent → ask → send → follow to the outcomes. */
export async function replayCommand(
  session: Session,
  filter: LetterFilter,
  options: ReplayOptions,
): Promise<Document | ExitCode> {
  const deployment = await session.findDeployment();
  const plan = planReplay(await readList(session, deployment, filter), options, deployment);
  const { sent, obstacles } = plan;
  if (!options.yes || sent.length === 0) {
    const preview = await previewOf(plan, filter, options, deployment);
    if (sent.length === 0) return preview;
    session.show(preview);
    const question = `Send ${counted(sent.length, 'dead letter')} again?`;
    if (!(await session.terminal.confirm(question))) return EXIT.fine;
  }
  const signal = session.interruption();
  const families = [...new Set(sent.map(({ family }) => family))];
  const ledger = openLedger(deployment);
  const letterIds = new Set(sent.map(({ letterId }) => letterId));
  const change = await session.beginChange(deployment);
  const progress = session.terminal.progress('Sending dead letters:', letterIds.size);
  const replayed: ReplayedLetter[] = [];
  const tally = { ...newTally(), obstacles: new Map(obstacles) };
  const failed = await replayLetters(
    { letterIds, by: localUser() },
    {
      queues: openLetterQueues(deployment, families),
      replayQueue: openSourceQueues(deployment, families).queue,
      retire: (some) => retireSummaries(some, 'replayed', { ledger, now: new Date() }),
      ...letterReaderOf(deployment.connector.shops),
      now: () => new Date(),
      signal,
      onReplayed(letter) {
        if (options.wait || replayed.length < MOST_SHOWN) replayed.push(letter);
        progress.report(tally.replayed);
      },
    },
    tally,
  ).then(
    () => undefined,
    (error: unknown) => ({ error }),
  );
  progress.end();
  change.count({ replayed: tally.replayed, notReplayed: countObstacles(tally) });
  const followed =
    options.wait && !failed && replayed.length > 0
      ? await followAll(session, deployment, replayed, signal)
      : undefined;
  const missing = letterIds.size - tally.found;
  const abouts = replayed.slice(0, MOST_SHOWN).map((one) => ({ ...one, letterId: one.id }));
  const document = replayDocument({
    ...{ stack: deployment.stack, tally, replayed, followed },
    notSeen: failed || signal.aborted ? 0 : missing,
    notReached: signal.aborted ? missing : 0,
    names: await readNames(deployment, abouts),
  });
  if (!failed) return document;
  session.show(document);
  throw failed.error;
}

interface Plan {
  readonly list: LetterList;
  readonly sent: readonly SummarizedDeadLetter[];
  /** Of the others, as far as their summaries tell. */
  readonly obstacles: ReadonlyMap<Obstacle, number>;
}

/** Without what was delivered since: nothing of it would be sent. */
function planReplay(
  list: LetterList,
  { limit }: ReplayOptions,
  { connector }: Pick<Deployment, 'connector'>,
): Plan {
  const foreseen = Map.groupBy(openIn(list), (letter) => foreseeReplay(letter, connector.shops));
  const sendable = foreseen.get(undefined) ?? [];
  const counts = [...foreseen].flatMap(([one, { length }]) =>
    one ? [[one, length] as const] : [],
  );
  // The oldest: they expire first.
  return { list, sent: sendable.slice(-(limit ?? sendable.length)), obstacles: new Map(counts) };
}

/** What a replay would do, by the list: nothing is received, sent or removed. */
async function previewOf(
  { list, sent, obstacles }: Plan,
  filter: LetterFilter,
  { limit }: ReplayOptions,
  deployment: Deployment,
): Promise<Document> {
  const matching = list.matching.length;
  const delivered = matching - openIn(list).length;
  const pauses = await readPauses(openLedger(deployment), deployment.connector.shops, new Date());
  const holding = pauses.filter((pause) =>
    sent.some(({ event, family }) => isHolding(pause, { shop: event?.shop ?? '', queue: family })),
  );
  const groups = groupsOf(sent);
  const again = { ...optionsOf(filter), limit, wait: true, yes: true };
  return {
    title:
      matching === 0
        ? 'No dead letter to send'
        : `Would send ${sent.length} of ${counted(matching, 'matching dead letter')} again`,
    ...(sent.length === 0 &&
      obstacles.size > 0 && { verdict: { kind: 'action required', what: 'None can be sent.' } }),
    blocks: [
      ...noticesOf(list, filter),
      ...holding.map((one) => text(`What is sent would wait. ${pauseText(one)}.`, 'waits')),
      groupsTable(groups, await namesOf(groups, deployment)),
      ...obstacleTexts(obstacles),
      ...(delivered > 0 ? [text(`${delivered} left out: delivered since.`)] : []),
      text('Nothing was sent.'),
    ],
    next:
      sent.length === 0
        ? scanNext(list)
        : [{ label: `Send ${sent.length}`, line: line('dead-letters replay', [], again) }],
    data: {
      ...{ dryRun: true, matching, wouldReplay: sent.length, replayed: 0 },
      ...{ groups, cannot: Object.fromEntries(obstacles) },
    },
  };
}

const namesOf = (groups: readonly LetterGroup[], deployment: Deployment): Promise<OrderNames> =>
  readNames(
    deployment,
    groups.map(({ example }) => example),
  );

const obstacleTexts = (obstacles: ReadonlyMap<Obstacle, number>): readonly Block[] =>
  [...obstacles].map(([one, count]) =>
    text(`${count} cannot be sent again: ${OBSTACLES[one]}.`, 'bad'),
  );

interface ReplayReport {
  readonly stack: string;
  readonly tally: ReplayTally;
  /** What SQS did not give. */
  readonly notSeen: number;
  /** What it was interrupted before. */
  readonly notReached: number;
  /** The first, or with --wait all. */
  readonly replayed: readonly ReplayedLetter[];
  /** Undefined without --wait. */
  readonly followed: readonly FollowedLetter[] | undefined;
  readonly names: OrderNames;
}

/** What was done, in the end or when it was interrupted. */
function replayDocument(report: ReplayReport): Document {
  const { stack, tally, notSeen, notReached, followed = [], names } = report;
  const { replayed, obstacles } = tally;
  const verdict = verdictOf(report);
  const failures = groupsOf(followed.flatMap(({ again }) => again ?? ([] as ListedDeadLetter[])));
  const held = followed.find((one) => one.held)?.held;
  const queued = report.replayed.map((letter) => ({ ...letter, result: undefined }));
  const shown = (report.followed ?? queued).slice(0, MOST_SHOWN);
  const rows = shown.map(({ result, ...letter }) => [
    aboutCell({ ...letter, letterId: letter.id }, names),
    result ? RESULTS[result] : 'on its queue',
  ]);
  const first = replayed > shown.length ? { title: `The first ${shown.length}` } : {};
  return {
    title: replayed === 0 ? 'Nothing was sent' : `Sent ${counted(replayed, 'dead letter')} again`,
    ...(verdict && { verdict }),
    blocks: [
      table([{ title: 'Sent', shrinks: true }, 'Result'], rows, first),
      groupsTable(failures, names),
      ...(replayed > 0 && !report.followed
        ? [text('The workers have them now. What becomes of them was not followed: --wait does.')]
        : []),
      ...obstacleTexts(obstacles),
      ...(notReached > 0 ? [text(`Left ${notReached}: interrupted.`, 'soft')] : []),
      ...(notSeen > 0 ? [text(`${notSeen} cannot be received now: ${NOT_SEEN}`, 'waits')] : []),
    ],
    next: [...(held?.next ?? []), { label: 'See what is left', line: line('dead-letters list') }],
    data: {
      ...{ stack, replayed, notReached, found: tally.found, notSeen },
      cannot: Object.fromEntries(obstacles),
      ...(report.followed && { failures, each: followed.slice(0, MOST_SHOWN) }),
    },
  };
}

/** Undefined where nothing is known of what became of them. */
export function verdictOf({
  tally,
  notSeen,
  notReached,
  followed,
}: Pick<ReplayReport, 'tally' | 'notSeen' | 'notReached' | 'followed'>): Verdict | undefined {
  const { replayed } = tally;
  const results = Map.groupBy(followed ?? [], ({ result }) => result);
  const failed = results.get('failing')?.length ?? 0;
  const waiting = results.get('underway') ?? [];
  const left = countObstacles(tally);
  const bad = (what: string): Verdict => ({ kind: 'action required', what });
  if (failed > 0) {
    const are = failed === 1 ? 'is a dead letter' : 'are dead letters';
    return bad(`${failed} of ${replayed} failed again, and ${are} once more.`);
  }
  if (left > 0) return bad(`${counted(left, 'dead letter')} could not be sent.`);
  if (notSeen > 0) {
    return bad(`${counted(notSeen, 'dead letter')} cannot be received now: send the rest later.`);
  }
  if (!followed || notReached > 0) return undefined;
  const each = [...results].map(([one, { length }]) => `${length} ${RESULTS[one].text}`).join(', ');
  const held = waiting.find((one) => one.held)?.held;
  if (waiting.length === 0) return { kind: 'well', what: `All went through: ${each}.` };
  const why = held ? ` ${held.what}.` : '';
  return { kind: 'waits', what: `On the queue, and the workers go on: ${each}.${why}` };
}
