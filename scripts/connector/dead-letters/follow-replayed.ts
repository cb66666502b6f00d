import { setTimeout as sleep } from 'node:timers/promises';
import type { ListedDeadLetter } from '../../../shared/core/batch/dead-letter.ts';
import { batchesOf, type QueueDepth } from '../../../shared/core/events/event.ts';
import { isNewer, type Ledger, ledgerKeyText } from '../../../shared/core/ledger/ledger.ts';
import type { Deployment } from '../deployment/deployment.ts';
import { openSummaries, readSummaries } from './read.ts';
import type { ReplayedLetter } from './replay.ts';

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
