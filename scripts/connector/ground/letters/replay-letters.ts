import type {
  DeadLetter,
  DeadLetterQueue,
  ListedDeadLetter,
} from '../../../../shared/core/batch/dead-letter.ts';
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
} from '../../../../shared/core/events/event.ts';
import { canBeReadFromStore } from '../../../../shared/core/events/message-body.ts';
import {
  readCustomer,
  redactedMeanwhile,
  redactionAfter,
} from '../../../../shared/core/ledger/entry.ts';
import type { Ledger, LedgerEntry } from '../../../../shared/core/ledger/ledger.ts';
import { customersIn } from '../../../../shared/core/mapping/customer-form.ts';
import type { ReadEvent } from '../../../../shared/core/store/store.ts';
import { createPlatformReader } from '../../../../shared/services/platforms.ts';
import { type ReadLetter, takeLetters } from './read-letters.ts';

interface ReplayDeps extends LetterReader {
  readonly queues: readonly DeadLetterQueue[];
  readonly replayQueue: Pick<BulkQueue, 'sendAll'>;
  /** Takes dead letters from the lists, before they leave the queue. */
  readonly retire: (letters: readonly DeadLetter[]) => Promise<void>;
  readonly now: () => Date;
  readonly signal: AbortSignal;
  readonly onReplayed: (letter: ReplayedLetter) => void;
}

export interface ReplayChoice {
  /** The ids of the dead letters to send. Those that come back while it runs have other ids: it ends. */
  readonly letterIds: ReadonlySet<string>;
  /** Who replays: goes into the message. */
  readonly by: string;
}

/**
 * Sends dead letters back to the queues they came from.
 *
 *   received ──────────▶ sent ─▶ retired ─▶ removed
 *                 │         │         └ killed here: the dead letter is in its queue, and in the list again after a scan
 *                 │         └ killed here: the dead letter is in both places. Replayed again within five minutes
 *                 │           it is the same message to SQS; later the ledger knows it as unchanged.
 *                 └ killed here: SQS shows the dead letter again when its time is over.
 *
 * The counts are kept in `tally` as it goes, so that they are right whenever it ends; it rejects when
 * AWS fails, with everything that was not sent put back.
 * See docs/decisions/0008-waits-and-dead-letters-are-listed-from-the-ledger.md.
 */
export async function replayLetters(
  choice: ReplayChoice,
  deps: ReplayDeps,
  tally: ReplayTally,
): Promise<void> {
  const { queues, signal } = deps;
  const { letterIds } = choice;

  function prepare(letter: ReadLetter): readonly Prepared[] {
    const prepared = prepareReplay(letter, choice.by, deps, deps.now());
    if (prepared.kind === 'event') return [{ ...prepared, letter }];
    const { obstacle } = prepared;
    tally.obstacles.set(obstacle, (tally.obstacles.get(obstacle) ?? 0) + 1);
    return [];
  }

  async function take(letters: readonly ReadLetter[], queue: DeadLetterQueue) {
    // The dead letters of one entity go in the order they were parked in.
    const chosen = letters
      .flatMap(prepare)
      .toSorted((a, b) =>
        BigInt(a.letter.sequenceNumber) < BigInt(b.letter.sequenceNumber) ? -1 : 1,
      );
    if (chosen.length === 0) return [];
    const names = new Map(chosen.map(({ event, name }) => [event, name]));
    const refused = await deps.replayQueue.sendAll(
      chosen.map(({ event }) => event),
      (event) => names.get(event) ?? deduplicationIdOf(event),
    );
    const left = new Set(refused.map(({ event }) => event));
    const sent = chosen.filter(({ event }) => !left.has(event));
    await deps.retire(sent.map(({ letter }) => letter));
    await queue.remove(sent.map(({ letter }) => letter.receiptHandle));
    for (const { event } of sent) {
      tally.replayed += 1;
      deps.onReplayed(replayedOf(event));
    }
    if (left.size > 0) throw new Error(`SQS did not take ${left.size} messages. Run it again`);
    return sent.map(({ letter }) => letter);
  }

  tally.found = await takeLetters({ queues, letterIds, signal, take });
}

function replayedOf(event: QueuedEvent): ReplayedLetter {
  const { shop, kind, id } = event;
  const at = event.replays?.at(-1)?.at ?? event.receivedAt;
  const isEntity = kind === 'order' || kind === 'product' || kind === 'coupon';
  const key = isEntity ? { shop, kind, id } : undefined;
  return { family: queueFamilyOf(kind), key, shop, kind, id, at };
}

/** Why a dead letter that was chosen stays where it is. */
export type Obstacle = 'undecodable' | 'newer-release' | 'shop-not-configured' | 'unreadable';

/** Completes "it cannot be sent again: …". */
export const OBSTACLES: Readonly<Record<Obstacle, string>> = {
  undecodable: 'this release cannot read the message. Drop it once it is understood',
  'newer-release':
    'a newer release wrote it. Update this command (npm install --save-exact loyalty-connector@latest), deploy that release, then send it',
  unreadable:
    'this release cannot read its body either, and the store cannot be asked for it. Drop it once it is understood',
  'shop-not-configured':
    'its shop is not in connector.config.ts. Name the shop there and deploy (on this machine: restart "npm start"), or drop it',
};

interface ToSend {
  readonly event: QueuedEvent;
  /** The same whenever the same dead letter is replayed: sent twice within five minutes, it arrives once. */
  readonly name: string;
}

interface Prepared extends ToSend {
  readonly letter: DeadLetter;
}

type PreparedReplay =
  | ({ readonly kind: 'event' } & ToSend)
  | { readonly kind: 'obstacle'; readonly obstacle: Obstacle };

export interface LetterReader {
  readonly read: ReadEvent;
  readonly knowsShop: (shop: string) => boolean;
}

/** Reads dead letters as the workers of these shops do. */
export function letterReaderOf(shops: Parameters<typeof createPlatformReader>[0]): LetterReader {
  const domains = new Set(shops.map(({ domain }) => domain));
  return { read: createPlatformReader(shops), knowsShop: (shop) => domains.has(shop) };
}

/** When a person in a dead letter was redacted: as its entry says, or that of a customer whom its body names. */
export async function readErasure(
  { event }: Pick<ReadLetter, 'event'>,
  entry: Pick<LedgerEntry, 'redactedAt'> | undefined,
  { read, knowsShop, ledger }: LetterReader & { readonly ledger: Pick<Ledger, 'readMany'> },
): Promise<number | undefined> {
  if (entry?.redactedAt !== undefined) return entry.redactedAt;
  if (!event || !isStoreEvent(event) || !knowsShop(event.shop)) return undefined;
  const reading = read(event);
  const { version = 0, entity } = reading.kind === 'snapshot' ? reading : {};
  const isRequest = reading.kind === 'task' && reading.task.kind === 'redact';
  const named = isRequest ? [{ id: reading.task.customerId }] : entity ? customersIn(entity) : [];
  for (const { id } of named) {
    const customer = { shop: event.shop, id };
    const { record, member } = await readCustomer(customer, ledger);
    const redactedAt = redactionAfter(version, [record, member]);
    const found = redactedAt ?? (await redactedMeanwhile(customer, { version }, ledger));
    if (found !== undefined) return found;
  }
  return undefined;
}

/**
 * Why a replay would leave a dead letter, as far as its summary tells; undefined if it would be sent. Whether this
 * release can read what the one that parked it could not, only the message tells.
 */
export function previewReplay(
  { event, reason }: ListedDeadLetter,
  shops: readonly { readonly domain: string }[],
): Obstacle | undefined {
  if (!event) return reason === 'newer-release' ? reason : 'undecodable';
  return shops.some(({ domain }) => domain === event.shop) ? undefined : 'shop-not-configured';
}

/** The message to send again, without a body that cannot be read; an obstacle where it would only come back. */
export function prepareReplay(
  { event, messageId, isNewer }: ReadLetter,
  by: string,
  reader: LetterReader,
  now: Date,
): PreparedReplay {
  if (!event) {
    return { kind: 'obstacle', obstacle: isNewer ? 'newer-release' : 'undecodable' };
  }
  if (!reader.knowsShop(event.shop)) return { kind: 'obstacle', obstacle: 'shop-not-configured' };
  const replays = [...(event.replays ?? []), { at: now.toISOString(), by }];
  const name = `replay/${messageId}`;
  if (!isStoreEvent(event)) {
    return { kind: 'event', event: { ...event, replays }, name };
  }
  // `resend --force` asked for that once.
  const { force: _, ...rest } = event;
  const asIs: StoreEvent = { ...rest, replays };
  const isReadable = (one: StoreEvent) => reader.read(one).kind !== 'unreadable';
  if (isReadable(asIs)) return { kind: 'event', event: asIs, name };
  const asked = { ...asIs, body: undefined };
  const isInTheStore = canBeReadFromStore(event, event.body ? hashBody(event.body) : '');
  return isInTheStore && isReadable(asked)
    ? { kind: 'event', event: asked, name }
    : { kind: 'obstacle', obstacle: 'unreadable' };
}

export interface ReplayTally {
  /** Of those to send, received. */
  found: number;
  replayed: number;
  readonly obstacles: Map<Obstacle, number>;
}

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

export const newTally = (): ReplayTally => ({ found: 0, replayed: 0, obstacles: new Map() });

export function countObstacles({ obstacles }: Pick<ReplayTally, 'obstacles'>): number {
  return [...obstacles.values()].reduce((sum, count) => sum + count, 0);
}
