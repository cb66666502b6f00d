import {
  retireSummaries,
  type SummarizedDeadLetter,
} from '../../../shared/core/batch/dead-letter.ts';
import { isHolding, pauseText, readPauses } from '../ground/checks/read-pauses.ts';
import { groupsOf, namedGroups } from '../ground/letters/describe-letters.ts';
import {
  type LetterList,
  noticesOf,
  openIn,
  readList,
  scanNext,
} from '../ground/letters/letter-list.ts';
import {
  type LetterFilter,
  NOT_SEEN,
  openLetterQueues,
  optionsOf,
} from '../ground/letters/read-letters.ts';
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
} from '../ground/letters/replay-letters.ts';
import { type Deployment, openLedger } from '../ground/session/deployment.ts';
import { openSourceQueues } from '../ground/session/queues.ts';
import { localUser } from '../ground/session/read-caller.ts';
import { type Change, carryOut, type Session } from '../ground/session/session.ts';
import { type Block, type Document, text, type Verdict } from '../ground/terminal/document.ts';
import type { ExitCode } from '../ground/terminal/exit.ts';
import { line } from '../ground/terminal/line.ts';
import { counted, spanText } from '../ground/terminal/text.ts';
import { type FollowedLetter, followAll, RESULTS } from './follow-letters.ts';

export interface ReplayOptions {
  readonly yes?: boolean;
  readonly limit?: number;
  readonly wait?: boolean;
}

/** `loyalty-connector dead-letters replay`: what would be sent → ask → send → follow to the outcomes. */
export async function replayCommand(
  session: Session,
  filter: LetterFilter,
  { yes, limit, wait }: ReplayOptions,
): Promise<Document | ExitCode> {
  const deployment = await session.findDeployment();
  const list = await readList(session, deployment, filter);
  const plan = planReplay(list, limit, deployment);
  const { sent } = plan;
  const again = { ...optionsOf(filter), limit, wait: true, yes: true };
  return carryOut(session, deployment, yes, {
    preview: () => previewOf(plan, noticesOf(list, filter), again, deployment),
    question: sent.length > 0 ? `Send ${counted(sent.length, 'dead letter')} again?` : undefined,
    act: (change) => replayPlanned(session, deployment, plan, { wait, change }),
  });
}

async function replayPlanned(
  session: Session,
  deployment: Deployment,
  { sent, obstacles }: Plan,
  { wait = false, change }: { readonly wait: boolean | undefined; readonly change: Change },
): Promise<Document> {
  const signal = session.interruption();
  const families = [...new Set(sent.map(({ family }) => family))];
  const letterIds = new Set(sent.map(({ letterId }) => letterId));
  const tally = { ...newTally(), obstacles: new Map(obstacles) };
  const replayed: ReplayedLetter[] = [];
  const ledger = openLedger(deployment);
  const beganMs = performance.now();
  const progress = session.terminal.progress('Sending dead letters:', letterIds.size);
  try {
    await replayLetters(
      { letterIds, by: localUser() },
      {
        queues: openLetterQueues(deployment, families),
        replayQueue: openSourceQueues(deployment, families).queue,
        retire: (some) => retireSummaries(some, 'replayed', { ledger, now: new Date() }),
        ...letterReaderOf(deployment.connector.shops),
        now: () => new Date(),
        signal,
        onReplayed(letter) {
          if (wait) replayed.push(letter);
          progress.report(tally.replayed);
        },
      },
      tally,
    );
  } finally {
    progress.end();
    change.count({ replayed: tally.replayed, notReplayed: countObstacles(tally) });
  }
  const sentMs = performance.now();
  const followed =
    replayed.length > 0 ? await followAll(session, deployment, replayed, signal) : undefined;
  const missing = letterIds.size - tally.found;
  const [notSeen, notReached] = signal.aborted ? [0, missing] : [missing, 0];
  const took = { sendingMs: sentMs - beganMs, workersMs: performance.now() - sentMs };
  return replayDocument({ tally, notSeen, notReached, followed, took }, deployment);
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
  limit: number | undefined,
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
  notices: readonly Block[],
  again: Parameters<typeof line>[2],
  deployment: Deployment,
): Promise<Document> {
  const matching = list.matching.length;
  const delivered = matching - openIn(list).length;
  const { shops } = deployment.connector;
  const pauses = await readPauses(openLedger(deployment), shops, new Date());
  const holding = pauses.filter((pause) =>
    sent.some(({ event, family }) => isHolding(pause, { shop: event?.shop ?? '', queue: family })),
  );
  const label = `Send ${sent.length}`;
  return {
    title:
      matching === 0
        ? 'No dead letter to send'
        : `Would send ${sent.length} of ${counted(matching, 'matching dead letter')} again`,
    ...(sent.length === 0 &&
      obstacles.size > 0 && { verdict: { kind: 'action required', what: 'None can be sent.' } }),
    blocks: [
      ...notices,
      ...holding.map((one) => text(`What is sent would wait. ${pauseText(one)}.`, 'waits')),
      await namedGroups(groupsOf(sent), deployment),
      ...obstacleTexts(obstacles),
      ...(delivered > 0 ? [text(`${delivered} left out: delivered since.`)] : []),
      text('Nothing was sent.'),
    ],
    next:
      sent.length === 0
        ? scanNext(list)
        : [{ label, line: line('dead-letters replay', [], again) }],
    data: { dryRun: true, matching, wouldReplay: sent.length, replayed: 0 },
  };
}

const obstacleTexts = (obstacles: ReadonlyMap<Obstacle, number>): readonly Block[] =>
  [...obstacles].map(([one, count]) =>
    text(`${count} cannot be sent again: ${OBSTACLES[one]}.`, 'bad'),
  );

interface ReplayReport {
  readonly tally: ReplayTally;
  /** What SQS did not give. */
  readonly notSeen: number;
  /** What it was interrupted before. */
  readonly notReached: number;
  /** Undefined without --wait. */
  readonly followed: readonly FollowedLetter[] | undefined;
  readonly took: { readonly sendingMs: number; readonly workersMs: number };
}

/** What a replay waits for: SQS takes them much faster than the workers do. */
export function paceText(
  count: number,
  { sendingMs, workersMs }: ReplayReport['took'],
  callsPerSecond: number | undefined,
): string {
  const perSecond = Math.round((count * 10_000) / Math.max(sendingMs + workersMs, 1)) / 10;
  const limit =
    callsPerSecond === undefined
      ? 'the answers of the store and the loyalty service limit them'
      : `loyalty.callsPerSecond, ${callsPerSecond}, limits them`;
  return `Sent in ${spanText(sendingMs)}, followed for ${spanText(workersMs)}: ${perSecond} a second. That is the workers' pace; ${limit}, and how many run at once.`;
}

/** Fewer are done before anybody wonders. */
const MANY = 50;

/** What was done, in the end or when it was interrupted. */
async function replayDocument(report: ReplayReport, deployment: Deployment): Promise<Document> {
  const { tally, notSeen, notReached, followed, took } = report;
  const { replayed, obstacles } = tally;
  const verdict = verdictOf(report);
  const failures = groupsOf((followed ?? []).flatMap(({ again }) => (again ? [again] : [])));
  const held = followed?.find((one) => one.held)?.held;
  const list = verdict?.kind === 'well' ? 'See the list' : 'See what is left';
  return {
    title: replayed === 0 ? 'Nothing was sent' : `Sent ${counted(replayed, 'dead letter')} again`,
    ...(verdict && { verdict }),
    blocks: [
      await namedGroups(failures, deployment),
      ...(replayed > 0 && !followed
        ? [text('The workers have them now. What becomes of them was not followed: --wait does.')]
        : []),
      ...(followed && replayed >= MANY
        ? [text(paceText(replayed, took, deployment.connector.loyalty.callsPerSecond), 'soft')]
        : []),
      ...obstacleTexts(obstacles),
      ...(notReached > 0 ? [text(`Left ${notReached}: interrupted.`, 'soft')] : []),
    ],
    next: [...(held?.next ?? []), { label: list, line: line('dead-letters list') }],
    data: {
      ...{ stack: deployment.stack, replayed, notReached, notSeen, followed },
      cannot: Object.fromEntries(obstacles),
    },
  };
}

/** Undefined where nothing is known of what became of them. */
export function verdictOf(report: Omit<ReplayReport, 'took'>): Verdict | undefined {
  const { tally, notSeen, notReached, followed } = report;
  const results = Map.groupBy(followed ?? [], ({ result }) => RESULTS[result].text);
  const failed = followed?.filter(({ result }) => result === 'failing').length ?? 0;
  const waiting = followed?.filter(({ result }) => result === 'underway') ?? [];
  const left = countObstacles(tally);
  const bad = (what: string): Verdict => ({ kind: 'action required', what });
  if (failed > 0) {
    const are = failed === 1 ? 'is a dead letter' : 'are dead letters';
    return bad(`${failed} of ${tally.replayed} failed again, and ${are} once more.`);
  }
  if (left > 0) return bad(`${counted(left, 'dead letter')} could not be sent.`);
  if (notSeen > 0) {
    return bad(`${counted(notSeen, 'dead letter')} cannot be received now: ${NOT_SEEN}`);
  }
  if (!followed || notReached > 0) return undefined;
  const each = [...results].map(([words, { length }]) => `${length} ${words}`).join(', ');
  if (waiting.length === 0) return { kind: 'well', what: `All went through: ${each}.` };
  const why = waiting.find((one) => one.held)?.held?.what;
  const what = `On the queue, and the workers go on: ${each}.${why ? ` ${why}.` : ''}`;
  return { kind: 'waits', what };
}
