import {
  type DeadLetterQueue,
  type ListedDeadLetter,
  noteDropped,
  retireSummaries,
  type SummarizedDeadLetter,
} from '../../../shared/core/batch/dead-letter.ts';
import { inBatches } from '../../../shared/core/events/event.ts';
import type { Ledger } from '../../../shared/core/ledger/ledger.ts';
import { isHolding, pauseText, readPauses } from '../ground/checks/read-pauses.ts';
import {
  groupsOf,
  groupsTable,
  isUnrecorded,
  type LetterList,
  namedGroups,
  noticesOf,
  openIn,
  openList,
  scanNext,
} from '../ground/letters/describe-letters.ts';
import {
  entityIn,
  type LetterFilter,
  NOT_SEEN,
  openLetterQueues,
  optionsOf,
  takeLetters,
} from '../ground/letters/read-letters.ts';
import {
  countObstacles,
  letterReaderOf,
  newTally,
  OBSTACLES,
  type Obstacle,
  previewReplay,
  type ReplayedLetter,
  type ReplayTally,
  replayLetters,
} from '../ground/letters/replay-letters.ts';
import { type Deployment, openLedger } from '../ground/session/deployment.ts';
import { openSourceQueues } from '../ground/session/queues.ts';
import { localUser } from '../ground/session/read-caller.ts';
import {
  type Change,
  type CommonOptions,
  carryOut,
  type Session,
} from '../ground/session/session.ts';
import {
  type Block,
  type Document,
  STATUS,
  text,
  type Verdict,
} from '../ground/terminal/document.ts';
import { BadArguments, type ExitCode } from '../ground/terminal/exit.ts';
import { line } from '../ground/terminal/line.ts';
import { counted, spanText } from '../ground/terminal/text.ts';
import { type FollowedLetter, followAll, heldNow, judgeEnded } from './follow-letters.ts';

export interface ReplayOptions extends CommonOptions {
  readonly limit?: number;
  readonly wait?: boolean;
}

/** `loyalty-connector dead-letters replay`: what would be sent → ask → send → follow to the outcomes. */
export async function replayCommand(
  session: Session,
  given: LetterFilter,
  { yes, limit, wait }: ReplayOptions,
): Promise<Document | ExitCode> {
  const { deployment, filter, list } = await openList(session, given);
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
  { sent, obstacles }: ReplayPlan,
  { wait = false, change }: { readonly wait: boolean | undefined; readonly change: Change },
): Promise<Document> {
  const open = openLetters(session, deployment, sent);
  const { letterIds, ledger, signal } = open;
  const tally = { ...newTally(), obstacles: new Map(obstacles) };
  const replayed: ReplayedLetter[] = [];
  const beganMs = performance.now();
  const progress = session.terminal.progress('Sending dead letters:', letterIds.size);
  try {
    await replayLetters(
      { letterIds, by: localUser() },
      {
        ...open,
        retire: (some) => retireSummaries(some, 'replayed', { ledger, now: new Date() }),
        onReplayed(letter) {
          replayed.push(letter);
          progress.report(tally.replayed);
        },
      },
      tally,
    );
  } finally {
    change.count({ sent: tally.replayed, notSent: countObstacles(tally) });
  }
  const sentMs = performance.now();
  const follow = () =>
    wait ? followAll(session, deployment, replayed, signal) : heldNow(deployment, replayed);
  const followed = replayed.length > 0 ? await follow() : undefined;
  const missing = letterIds.size - tally.found;
  const [notSeen, notReached] = signal.aborted ? [0, missing] : [missing, 0];
  const took = { sendingMs: sentMs - beganMs, workersMs: performance.now() - sentMs };
  return replayDocument({ tally, notSeen, notReached, followed, took }, deployment);
}

interface ReplayPlan {
  readonly list: LetterList;
  readonly sent: readonly SummarizedDeadLetter[];
  /** Of the others, as far as their summaries tell. */
  readonly obstacles: ReadonlyMap<Obstacle, number>;
}

/** Also what was delivered since: its worker finds nothing to do, and it leaves the queue. */
export function planReplay(
  list: LetterList,
  limit: number | undefined,
  { connector: { shops } }: { readonly connector: Pick<Deployment['connector'], 'shops'> },
): ReplayPlan {
  const previews = Map.groupBy(list.matching, (letter) => previewReplay(letter, shops));
  const sendable = previews.get(undefined) ?? [];
  const counts = [...previews].flatMap(([one, { length }]) =>
    one ? [[one, length] as const] : [],
  );
  // The oldest: they expire first.
  return { list, sent: sendable.slice(-(limit ?? sendable.length)), obstacles: new Map(counts) };
}

/** What a replay would do, by the list: nothing is received, sent or removed. */
async function previewOf(
  { list, sent, obstacles }: ReplayPlan,
  notices: readonly Block[],
  again: Parameters<typeof line>[2],
  deployment: Deployment,
): Promise<Document> {
  const matching = list.matching.length;
  const { shops } = deployment.connector;
  const pauses = await readPauses(openLedger(deployment), shops, new Date());
  const holding = pauses.filter((pause) =>
    sent.some(({ event, family }) => isHolding(pause, { shop: event?.shop ?? '', queue: family })),
  );
  const label = `Send ${sent.length}`;
  const ofAll = sent.length === matching ? '' : `${sent.length} of `;
  return {
    title:
      matching === 0
        ? 'No dead letter to send'
        : `Would send ${ofAll}${counted(matching, 'dead letter')} again`,
    ...(sent.length === 0 &&
      obstacles.size > 0 && { verdict: { kind: 'action required', what: 'None can be sent.' } }),
    blocks: [
      ...notices,
      ...holding.map((one) =>
        text(`A pause holds what is sent now. ${pauseText(one)}.`, 'pending'),
      ),
      groupsTable(await namedGroups(groupsOf(sent), deployment)),
      ...obstacleTexts(obstacles),
    ],
    next:
      sent.length === 0
        ? scanNext(list)
        : [{ label, line: line('dead-letters replay', [], again) }],
    data: { dryRun: true, matching, wouldSend: sent.length, sent: 0 },
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
  /** Without --wait undefined, unless a pause holds some. */
  readonly followed: readonly FollowedLetter[] | undefined;
  readonly took: { readonly sendingMs: number; readonly workersMs: number };
}

/** What a replay waits for: mostly the workers, but from a slow machine or network the sending itself. */
export function paceText(
  count: number,
  { sendingMs, workersMs }: ReplayReport['took'],
  callsPerSecond: number | undefined,
): string {
  const perSecond = Math.round((count * 10_000) / Math.max(sendingMs + workersMs, 1)) / 10;
  const set = callsPerSecond && `loyalty.callsPerSecond (${callsPerSecond})`;
  const workers = `${set || 'the answers of store and loyalty service'} and how many workers run`;
  const limit = sendingMs > workersMs ? 'the calls from here to SQS and the ledger' : workers;
  return `Sent in ${spanText(sendingMs)}, followed for ${spanText(workersMs)}: ${perSecond} a second, limited by ${limit}.`;
}

/** Fewer are done before anybody wonders. */
const MANY = 50;

async function replayDocument(report: ReplayReport, deployment: Deployment): Promise<Document> {
  const { tally, notSeen, notReached, followed, took } = report;
  const { callsPerSecond } = deployment.connector.loyalty;
  const { replayed, obstacles } = tally;
  const verdict = verdictOf(report);
  const failures = groupsOf((followed ?? []).flatMap(({ again }) => (again ? [again] : [])));
  const held = followed?.find((one) => one.held)?.held;
  const list = verdict?.kind === 'ok' ? 'See the list' : 'See what is left';
  return {
    title: replayed === 0 ? 'Nothing was sent' : `Sent ${counted(replayed, 'dead letter')} again`,
    ...(verdict && { verdict }),
    blocks: [
      groupsTable(await namedGroups(failures, deployment)),
      text(followed && replayed >= MANY && paceText(replayed, took, callsPerSecond), 'soft'),
      ...obstacleTexts(obstacles),
      text(notReached > 0 && `Interrupted: ${notReached} left.`, 'soft'),
    ],
    next: [
      ...(held?.next ?? []),
      ...(followed || replayed === 0 ? [] : [{ ...STATUS, say: 'See what still waits:' }]),
      { label: list, line: line('dead-letters list') },
    ],
    data: {
      ...{ stack: deployment.stack, sent: replayed, outcomes: judgeEnded(followed ?? []).outcomes },
      ...{ notReached, notSeen, followed },
      cannot: Object.fromEntries(obstacles),
    },
  };
}

/** Undefined where nothing is known of what became of them. */
export function verdictOf({
  tally,
  notSeen,
  notReached,
  followed,
}: Omit<ReplayReport, 'took'>): Verdict | undefined {
  const { verdict } = judgeEnded(followed ?? []);
  const left = countObstacles(tally);
  const bad = (what: string): Verdict => ({ kind: 'action required', what });
  if (verdict.kind === 'action required') return verdict;
  if (left > 0) return bad(`${counted(left, 'dead letter')} could not be sent.`);
  if (notSeen > 0) {
    return bad(`${counted(notSeen, 'dead letter')} cannot be read now: ${NOT_SEEN}`);
  }
  return followed && notReached === 0 ? verdict : undefined;
}

export interface DropOptions extends CommonOptions {
  readonly because: string;
}

/** `loyalty-connector dead-letters drop`: what would go → ask → remove. No copy is kept: the store has the truth. */
export async function dropCommand(
  session: Session,
  given: LetterFilter,
  { because, yes }: DropOptions,
): Promise<Document | ExitCode> {
  if (Object.keys(given).length === 0) {
    throw new BadArguments(
      'choose the dead letters: at least one of --kind, --id, --code, --reason, …',
    );
  }
  const { deployment, filter, list } = await openList(session, given);
  const { matching } = list;
  const [newest] = matching;
  const many = counted(matching.length, 'dead letter');
  const causes = groupsTable(await namedGroups(groupsOf(matching), deployment));
  // None that is given up later: the person has not seen it.
  const shown = optionsOf({ until: newest?.at ?? 0, ...filter });
  const drop = line('dead-letters drop', [], { ...shown, because, yes: true });
  return carryOut(session, deployment, yes, {
    preview: () => ({
      title: newest ? `Would drop ${many}` : 'No dead letter to drop',
      blocks: [...noticesOf(list, filter), causes, ...afterwards(openIn(list))],
      next: newest ? [{ label: `Drop ${matching.length}`, line: drop }] : scanNext(list),
      data: { wouldDrop: matching.length, dropped: 0, because },
    }),
    question: newest && `Drop ${many}?`,
    act: (change) => dropListed(session, deployment, matching, { because, causes, change }),
  });
}

function afterwards(letters: readonly ListedDeadLetter[]): readonly Block[] {
  const lost = letters.filter(isUnrecorded);
  const isKnown = letters.length > lost.length;
  return [
    text(isKnown && 'A dropped change is not sent again until it changes in the store.'),
    text(lost.length > 0 && 'Of unreadable messages, reconcile sends what the store still has.'),
  ];
}

async function dropListed(
  session: Session,
  deployment: Deployment,
  letters: readonly ListedDeadLetter[],
  {
    because,
    causes,
    change,
  }: { readonly because: string; readonly causes: Block; readonly change: Change },
): Promise<Document> {
  const open = openLetters(session, deployment, letters);
  const { signal } = open;
  const { stack } = deployment;
  const progress = session.terminal.progress('Dropping dead letters:', letters.length);
  let dropped = 0;
  try {
    await dropLetters({
      ...open,
      onDropped(some) {
        dropped += some;
        progress.report(dropped);
      },
    });
  } finally {
    change.count({ dropped });
  }
  const left = Math.max(letters.length - dropped, 0);
  const what = `${counted(left, 'dead letter')} cannot be read now: ${NOT_SEEN}`;
  return {
    title: dropped > 0 ? `Dropped ${counted(dropped, 'dead letter')}` : 'Nothing was dropped',
    ...(left > 0 && !signal.aborted && { verdict: { kind: 'action required', what } }),
    blocks: [
      ...(left === 0 ? [causes] : []),
      text(left > 0 && signal.aborted && `Interrupted: ${left} left.`, 'soft'),
    ],
    next: [{ label: 'See what is left', line: line('dead-letters list') }],
    data: { stack, dropped, because },
  };
}

export interface DropDeps {
  readonly queues: readonly DeadLetterQueue[];
  readonly ledger: Pick<Ledger, 'readMany' | 'write'>;
  readonly now: () => Date;
  readonly letterIds: ReadonlySet<string>;
  readonly signal: AbortSignal;
  readonly onDropped: (some: number) => void;
}

/** Removes dead letters, each after the ledger says so. What was rejected is not healed until it changes in the store. */
export async function dropLetters(deps: DropDeps): Promise<void> {
  const { queues, letterIds, ledger, signal } = deps;
  await takeLetters({
    ...{ queues, letterIds, signal },
    async take(letters, queue) {
      if (letters.length === 0) return [];
      const then = { ledger, now: deps.now(), by: localUser() };
      await inBatches(letters, async (letter) => {
        const key = entityIn(letter);
        if (key) await noteDropped(key, letter.event?.topic ?? '', then);
      });
      await retireSummaries(letters, 'dropped', then);
      await queue.remove(letters.map(({ receiptHandle }) => receiptHandle));
      deps.onDropped(letters.length);
      return letters;
    },
  });
}

export function openLetters(
  session: Session,
  deployment: Deployment,
  letters: readonly ListedDeadLetter[],
) {
  const families = [...new Set(letters.map(({ family }) => family))];
  return {
    ...letterReaderOf(deployment.connector.shops),
    queues: openLetterQueues(deployment, families),
    replayQueue: openSourceQueues(deployment, families).queue,
    letterIds: new Set(letters.map(({ letterId }) => letterId)),
    ledger: openLedger(deployment),
    signal: session.interruption(),
    now: () => new Date(),
  };
}
