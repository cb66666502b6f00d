import { setTimeout as sleep } from 'node:timers/promises';
import { batchesOf } from '../../../../shared/core/batch/in-batches.ts';
import type { ListedLetter } from '../../../../shared/core/events/dead-letter.ts';
import type { QueueDepth } from '../../../../shared/core/events/queues.ts';
import type { Ledger } from '../../../../shared/core/ledger/ledger.ts';
import { ledgerKeyText } from '../../../../shared/core/ledger/ledger-key.ts';
import { isNewer } from '../../../../shared/core/ledger/newer-item.ts';
import { createLetterGroups, type LetterGroup } from '../letter-groups.ts';
import type { ReplayedLetter } from './replay-tally.ts';

export interface FollowWorld {
  readonly ledger: Pick<Ledger, 'readMany'>;
  readonly depth: QueueDepth;
  /** All dead letters that were parked since then, or more. */
  readonly eachLetter: (since: Date, visit: (letter: ListedLetter) => void) => Promise<void>;
  readonly by: string;
  readonly signal: AbortSignal;
  readonly onProgress: (settled: number, underway: number) => void;
  readonly everyMs?: number;
  readonly patienceMs?: number;
}

/** Where the replayed letters ended up. */
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
}

const EVERY_MS = 2_000;
const PATIENCE_MS = 15 * 60_000;
const KEYS_AT_ONCE = 500;
/** Of an operator and of AWS. */
const CLOCKS_DIFFER_MS = 15 * 60_000;
/** The ledger knows of a rejection a moment before the letter is there. */
const LOOKS_FOR_LETTERS = 5;

/**
 * Follows replayed letters until the queues have let go of them all. An outcome that changes nothing
 * (superseded, unchanged at the same version) leaves no line in the ledger, so the last word is with the
 * queues: what they no longer hold is settled, or is a dead letter again, which says so itself.
 */
export async function followReplayed(
  replayed: readonly ReplayedLetter[],
  world: FollowWorld,
): Promise<Followed> {
  const { everyMs = EVERY_MS, patienceMs = PATIENCE_MS, signal } = world;
  const endMs = performance.now() + patienceMs;
  const families = [...new Set(replayed.map(({ family }) => family))];
  const pending = new Set(replayed);
  const outcomes = new Map<string, number>();
  const taken = new Set<string>();
  let emptyRounds = 0;
  // SQS counts roughly: only two empty counts in a row are believed.
  while (pending.size > 0 && emptyRounds < 2 && !signal.aborted && performance.now() < endMs) {
    const depths = await Promise.all(families.map((family) => world.depth.of(family)));
    const depth = depths.reduce((sum, { ready, hidden }) => sum + ready + hidden, 0);
    emptyRounds = depth === 0 ? emptyRounds + 1 : 0;
    await takeOutcomes(pending, { outcomes, taken }, world.ledger);
    world.onProgress(replayed.length - pending.size, depth);
    if (pending.size > 0 && emptyRounds < 2) {
      await sleep(everyMs, undefined, { signal }).catch(() => {});
    }
  }
  const rejected = outcomes.get('rejected') ?? 0;
  let failed = await findFailed(replayed, world);
  for (let looks = 1; failed.count < rejected && looks < LOOKS_FOR_LETTERS; looks += 1) {
    await sleep(everyMs, undefined, { signal }).catch(() => {});
    failed = await findFailed(replayed, world);
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
  };
}

async function takeOutcomes(
  pending: Set<ReplayedLetter>,
  { outcomes, taken }: { outcomes: Map<string, number>; taken: Set<string> },
  ledger: Pick<Ledger, 'readMany'>,
): Promise<void> {
  const entities = [...pending].filter(({ key }) => key !== undefined);
  for (const some of batchesOf(entities, KEYS_AT_ONCE)) {
    const entries = await ledger.readMany(some.flatMap(({ key }) => (key ? [key] : [])));
    for (const letter of some) {
      if (!letter.key) continue;
      const entity = ledgerKeyText(letter.key);
      if (isNewer(entries, entity)) continue;
      // The first since the replay, and each for one letter only: of two letters of an entity the
      // second often changes nothing, and leaves no line.
      const since = entries
        .get(entity)
        ?.outcomes.find(({ at }) => at >= letter.at && !taken.has(`${at} ${entity}`));
      if (!since) continue;
      taken.add(`${since.at} ${entity}`);
      pending.delete(letter);
      outcomes.set(since.outcome, (outcomes.get(since.outcome) ?? 0) + 1);
    }
  }
}

/** Letters that carry one of these replays as their last. */
async function findFailed(replayed: readonly ReplayedLetter[], { eachLetter, by }: FollowWorld) {
  const ours = new Set(replayed.map(({ id, at }) => `${at} ${id}`));
  const groups = createLetterGroups();
  let count = 0;
  const [first] = replayed.map(({ at }) => at).toSorted();
  const since = new Date(Date.parse(first ?? '') - CLOCKS_DIFFER_MS);
  await eachLetter(since, (letter) => {
    const last = letter.event?.replays?.at(-1);
    if (last?.by !== by || !ours.has(`${last.at} ${letter.event?.id}`)) return;
    groups.add(letter);
    count += 1;
  });
  return { count, groups: groups.all() };
}
