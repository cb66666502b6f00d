import {
  deadLetterIdOf,
  type EntityKey,
  type EventHead,
  groupIdOf,
  hashBody,
  inBatches,
  isStoreEvent,
  type QueuedEvent,
  type QueueFamily,
  type StoreEvent,
} from '../events/event.ts';
import { canBeReadFromStore } from '../events/message-body.ts';
import type { DeadLetterReason, Outcome, ParkingReason } from '../events/outcome.ts';
import {
  changeEntry,
  expiresAfter,
  type Ledger,
  type LedgerEntry,
  type LedgerKey,
  type LetterWrite,
  type RecordKey,
  readEntry,
  rememberedForm,
  type WriteOf,
  withOutcome,
} from '../ledger/ledger.ts';
import type { Item } from './waiting.ts';

/** How long a dead letter waits: the longest that SQS keeps a message. */
export const DEAD_LETTER_DAYS = 14;

/** Where the rejected messages of one queue wait for a person. `source` is the message exactly as it was received. */
export interface DeadLetters {
  readonly family: QueueFamily;
  park(
    source: { readonly messageId: string; readonly body: string },
    reason: ParkingReason,
  ): Promise<void>;
}

/** What a dead letter says of itself, also where its message cannot be read. */
export interface DeadLetterFacts {
  /** See `deadLetterIdOf`; of a dead letter that SQS moved, the id of its message. */
  readonly letterId: string;
  readonly family: QueueFamily;
  readonly reason: DeadLetterReason;
  readonly why: string;
  readonly code?: string | undefined;
  /** How often the worker tried; undefined where it was not recorded. */
  readonly attempts: number | undefined;
  /** Epoch milliseconds: when it was given up. */
  readonly at: number;
}

/** What is known of a dead letter without its message. */
export interface ListedDeadLetter extends DeadLetterFacts {
  /** Absent when its envelope cannot be read. */
  readonly event?: ListedEvent | undefined;
}

interface ListedEvent
  extends Pick<EventHead, 'shop' | 'kind' | 'id' | 'topic' | 'receivedAt' | 'replays'>,
    Pick<StoreEvent, 'triggeredAt'> {}

/** A message in a dead-letter queue, held by the caller that received it. */
export interface DeadLetter extends DeadLetterFacts {
  readonly messageId: string;
  readonly receiptHandle: string;
  readonly body: string;
  /** Orders the dead letters of one queue: a later one has a larger number. */
  readonly sequenceNumber: string;
}

export interface DeadLetterQueue {
  readonly family: QueueFamily;
  /**
   * Up to ten dead letters that no other caller holds; they stay hidden from all others for this long, or
   * until they are given back. Empty only when the queue has none to give.
   */
  receive(hiddenSeconds: number): Promise<readonly DeadLetter[]>;
  /** Puts the dead letters back exactly as they were. One whose hiding time is over is back already. */
  giveBack(receiptHandles: readonly string[]): Promise<void>;
  /** Rejects when any could not be removed: that one returns when its hiding time is over. */
  remove(receiptHandles: readonly string[]): Promise<void>;
  /** Approximate, as SQS counts: at times a minute late. */
  counts(): Promise<{
    readonly visible: number;
    /** Received by a caller and not given back yet. */
    readonly inFlight: number;
  }>;
}

/**
 * What lists and traces show of a dead letter. SQS shows it only to a caller that receives it and so hides
 * it from all others. Without personal data. A cache: a scan of the queues writes all of it anew.
 *
 *   park:          the queue holds the dead letter ──▶ summary written
 *   replay, drop:  summary taken from the list ──▶ dead letter removed from the queue
 *   scan:          dead letters received ──▶ missing summaries written, those without a dead letter taken from the list
 *
 * See docs/decisions/0008-waits-and-dead-letters-are-listed-from-the-ledger.md.
 */
export interface SummarizedDeadLetter extends ListedDeadLetter {
  readonly event?: SummaryOfEvent | undefined;
  /** It left the queue. Kept until it expires: its worker may be about to write the summary. */
  readonly gone?: { readonly at: string; readonly how: WayOut };
}

type Summary = Omit<SummarizedDeadLetter, 'letterId'>;

interface SummaryOfEvent extends ListedEvent {
  /** The store can be asked for what the body says. */
  readonly isInTheStore: boolean;
}

/** `removed`: without this connector, as a scan of the queue found. */
export type WayOut = 'replayed' | 'dropped' | 'removed';

/** As in the attributes of the dead letter. */
const MOST_CHARACTERS = 1_000;
const REPLAYS_KEPT = 5;

/** Parked again, because its deletion failed, it is the same dead letter and keeps its summary. */
export async function writeSummary(
  source: { readonly messageId: string; readonly body: string },
  event: QueuedEvent | undefined,
  reason: ParkingReason & { readonly family: QueueFamily },
  ledger: Pick<Ledger, 'write'>,
): Promise<void> {
  const why = reason.why.slice(0, MOST_CHARACTERS);
  const at = Date.parse(reason.at);
  const summary = { ...reason, why, at, event: event && summaryOf(event) };
  await ledger.write(deadLetterKey(deadLetterIdOf(source)), entryOf(summary), undefined);
}

export function summarize(
  letter: DeadLetterFacts,
  event: QueuedEvent | undefined,
): SummarizedDeadLetter {
  const { letterId } = letter;
  return { letterId, ...factsOf(letter), event: event && summaryOf(event) };
}

/**
 * Lists dead letters whose summary was never written, or says that they left. Only for the caller who holds them: what
 * another person replays must not be listed again.
 */
export async function restoreSummaries(
  letters: readonly SummarizedDeadLetter[],
  { ledger, now }: { readonly ledger: Pick<Ledger, 'readMany' | 'write'>; readonly now: Date },
): Promise<void> {
  const changes = letters.map((letter) => ({
    key: deadLetterKey(letter.letterId),
    change(entry: LedgerEntry | undefined) {
      const summary = form.read(entry?.remembered);
      if (entry && !summary?.gone) return undefined;
      const written = { ...factsOf(letter), event: letter.event };
      // SQS counts the days of what it moved from then on, and does not say when that was.
      return { ...entryOf(written), ...expiresAfter(DEAD_LETTER_DAYS, now) };
    },
  }));
  await changeAll(changes, ledger);
}

function summaryOf(event: QueuedEvent): SummaryOfEvent {
  const { shop, kind, id, topic, receivedAt, replays } = event;
  const { triggeredAt, body } = isStoreEvent(event) ? event : {};
  return {
    ...{ shop, kind, id, topic, receivedAt, ...(triggeredAt && { triggeredAt }) },
    ...(replays && { replays: replays.slice(-REPLAYS_KEPT) }),
    isInTheStore: canBeReadFromStore(event, body ? hashBody(body) : ''),
  };
}

/**
 * Takes dead letters from the list, before they leave the queue. One without a summary is marked as gone all the same:
 * its worker may be about to write one.
 */
export async function retireSummaries(
  letters: readonly DeadLetterFacts[],
  how: WayOut,
  { ledger, now }: { readonly ledger: Pick<Ledger, 'readMany' | 'write'>; readonly now: Date },
): Promise<void> {
  const gone = { at: now.toISOString(), how };
  const changes = letters.map((letter) => ({
    key: deadLetterKey(letter.letterId),
    change(entry: LedgerEntry | undefined) {
      const summary = form.read(entry?.remembered) ?? factsOf(letter);
      return summary.gone ? undefined : entryOf({ ...summary, gone });
    },
  }));
  await changeAll(changes, ledger);
}

function factsOf({ family, reason, why, code, attempts, at }: DeadLetterFacts): Summary {
  return { family, reason, why, code, attempts, at };
}

/** Undefined when a newer release wrote it. */
export function readSummary(
  letterId: string,
  remembered: string | undefined,
): SummarizedDeadLetter | undefined {
  const summary = form.read(remembered);
  return summary && { letterId, ...summary };
}

const form = rememberedForm<Summary>('dead-letter', 1);

function entryOf(summary: Summary): LetterWrite {
  const { event, gone, at } = summary;
  return {
    ...form.entry(summary, 0, expiresAfter(DEAD_LETTER_DAYS, new Date(at))),
    ...(!gone && {
      listed: { at: new Date(at).toISOString(), ...(event && { about: event }) },
    }),
  };
}

/** All dead letters have one place in the ledger: one whose envelope cannot be read belongs to no shop. */
export function deadLetterKey(letterId: string): RecordKey<'dead-letter'> {
  return { shop: 'all', kind: 'dead-letter', id: letterId };
}

/** The outcome of an entity whose dead letter a person dropped: it is not healed before it changes. */
export const DROPPED = 'dropped';

/** Adds a line after the rejection that the dead letter was about. Without one there is nothing to keep from healing. */
export async function noteDropped(
  key: EntityKey,
  topic: string,
  {
    ledger,
    now,
    by,
  }: {
    readonly ledger: Pick<Ledger, 'readMany' | 'write'>;
    readonly now: Date;
    readonly by: string;
  },
): Promise<void> {
  const change = (entry: LedgerEntry | undefined) => {
    const rejected = entry?.outcomes.findLast(({ outcome }) => outcome === 'rejected');
    if (!entry || !rejected) return undefined;
    const { version } = rejected;
    if (entry.outcomes.findLast((line) => line.version === version) !== rejected) return undefined;
    const line = { at: now.toISOString(), outcome: DROPPED, version, topic, why: `by ${by}` };
    const { revision: _, ...kept } = entry;
    return { ...kept, outcomes: withOutcome(entry, line) };
  };
  await changeAll([{ key, change }], ledger);
}

/** Undefined leaves an entry as it is. */
async function changeAll<Key extends LedgerKey>(
  changes: readonly {
    readonly key: Key;
    change(entry: LedgerEntry | undefined): WriteOf<Key> | undefined;
  }[],
  ledger: Pick<Ledger, 'readMany' | 'write'>,
): Promise<void> {
  await inBatches(changes, async ({ key, change }) => {
    const decide = (entry: LedgerEntry | undefined) => ({ next: change(entry), value: true });
    if (await changeEntry(ledger, key, decide)) return;
    throw new Error(`too many concurrent writes to ${key.kind} ${key.id}`);
  });
}

/** Of bytes that cannot be read: whether they are, or were, a dead letter. */
const parkedKey = (shop: string, body: Uint8Array): RecordKey<'parked'> => ({
  ...{ shop, kind: 'parked', id: hashBody(body) },
});

/** The message whose dead letter it is. */
const claimForm = rememberedForm<string>('parked', 1);

/**
 * Only the body of a webhook is signed. An attacker who captured one can send it again, under any topic and
 * delivery id: bytes that cannot be read become one dead letter, as long as that dead letter can be there. Bytes that were
 * read have a dead letter of their own, or a copy under a wrong topic would hide that the service refused them.
 *
 * The first message claims the bytes before it is parked. If its worker dies in between, the next one
 * finds the claim of its own message and parks it.
 */
export async function parkOnce(
  { event, message: { messageId, groupId } }: Pick<Item, 'event' | 'message'>,
  rejected: Extract<Outcome, { kind: 'rejected' }>,
  { ledger, now }: { readonly ledger: Ledger; readonly now: () => Date },
): Promise<Outcome> {
  if (!event || !isStoreEvent(event) || event.origin !== 'webhook' || !event.body) return rejected;
  // A dead letter that a person sends again, by our command or by SQS's redrive, which changes its group.
  if (event.replays || groupId !== groupIdOf(event)) return rejected;
  const { shop, kind } = event;
  const bytes = parkedKey(shop, event.body);
  const key = rejected.reason === 'unreadable' ? bytes : { ...bytes, id: `${bytes.id}/${kind}` };
  const claimed = await readEntry(ledger, key);
  if (claimed) return claimForm.read(claimed.remembered) === messageId ? rejected : REPEATED;
  const at = now();
  const claim = claimForm.entry(messageId, at.getTime(), expiresAfter(DEAD_LETTER_DAYS, at));
  const written = await ledger.write(key, claim, undefined);
  return written.kind === 'written' ? rejected : REPEATED;
}

const REPEATED: Outcome = { kind: 'skipped', why: 'parked-before' };
