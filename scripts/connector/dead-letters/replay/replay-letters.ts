import type { DeadLetter, LetterQueue } from '../../../../shared/core/batch/dead-letter.ts';
import {
  type BulkQueue,
  deduplicationIdOf,
  type QueuedEvent,
  queueFamilyOf,
} from '../../../../shared/core/events/event.ts';
import { type LetterFilter, matchesFilter } from '../letter-filter.ts';
import { type ReadLetter, readLetter } from '../read-letter.ts';
import { walkLetters } from '../walk-letters.ts';
import type { Pacer } from './pacer.ts';
import { type LetterReader, prepareReplay, type ReplayWishes } from './prepare-replay.ts';
import type { ReplayedLetter, ReplayTally } from './replay-tally.ts';

/** Where the loop stands; a killed run has stopped at one of these. */
export type ReplayStep =
  | 'received'
  | 'chosen'
  | 'sending'
  | 'sent'
  | 'retired'
  | 'removed'
  | 'batch-done';

export interface ReplayWorld extends LetterReader {
  readonly queues: readonly LetterQueue[];
  readonly replayQueue: Pick<BulkQueue, 'sendAll'>;
  /** Takes letters from the lists, before they leave the queue. */
  readonly retire: (letters: readonly DeadLetter[]) => Promise<void>;
  readonly pacer: Pacer;
  readonly now: () => Date;
  readonly signal: AbortSignal;
  readonly onReplayed: (letter: ReplayedLetter) => void;
  readonly onStep?: (step: ReplayStep) => void;
}

export interface ReplayChoice extends ReplayWishes {
  readonly filter: LetterFilter;
  readonly limit: number;
  /** No more than this match: the walk ends when it has seen them. */
  readonly most?: number | undefined;
}

interface Chosen {
  readonly event: QueuedEvent;
  /** Sent twice under one name within five minutes, it arrives once. */
  readonly name: string;
  readonly letter: DeadLetter;
}

/**
 * Sends letters back to the queues they came from.
 *
 *   received ─▶ chosen ─▶ sent ─▶ retired ─▶ removed
 *                 │         │         └ killed here: no list shows the letter, and the queue counts it
 *                 │         └ killed here: the letter is in both places. Replayed again within five minutes
 *                 │           it is the same message to SQS; later the ledger knows it as unchanged.
 *                 └ killed here: SQS shows the letter again when its time is over.
 *
 * The counts are kept in `tally` as it goes, so that they are right whenever it ends; it rejects when
 * AWS fails, with everything that was not sent put back.
 * See docs/decisions/0023-a-replay-that-can-be-killed.md.
 */
export async function replayLetters(
  choice: ReplayChoice,
  world: ReplayWorld,
  tally: ReplayTally,
): Promise<void> {
  const { onStep = () => {} } = world;
  const startedAt = world.now().toISOString();
  const limitReached = new AbortController();
  const signal = AbortSignal.any([world.signal, limitReached.signal]);
  let reserved = 0;
  let matching = 0;

  /**
   * Otherwise a letter that the service keeps refusing would be sent again and again. It counts no matter who
   * replayed it: two runs at the same time would send each other's letters without end.
   */
  function isBackAgain({ event }: ReadLetter): boolean {
    const last = event?.replays?.at(-1);
    return last !== undefined && last.at >= startedAt;
  }

  function choose(letters: readonly DeadLetter[]): readonly Chosen[] {
    const chosen: Chosen[] = [];
    for (const letter of letters.map(readLetter)) {
      tally.seen += 1;
      if (!matchesFilter(letter, choice.filter)) {
        tally.notMatching += 1;
        continue;
      }
      matching += 1;
      if (isBackAgain(letter)) {
        tally.backAgain += 1;
        continue;
      }
      const prepared = prepareReplay(letter, choice, world, world.now());
      if (prepared.kind === 'obstacle') {
        const { obstacle } = prepared;
        tally.obstacles.set(obstacle, (tally.obstacles.get(obstacle) ?? 0) + 1);
      } else if (reserved >= choice.limit) {
        tally.beyondLimit += 1;
      } else {
        reserved += 1;
        chosen.push({ letter, event: prepared.event, name: prepared.name });
      }
    }
    // The letters of one entity go in the order they were parked in.
    return chosen.toSorted((a, b) =>
      BigInt(a.letter.sequenceNumber) < BigInt(b.letter.sequenceNumber) ? -1 : 1,
    );
  }

  /** Returns the ids of the letters that were sent and removed. */
  async function replay(some: readonly Chosen[], queue: LetterQueue): Promise<readonly string[]> {
    onStep('sending');
    const names = new Map(some.map(({ event, name }) => [event, name]));
    const refused = await world.replayQueue.sendAll(
      some.map(({ event }) => event),
      (event) => names.get(event) ?? deduplicationIdOf(event),
    );
    onStep('sent');
    const left = new Set(refused.map(({ event }) => event));
    const sent = some.filter(({ event }) => !left.has(event));
    await world.retire(sent.map(({ letter }) => letter));
    onStep('retired');
    await queue.remove(sent.map(({ letter }) => letter.receiptHandle));
    onStep('removed');
    for (const { event } of sent) {
      tally.replayed += 1;
      world.onReplayed(followed(event));
    }
    if (sent.length === some.length) return sent.map(({ letter }) => letter.messageId);
    throw new Error(`SQS did not take ${some.length - sent.length} messages. Run it again`);
  }

  async function visit(letters: readonly DeadLetter[], queue: LetterQueue) {
    onStep('received');
    const waiting = [...choose(letters)];
    const gone = new Set<string>();
    onStep('chosen');
    while (waiting.length > 0) {
      const turn = await world.pacer.pass(waiting.length, world.signal);
      if (turn === 0) break;
      for (const id of await replay(waiting.splice(0, turn), queue)) gone.add(id);
    }
    tally.notReached += waiting.length;
    const isOver =
      tally.replayed >= choice.limit || matching >= (choice.most ?? Number.POSITIVE_INFINITY);
    if (isOver) limitReached.abort();
    onStep('batch-done');
    return letters.filter(({ messageId }) => !gone.has(messageId));
  }

  const walks = world.queues.map((queue) =>
    walkLetters({ queue, signal }, (letters) => visit(letters, queue)),
  );
  const ends = await Promise.allSettled(walks);
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
}

function followed(event: QueuedEvent): ReplayedLetter {
  const { shop, kind, id } = event;
  const at = event.replays?.at(-1)?.at ?? event.receivedAt;
  const isEntity = kind === 'order' || kind === 'product' || kind === 'coupon';
  const key = isEntity ? { shop, kind, id } : undefined;
  return { family: queueFamilyOf(kind), key, kind, id, at };
}
