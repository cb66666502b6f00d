import type {
  DeadLetter,
  DeadLetterQueue,
  SummarizedDeadLetter,
} from '../../../shared/core/batch/dead-letter.ts';
import {
  type BulkQueue,
  deduplicationIdOf,
  type EntityKey,
  type EventKind,
  hashBody,
  isStoreEvent,
  type QueuedEvent,
  type QueueFamily,
  queueFamilyOf,
  type StoreEvent,
} from '../../../shared/core/events/event.ts';
import { canBeReadFromStore } from '../../../shared/core/events/message-body.ts';
import type { ReadEvent } from '../../../shared/core/store/store.ts';
import { createEventReader } from '../../../shared/shopify/webhooks/read-event.ts';
import { type ReadLetter, readLetter, scanLetters } from './read.ts';

/** Where the loop stands; a killed run has stopped at one of these. */
export type ReplayStep =
  | 'received'
  | 'chosen'
  | 'sending'
  | 'sent'
  | 'retired'
  | 'removed'
  | 'batch-done';

interface ReplayDeps extends LetterReader {
  readonly queues: readonly DeadLetterQueue[];
  readonly replayQueue: Pick<BulkQueue, 'sendAll'>;
  /** Takes dead letters from the lists, before they leave the queue. */
  readonly retire: (letters: readonly DeadLetter[]) => Promise<void>;
  readonly pacer: Pacer;
  readonly now: () => Date;
  readonly signal: AbortSignal;
  readonly onReplayed: (letter: ReplayedLetter) => void;
  readonly onStep?: (step: ReplayStep) => void;
}

export interface ReplayChoice extends ReplayWishes {
  /** The ids of the dead letters to send. Those that come back while it runs have other ids: it ends. */
  readonly letterIds: ReadonlySet<string>;
}

interface Chosen {
  readonly event: QueuedEvent;
  /** Sent twice under one name within five minutes, it arrives once. */
  readonly name: string;
  readonly letter: DeadLetter;
}

/**
 * Sends dead letters back to the queues they came from.
 *
 *   received ─▶ chosen ─▶ sent ─▶ retired ─▶ removed
 *                 │         │         └ killed here: the dead letter is in its queue, and in the list again after a scan
 *                 │         └ killed here: the dead letter is in both places. Replayed again within five minutes
 *                 │           it is the same message to SQS; later the ledger knows it as unchanged.
 *                 └ killed here: SQS shows the dead letter again when its time is over.
 *
 * The counts are kept in `tally` as it goes, so that they are right whenever it ends; it rejects when
 * AWS fails, with everything that was not sent put back.
 * See docs/decisions/0035-the-dead-letter-stays-in-its-queue-and-its-summary-is-a-cache.md.
 */
export async function replayLetters(
  choice: ReplayChoice,
  deps: ReplayDeps,
  tally: ReplayTally,
): Promise<void> {
  const { onStep = () => {} } = deps;
  const found = new Set<string>();
  const allFound = new AbortController();
  const signal = AbortSignal.any([deps.signal, allFound.signal]);

  function choose(letters: readonly DeadLetter[]): readonly Chosen[] {
    const chosen: Chosen[] = [];
    for (const letter of letters.map(readLetter)) {
      if (!choice.letterIds.has(letter.letterId)) continue;
      // A message that was parked twice is two dead letters with one id.
      found.add(letter.letterId);
      const prepared = prepareReplay(letter, choice, deps, deps.now());
      if (prepared.kind === 'obstacle') {
        const { obstacle } = prepared;
        tally.obstacles.set(obstacle, (tally.obstacles.get(obstacle) ?? 0) + 1);
      } else chosen.push({ letter, event: prepared.event, name: prepared.name });
    }
    // The dead letters of one entity go in the order they were parked in.
    return chosen.toSorted((a, b) =>
      BigInt(a.letter.sequenceNumber) < BigInt(b.letter.sequenceNumber) ? -1 : 1,
    );
  }

  /** Returns the ids of the dead letters that were sent and removed. */
  async function replay(
    some: readonly Chosen[],
    queue: DeadLetterQueue,
  ): Promise<readonly string[]> {
    onStep('sending');
    const names = new Map(some.map(({ event, name }) => [event, name]));
    const refused = await deps.replayQueue.sendAll(
      some.map(({ event }) => event),
      (event) => names.get(event) ?? deduplicationIdOf(event),
    );
    onStep('sent');
    const left = new Set(refused.map(({ event }) => event));
    const sent = some.filter(({ event }) => !left.has(event));
    await deps.retire(sent.map(({ letter }) => letter));
    onStep('retired');
    await queue.remove(sent.map(({ letter }) => letter.receiptHandle));
    onStep('removed');
    for (const { event } of sent) {
      tally.replayed += 1;
      deps.onReplayed(followed(event));
    }
    if (sent.length === some.length) return sent.map(({ letter }) => letter.messageId);
    throw new Error(`SQS did not take ${some.length - sent.length} messages. Run it again`);
  }

  async function visit(letters: readonly DeadLetter[], queue: DeadLetterQueue) {
    onStep('received');
    const waiting = [...choose(letters)];
    const gone = new Set<string>();
    onStep('chosen');
    while (waiting.length > 0) {
      const turn = await deps.pacer.pass(waiting.length, deps.signal);
      if (turn === 0) break;
      for (const id of await replay(waiting.splice(0, turn), queue)) gone.add(id);
    }
    tally.notReached += waiting.length;
    tally.found = found.size;
    if (found.size >= choice.letterIds.size) allFound.abort();
    onStep('batch-done');
    return letters.filter(({ messageId }) => !gone.has(messageId));
  }

  const scans = deps.queues.map((queue) =>
    scanLetters({ queue, signal }, (letters) => visit(letters, queue)),
  );
  const ends = await Promise.allSettled(scans);
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
}

function followed(event: QueuedEvent): ReplayedLetter {
  const { shop, kind, id } = event;
  const at = event.replays?.at(-1)?.at ?? event.receivedAt;
  const isEntity = kind === 'order' || kind === 'product' || kind === 'coupon';
  const key = isEntity ? { shop, kind, id } : undefined;
  return { family: queueFamilyOf(kind), key, shop, kind, id, at };
}

interface ReplayWishes {
  /** Without its body, so that the worker asks the store what the entity is now. */
  readonly refetch: boolean;
  /** Who replays: goes into the message. */
  readonly by: string;
}

/** Why a dead letter that was chosen stays where it is. */
export type Obstacle =
  | 'undecodable'
  | 'newer-release'
  | 'shop-not-configured'
  | 'still-unreadable'
  | 'unreadable-for-ever'
  | 'not-in-the-store';

export const OBSTACLES: Readonly<Record<Obstacle, string>> = {
  undecodable: 'this release cannot read the message: drop it once it is understood',
  'newer-release':
    'a newer release wrote it: update this command (npm install --save-exact loyalty-connector@latest), deploy that release, then replay',
  'still-unreadable':
    'this release cannot use the body either, so it would only come back; --refetch asks the store instead',
  'unreadable-for-ever':
    'this release cannot use the body either, and the store cannot be asked: drop it once it is understood',
  'shop-not-configured':
    'its shop is not in connector.config.ts: name the shop there and deploy, or drop it',
  'not-in-the-store': 'the store cannot be asked for it, so --refetch has nothing to fetch',
};

type PreparedReplay =
  | {
      readonly kind: 'event';
      readonly event: QueuedEvent;
      /** The same when the same dead letter is replayed in the same way. */
      readonly name: string;
    }
  | { readonly kind: 'obstacle'; readonly obstacle: Obstacle };

export interface LetterReader {
  readonly read: ReadEvent;
  readonly knowsShop: (shop: string) => boolean;
}

/** Reads dead letters as the workers of these shops do. */
export function letterReaderOf(shops: readonly { readonly domain: string }[]): LetterReader {
  const domains = new Set(shops.map(({ domain }) => domain));
  return { read: createEventReader(domains), knowsShop: (shop) => domains.has(shop) };
}

/**
 * Why a replay would leave a dead letter, as far as its summary tells; undefined if it would be sent. Whether this
 * release can read what the one that parked it could not, only the message tells.
 */
export function foreseeReplay(
  { event, reason }: SummarizedDeadLetter,
  { refetch }: Pick<ReplayWishes, 'refetch'>,
  shops: readonly { readonly domain: string }[],
): Obstacle | undefined {
  if (!event) return reason === 'newer-release' ? reason : 'undecodable';
  if (!shops.some(({ domain }) => domain === event.shop)) return 'shop-not-configured';
  return refetch && !event.isInTheStore ? 'not-in-the-store' : undefined;
}

/** The message to send again; an obstacle where it would only become a dead letter again. */
export function prepareReplay(
  { event, messageId, isNewer }: ReadLetter,
  { refetch, by }: ReplayWishes,
  reader: LetterReader,
  now: Date,
): PreparedReplay {
  if (!event) {
    return { kind: 'obstacle', obstacle: isNewer ? 'newer-release' : 'undecodable' };
  }
  const replays = [...(event.replays ?? []), { at: now.toISOString(), by }];
  const name = ['replay', messageId, ...(refetch ? ['refetch'] : [])].join('/');
  const body = isStoreEvent(event) ? event.body : undefined;
  const isInTheStore = canBeReadFromStore(event, body ? hashBody(body) : '');
  if (refetch && !isInTheStore) return { kind: 'obstacle', obstacle: 'not-in-the-store' };
  if (!isStoreEvent(event)) {
    return reader.knowsShop(event.shop)
      ? { kind: 'event', event: { ...event, replays }, name }
      : { kind: 'obstacle', obstacle: 'shop-not-configured' };
  }
  // `resend --force` asked for that once.
  const { force: _, ...rest } = event;
  const again: StoreEvent = { ...rest, ...(refetch && { body: undefined }), replays };
  const reading = reader.read(again);
  if (reading.kind === 'unreadable') {
    const unreadable = isInTheStore ? 'still-unreadable' : 'unreadable-for-ever';
    return { kind: 'obstacle', obstacle: reading.fault ?? unreadable };
  }
  return { kind: 'event', event: again, name };
}

/** What became of the dead letters so far. */
export interface ReplayTally {
  /** Of those to send, received. */
  found: number;
  replayed: number;
  /** Chosen, but interrupted before their turn. */
  notReached: number;
  readonly obstacles: Map<Obstacle, number>;
}

/** A dead letter that was sent again, as `followReplayed` needs it. */
export interface ReplayedLetter {
  readonly family: QueueFamily;
  /** Undefined for what the ledger has no entry for: a discount, a person, the shop. */
  readonly key: EntityKey | undefined;
  readonly shop: string;
  readonly kind: EventKind;
  readonly id: string;
  /** ISO 8601, as it stands in the message's own list of replays. */
  readonly at: string;
}

export function newTally(): ReplayTally {
  return { found: 0, replayed: 0, notReached: 0, obstacles: new Map() };
}

export function countObstacles({ obstacles }: ReplayTally): number {
  return [...obstacles.values()].reduce((sum, count) => sum + count, 0);
}

/** Lets so many pass in a second at most. */
export interface Pacer {
  /**
   * How many of those that wait may pass now, at least one; waits until one may. 0 when the signal fired
   * first.
   */
  pass(waiting: number, signal: AbortSignal): Promise<number>;
}

interface Clock {
  /** Milliseconds, never going back. */
  readonly monotonicMs: () => number;
  readonly pause: (milliseconds: number, signal: AbortSignal) => Promise<void>;
}

/** What passes together when there is much time: a batch of a tenth of a second. */
const BURSTS_PER_SECOND = 10;

/** Without `perSecond`, as fast as it goes. */
export function createPacer(perSecond: number | undefined, clock: Clock): Pacer {
  let freeAtMs = Number.NEGATIVE_INFINITY;
  return {
    async pass(waiting, signal) {
      if (perSecond === undefined) return signal.aborted ? 0 : waiting;
      const now = clock.monotonicMs();
      const turnMs = Math.max(freeAtMs, now);
      const burst = Math.max(Math.floor(perSecond / BURSTS_PER_SECOND), 1);
      const some = Math.min(waiting, burst);
      freeAtMs = turnMs + (some * 1000) / perSecond;
      if (turnMs > now) await clock.pause(turnMs - now, signal);
      return signal.aborted ? 0 : some;
    },
  };
}
