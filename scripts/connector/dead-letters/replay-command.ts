import { setTimeout as sleep } from 'node:timers/promises';
import {
  type ListedDeadLetter,
  retireSummaries,
  type SummarizedDeadLetter,
} from '../../../shared/core/batch/dead-letter.ts';
import { batchesOf, type QueueDepth } from '../../../shared/core/events/event.ts';
import { isNewer, type Ledger, ledgerKeyText } from '../../../shared/core/ledger/ledger.ts';
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
import type { Session } from '../session/session.ts';
import { counted } from '../terminal/text.ts';
import { aboutCell, groupsOf, groupsTable, type OrderNames, readNames } from './describe.ts';
import { type LetterList, noticesOf, readList, scanNext } from './list.ts';
import {
  type LetterFilter,
  NOT_SEEN,
  openLetterQueues,
  openSourceQueues,
  openSummaries,
  optionsOf,
  readSummaries,
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
  const deployment = await session.findDeployment();
  const plan = planReplay(await readList(session, deployment, filter), options, deployment);
  if (!options.yes || plan.sent.length === 0) return previewOf(plan, filter, options);
  const signal = session.interruption();
  const families = [...new Set(plan.sent.map(({ family }) => family))];
  const queues = openLetterQueues(deployment, families);
  const ledger = openLedger(deployment);
  const by = localUser();
  const { refetch = false } = options;
  const letterIds = new Set(plan.sent.map(({ letterId }) => letterId));
  const change = await session.beginChange(deployment);
  const { queue: replayQueue, depth } = openSourceQueues(deployment, families);
  const progress = session.terminal.progress('Replaying dead letters:', letterIds.size);
  const replayed: ReplayedLetter[] = [];
  const tally = { ...newTally(), obstacles: new Map(plan.obstacles) };
  const monotonicMs = () => performance.now();
  const pause = (milliseconds: number, until: AbortSignal) =>
    sleep(milliseconds, undefined, { signal: until }).catch(() => {});
  let fault: unknown;
  try {
    await replayLetters(
      { letterIds, refetch, by },
      {
        queues,
        replayQueue,
        retire: (some) => retireSummaries(some, 'replayed', { ledger, now: new Date() }),
        ...letterReaderOf(deployment.connector.shops),
        pacer: createPacer(options.rate, { monotonicMs, pause }),
        now: () => new Date(),
        signal,
        onReplayed(letter) {
          if (options.wait || replayed.length < MOST_KEPT) replayed.push(letter);
          progress.report(tally.replayed, `${countObstacles(tally)} cannot be replayed`);
        },
      },
      tally,
    );
  } catch (error) {
    fault = error;
  }
  progress.end();
  change.count({ replayed: tally.replayed, notReplayed: countObstacles(tally) });
  const followed =
    options.wait && fault === undefined && replayed.length > 0
      ? await follow(session, deployment, replayed, { depth, by, signal })
      : undefined;
  const isWhole = fault === undefined && !signal.aborted;
  const notSeen = isWhole ? letterIds.size - tally.found : 0;
  const names = await readNames(
    deployment,
    replayed.slice(0, MOST_SHOWN).map((letter) => ({ ...letter, letterId: letter.id })),
  );
  const { stack } = deployment;
  const document = replayDocument({ stack, tally, notSeen, replayed, followed, names });
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

interface Plan {
  readonly list: LetterList;
  readonly sent: readonly SummarizedDeadLetter[];
  /** Of the others, as far as their summaries tell. */
  readonly obstacles: ReadonlyMap<Obstacle, number>;
}

function planReplay(
  list: LetterList,
  { limit, refetch = false }: ReplayOptions,
  { connector }: Pick<Deployment, 'connector'>,
): Plan {
  const foreseen = Map.groupBy(list.matching, (letter) =>
    foreseeReplay(letter, { refetch }, connector.shops),
  );
  const sendable = foreseen.get(undefined) ?? [];
  const counts = [...foreseen].flatMap(([one, { length }]) =>
    one ? [[one, length] as const] : [],
  );
  // The oldest: they expire first.
  return { list, sent: sendable.slice(-(limit ?? sendable.length)), obstacles: new Map(counts) };
}

/** What a replay would do, by the list: nothing is received, sent or removed. */
function previewOf(
  { list, sent, obstacles }: Plan,
  filter: LetterFilter,
  { limit, rate, refetch }: ReplayOptions,
): Document {
  const matching = list.matching.length;
  const unread = refetch ? 0 : sent.filter(({ reason }) => reason === 'unreadable').length;
  const again = { ...optionsOf(filter), limit, rate, refetch, wait: true, yes: true };
  return {
    title:
      matching === 0
        ? 'No dead letter to send'
        : `Would send ${sent.length} of ${counted(matching, 'matching dead letter')} again`,
    ...(sent.length === 0 &&
      obstacles.size > 0 && { verdict: { kind: 'action required', what: 'None can be sent.' } }),
    blocks: [
      ...noticesOf(list, filter),
      ...(sent.length > 0 ? [groupsTable(groupsOf(sent))] : []),
      ...obstacleTexts(obstacles, 'cannot be sent again'),
      ...(unread > 0 ? [text(`${unread} only if this release can read them: ${UNREAD}`)] : []),
      text('Nothing was sent.'),
    ],
    next:
      sent.length === 0
        ? scanNext(list)
        : [{ label: `Send ${sent.length}`, line: line('dead-letters replay', [], again) }],
    data: {
      ...{ dryRun: true, matching, wouldReplay: sent.length, replayed: 0 },
      ...{ groups: groupsOf(sent), cannot: Object.fromEntries(obstacles) },
    },
  };
}

const UNREAD = 'the one that parked them could not. --refetch asks the store instead.';

const obstacleTexts = (obstacles: ReadonlyMap<Obstacle, number>, what: string): readonly Block[] =>
  [...obstacles].map(([one, count]) => text(`${count} ${what}: ${OBSTACLES[one]}.`, 'bad'));

interface ReplayReport {
  readonly stack: string;
  readonly tally: ReplayTally;
  /** What SQS counted beyond those that it gave; 0 when the run ended early. */
  readonly notSeen: number;
  /** The first, or with --wait all. */
  readonly replayed: readonly ReplayedLetter[];
  /** Undefined without --wait. */
  readonly followed: readonly FollowedLetter[] | undefined;
  readonly names: OrderNames;
}

/** What was done, in the end or when it was interrupted. */
function replayDocument(report: ReplayReport): Document {
  const { stack, tally, notSeen, followed } = report;
  const { replayed, notReached, obstacles, ...counts } = tally;
  const verdict = verdictOf(tally, notSeen, followed);
  const failures = groupsOf((followed ?? []).flatMap(({ again }) => again ?? []));
  return {
    title: replayed === 0 ? 'Nothing was sent' : `Sent ${counted(replayed, 'dead letter')} again`,
    ...(verdict && { verdict }),
    blocks: [
      ...(replayed > 0 ? [sentTable(report)] : []),
      ...(failures.length > 0 ? [groupsTable(failures)] : []),
      ...(replayed > 0 && !followed
        ? [text('The workers have them now. What becomes of them was not followed: --wait does.')]
        : []),
      ...obstacleTexts(obstacles, 'left'),
      ...(notReached > 0 ? [text(`Left ${notReached} or more: interrupted.`, 'soft')] : []),
      ...(notSeen > 0 ? [text(`${notSeen} cannot be received now: ${NOT_SEEN}`, 'waits')] : []),
    ],
    next: [{ label: 'See what is left', line: line('dead-letters list') }],
    data: {
      ...{ stack, replayed, notReached, ...counts, notSeen, cannot: Object.fromEntries(obstacles) },
      ...(followed && { failures, each: followed.slice(0, MOST_KEPT) }),
    },
  };
}

/** Undefined where nothing is known of what became of them. */
export function verdictOf(
  tally: ReplayTally,
  notSeen: number,
  followed: readonly FollowedLetter[] | undefined,
): Verdict | undefined {
  const results = Map.groupBy(followed ?? [], ({ result }) => result);
  const countOf = (result: string) => results.get(result)?.length ?? 0;
  const left = countObstacles(tally);
  if (countOf('failing') > 0) {
    const what = `${countOf('failing')} of ${tally.replayed} failed again, and are dead letters.`;
    return { kind: 'action required', what };
  }
  if (left > 0) {
    return { kind: 'action required', what: `${counted(left, 'dead letter')} could not be sent.` };
  }
  if (notSeen > 0) {
    const what = `${counted(notSeen, 'dead letter')} cannot be received now, and must be sent later.`;
    return { kind: 'action required', what };
  }
  if (!followed || tally.notReached > 0) return undefined;
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

export interface FollowDeps {
  readonly ledger: Pick<Ledger, 'readMany'>;
  readonly depth: QueueDepth;
  /** All dead letters that were parked since then, or more. */
  readonly lettersSince: (since: Date) => Promise<readonly ListedDeadLetter[]>;
  readonly by: string;
  readonly signal: AbortSignal;
  readonly onProgress: (settled: number, underway: number) => void;
  readonly everyMs?: number;
  readonly patienceMs?: number;
}

/** Where a replayed dead letter ended up. */
export interface FollowedLetter extends ReplayedLetter {
  /**
   * The outcome that the ledger wrote down since (applied, unchanged, skipped); `settled`: it left the queue without a
   * line, because nothing had to change, or it is no entity; `underway`: still on the queue when patience ended.
   */
  readonly result: string;
  /** It is a dead letter again: then `result` is `failing`. */
  readonly again?: ListedDeadLetter;
}

const EVERY_MS = 2_000;
const PATIENCE_MS = 15 * 60_000;
const KEYS_AT_ONCE = 500;
/** Of an operator and of AWS. */
const CLOCKS_DIFFER_MS = 15 * 60_000;
/** The ledger knows of a rejection a moment before the dead letter is there. */
const LOOKS_FOR_LETTERS = 5;

/**
 * Follows replayed dead letters until the queues have let go of them all; the answer is in the order in which they were
 * sent. An outcome that changes nothing (superseded, unchanged at the same version) leaves no line in the ledger, so the
 * last word is with the queues: what they no longer hold is settled, or is a dead letter again, which says so itself.
 */
export async function followReplayed(
  replayed: readonly ReplayedLetter[],
  deps: FollowDeps,
): Promise<readonly FollowedLetter[]> {
  const { everyMs = EVERY_MS, patienceMs = PATIENCE_MS, signal } = deps;
  const nap = () => sleep(everyMs, undefined, { signal }).catch(() => {});
  const endMs = performance.now() + patienceMs;
  const families = [...new Set(replayed.map(({ family }) => family))];
  const outcomes = new Map<ReplayedLetter, string>();
  const taken = new Set<string>();
  const isPending = () => outcomes.size < replayed.length;
  let emptyRounds = 0;
  // SQS counts roughly: only two empty counts in a row are believed.
  while (isPending() && emptyRounds < 2 && !signal.aborted && performance.now() < endMs) {
    const depths = await Promise.all(families.map((family) => deps.depth.of(family)));
    const depth = depths.reduce((sum, { ready, hidden }) => sum + ready + hidden, 0);
    emptyRounds = depth === 0 ? emptyRounds + 1 : 0;
    await takeOutcomes(replayed, { outcomes, taken }, deps.ledger);
    deps.onProgress(outcomes.size, depth);
    if (isPending() && emptyRounds < 2) await nap();
  }
  const rejected = [...outcomes.values()].filter((outcome) => outcome === 'rejected').length;
  let again = await findAgain(replayed, deps);
  for (let looks = 1; again.size < rejected && looks < LOOKS_FOR_LETTERS; looks += 1) {
    await nap();
    again = await findAgain(replayed, deps);
  }
  const otherwise = emptyRounds >= 2 ? 'settled' : 'underway';
  return replayed.map((letter) => {
    const dead = again.get(letter);
    if (dead) return { ...letter, result: 'failing', again: dead };
    const outcome = outcomes.get(letter) ?? otherwise;
    return { ...letter, result: outcome === 'rejected' ? 'failing' : outcome };
  });
}

async function takeOutcomes(
  replayed: readonly ReplayedLetter[],
  { outcomes, taken }: { outcomes: Map<ReplayedLetter, string>; taken: Set<string> },
  ledger: Pick<Ledger, 'readMany'>,
): Promise<void> {
  const pending = replayed.filter((letter) => letter.key && !outcomes.has(letter));
  for (const some of batchesOf(pending, KEYS_AT_ONCE)) {
    const entries = await ledger.readMany(some.flatMap(({ key }) => key ?? []));
    for (const letter of some) {
      const entity = letter.key ? ledgerKeyText(letter.key) : '';
      if (isNewer(entries, entity)) continue;
      // The first since the replay, and each for one dead letter only: of two dead letters of an entity the
      // second often changes nothing, and leaves no line.
      const since = entries
        .get(entity)
        ?.outcomes.find(({ at }) => at >= letter.at && !taken.has(`${at} ${entity}`));
      if (!since) continue;
      taken.add(`${since.at} ${entity}`);
      outcomes.set(letter, since.outcome);
    }
  }
}

/** Dead letters that carry one of these replays as their last. */
async function findAgain(
  replayed: readonly ReplayedLetter[],
  { lettersSince, by }: FollowDeps,
): Promise<ReadonlyMap<ReplayedLetter, ListedDeadLetter>> {
  const [first = ''] = replayed.map(({ at }) => at).toSorted();
  const letters = await lettersSince(new Date(Date.parse(first) - CLOCKS_DIFFER_MS));
  const open = Map.groupBy(replayed, ({ at, id }) => `${at} ${id}`);
  const again = new Map<ReplayedLetter, ListedDeadLetter>();
  for (const letter of letters) {
    const last = letter.event?.replays?.at(-1);
    const ours = last?.by === by && open.get(`${last.at} ${letter.event?.id}`)?.shift();
    if (ours) again.set(ours, letter);
  }
  return again;
}

/** By the summaries, which the workers write beside each dead letter. */
export function openLetterSearch(deployment: Deployment): FollowDeps['lettersSince'] {
  return (since) =>
    readSummaries(openSummaries(deployment), new Date(), { since: since.getTime() });
}
