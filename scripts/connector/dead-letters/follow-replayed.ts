import { setTimeout as sleep } from 'node:timers/promises';
import type { ListedDeadLetter } from '../../../shared/core/batch/dead-letter.ts';
import { batchesOf, type EventKind, type QueueDepth } from '../../../shared/core/events/event.ts';
import { isNewer, type Ledger, ledgerKeyText } from '../../../shared/core/ledger/ledger.ts';
import type { Deployment } from '../deployment/deployment.ts';
import { createLetterGroups, type LetterGroup } from './describe.ts';
import { openSummaries, readSummaries } from './read.ts';
import type { ReplayedLetter } from './replay.ts';

export interface FollowDeps {
  readonly ledger: Pick<Ledger, 'readMany'>;
  readonly depth: QueueDepth;
  /** All dead letters that were parked since then, or more. */
  readonly eachLetter: (since: Date, visit: (letter: ListedDeadLetter) => void) => Promise<void>;
  readonly by: string;
  readonly signal: AbortSignal;
  readonly onProgress: (settled: number, underway: number) => void;
  readonly everyMs?: number;
  readonly patienceMs?: number;
}

/** Where the replayed dead letters ended up. */
export interface Followed {
  /** By the outcome that the ledger wrote down since: applied, unchanged, skipped. */
  readonly outcomes: ReadonlyMap<string, number>;
  /** Left the queue without a line in the ledger: nothing had to change, or it is no entity. */
  readonly settled: number;
  /** Dead letters again. */
  readonly failing: number;
  readonly failures: readonly LetterGroup[];
  /** Still on the queue when patience, or the person's, ended. */
  readonly underway: number;
  /** In the order in which they were sent. */
  readonly each: readonly FollowedLetter[];
}

interface FollowedLetter {
  readonly kind: EventKind;
  readonly id: string;
  /** The outcome in the ledger, or what stands for it. */
  readonly result: string;
}

const EVERY_MS = 2_000;
const PATIENCE_MS = 15 * 60_000;
const KEYS_AT_ONCE = 500;
/** Of an operator and of AWS. */
const CLOCKS_DIFFER_MS = 15 * 60_000;
/** The ledger knows of a rejection a moment before the dead letter is there. */
const LOOKS_FOR_LETTERS = 5;

/**
 * Follows replayed dead letters until the queues have let go of them all. An outcome that changes nothing
 * (superseded, unchanged at the same version) leaves no line in the ledger, so the last word is with the
 * queues: what they no longer hold is settled, or is a dead letter again, which says so itself.
 */
export async function followReplayed(
  replayed: readonly ReplayedLetter[],
  deps: FollowDeps,
): Promise<Followed> {
  const { everyMs = EVERY_MS, patienceMs = PATIENCE_MS, signal } = deps;
  const endMs = performance.now() + patienceMs;
  const families = [...new Set(replayed.map(({ family }) => family))];
  const pending = new Set(replayed);
  const outcomeOf = new Map<ReplayedLetter, string>();
  const taken = new Set<string>();
  let emptyRounds = 0;
  // SQS counts roughly: only two empty counts in a row are believed.
  while (pending.size > 0 && emptyRounds < 2 && !signal.aborted && performance.now() < endMs) {
    const depths = await Promise.all(families.map((family) => deps.depth.of(family)));
    const depth = depths.reduce((sum, { ready, hidden }) => sum + ready + hidden, 0);
    emptyRounds = depth === 0 ? emptyRounds + 1 : 0;
    await takeOutcomes(pending, { outcomeOf, taken }, deps.ledger);
    deps.onProgress(replayed.length - pending.size, depth);
    if (pending.size > 0 && emptyRounds < 2) {
      await sleep(everyMs, undefined, { signal }).catch(() => {});
    }
  }
  const outcomes = countOf(outcomeOf.values());
  const rejected = outcomes.get('rejected') ?? 0;
  let failed = await findFailed(replayed, deps);
  for (let looks = 1; failed.count < rejected && looks < LOOKS_FOR_LETTERS; looks += 1) {
    await sleep(everyMs, undefined, { signal }).catch(() => {});
    failed = await findFailed(replayed, deps);
  }
  outcomes.delete('rejected');
  const left = Math.max(pending.size - Math.max(failed.count - rejected, 0), 0);
  const isOver = emptyRounds >= 2;
  return {
    outcomes,
    settled: isOver ? left : 0,
    failing: failed.count,
    failures: failed.groups,
    underway: isOver ? 0 : left,
    each: resultsOf(replayed, failed.ids, outcomeOf, isOver ? 'settled' : 'underway'),
  };
}

function resultsOf(
  replayed: readonly ReplayedLetter[],
  failedIds: readonly string[],
  outcomeOf: ReadonlyMap<ReplayedLetter, string>,
  otherwise: string,
): readonly FollowedLetter[] {
  const failing = countOf(failedIds);
  return replayed.map((letter) => {
    const { kind, id } = letter;
    const left = failing.get(nameOf(letter)) ?? 0;
    failing.set(nameOf(letter), left - 1);
    const outcome = outcomeOf.get(letter) ?? otherwise;
    return { kind, id, result: left > 0 || outcome === 'rejected' ? 'failing' : outcome };
  });
}

function countOf(values: Iterable<string>): Map<string, number> {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return counts;
}

/** Of one replay of one thing. */
const nameOf = ({ at, id }: Pick<ReplayedLetter, 'at' | 'id'>): string => `${at} ${id}`;

async function takeOutcomes(
  pending: Set<ReplayedLetter>,
  { outcomeOf, taken }: { outcomeOf: Map<ReplayedLetter, string>; taken: Set<string> },
  ledger: Pick<Ledger, 'readMany'>,
): Promise<void> {
  const entities = [...pending].filter(({ key }) => key !== undefined);
  for (const some of batchesOf(entities, KEYS_AT_ONCE)) {
    const entries = await ledger.readMany(some.flatMap(({ key }) => (key ? [key] : [])));
    for (const letter of some) {
      if (!letter.key) continue;
      const entity = ledgerKeyText(letter.key);
      if (isNewer(entries, entity)) continue;
      // The first since the replay, and each for one dead letter only: of two dead letters of an entity the
      // second often changes nothing, and leaves no line.
      const since = entries
        .get(entity)
        ?.outcomes.find(({ at }) => at >= letter.at && !taken.has(`${at} ${entity}`));
      if (!since) continue;
      taken.add(`${since.at} ${entity}`);
      pending.delete(letter);
      outcomeOf.set(letter, since.outcome);
    }
  }
}

/** Dead letters that carry one of these replays as their last. */
async function findFailed(replayed: readonly ReplayedLetter[], { eachLetter, by }: FollowDeps) {
  const ours = new Set(replayed.map(nameOf));
  const groups = createLetterGroups();
  const ids: string[] = [];
  const [first] = replayed.map(({ at }) => at).toSorted();
  const since = new Date(Date.parse(first ?? '') - CLOCKS_DIFFER_MS);
  await eachLetter(since, (letter) => {
    const last = letter.event?.replays?.at(-1);
    const name = nameOf({ at: last?.at ?? '', id: letter.event?.id ?? '' });
    if (last?.by !== by || !ours.has(name)) return;
    groups.add(letter);
    ids.push(name);
  });
  return { count: ids.length, ids, groups: groups.all() };
}

/** By the summaries, which the workers write beside each dead letter. */
export function openLetterSearch(deployment: Deployment): FollowDeps['eachLetter'] {
  return async (since, visit) => {
    const settings = openSummaries(deployment);
    const letters = await readSummaries(settings, new Date(), { since: since.getTime() });
    letters.forEach(visit);
  };
}
