import {
  type EntityKey,
  type EventHead,
  hashBody,
  isStoreEvent,
  letterIdOf,
  type QueuedEvent,
  type QueueFamily,
  type StoreEvent,
} from '../events/event.ts';
import { canBeReadFromStore } from '../events/message-body.ts';
import type { DeadLetterReason, LetterReason } from '../events/outcome.ts';
import {
  expiresAfter,
  type Ledger,
  type LetterWrite,
  ledgerKeyText,
  type RecordKey,
  readEntry,
  rememberedForm,
  replaceEntry,
  withOutcome,
} from '../ledger/ledger.ts';

/**
 * What lists and traces show of a dead letter. SQS shows a letter only to a caller that receives it and so hides
 * it from all others. Without personal data.
 *
 *   park:          the queue holds the letter ──▶ summary written
 *   replay, drop:  summary taken from the lists ──▶ letter removed from the queue
 *
 * So a crash can leave a letter without a summary, never a summary without a letter.
 * See docs/decisions/0071-letters-have-summaries.md.
 */
interface LetterSummary extends Omit<LetterFacts, 'letterId' | 'at' | 'code'> {
  readonly code?: string | undefined;
  /** ISO 8601. */
  readonly at: string;
  /** Absent: the envelope could not be read. */
  readonly event?: SummaryOfEvent;
  /** It left the queue. */
  readonly gone?: { readonly at: string; readonly how: WayOut };
}

interface SummaryOfEvent extends ListedEvent {
  /** The store can be asked for what the body says. */
  readonly isInTheStore: boolean;
}

export type WayOut = 'replayed' | 'dropped';

/** A letter as its summary describes it. */
export interface SummarizedLetter extends ListedLetter {
  readonly event: SummaryOfEvent | undefined;
  readonly gone: LetterSummary['gone'];
}

/** As in the attributes of the letter. */
const MOST_CHARACTERS = 1_000;
const REPLAYS_KEPT = 5;

const form = rememberedForm<LetterSummary>('letter', 1);

/** All letters have one place in the ledger: a letter whose envelope cannot be read belongs to no shop. */
export function letterKey(letterId: string): RecordKey<'letter'> {
  return { shop: 'letters', kind: 'letter', id: letterId };
}

/** Parked again, because its deletion failed, it is the same letter and keeps its summary. */
export async function writeSummary(
  source: { readonly messageId: string; readonly body: string },
  event: QueuedEvent | undefined,
  reason: DeadLetterReason & { readonly family: QueueFamily },
  ledger: Pick<Ledger, 'write'>,
): Promise<void> {
  const summary = {
    ...reason,
    why: reason.why.slice(0, MOST_CHARACTERS),
    ...(event && { event: summaryOf(event) }),
  };
  await ledger.write(letterKey(letterIdOf(source)), entryOf(summary), undefined);
}

const MOST_TRIES = 5;

/**
 * Takes letters from the lists, before they leave the queue. A letter without a summary is marked as gone all the same:
 * its worker may be about to write one. One that SQS moved never has a summary.
 */
export async function retireSummaries(
  letters: readonly LetterFacts[],
  how: WayOut,
  { ledger, now }: { readonly ledger: Pick<Ledger, 'readMany' | 'write'>; readonly now: Date },
): Promise<void> {
  const gone = { at: now.toISOString(), how };
  let left = letters.filter(({ reason }) => reason !== 'crashed');
  for (let tries = 0; left.length > 0; tries += 1) {
    if (tries === MOST_TRIES) throw new Error('the summaries of letters change all the time');
    const entries = await ledger.readMany(left.map(({ letterId }) => letterKey(letterId)));
    const written = await Promise.all(
      left.map(async (letter) => {
        const key = letterKey(letter.letterId);
        const entry = entries.get(ledgerKeyText(key));
        const summary = form.read(entry?.remembered) ?? factsOf(letter);
        if (summary.gone) return true;
        const next = entryOf({ ...summary, gone });
        return (await ledger.write(key, next, entry?.revision)).kind === 'written';
      }),
    );
    left = left.filter((_, index) => !written[index]);
  }
}

/** Undefined: a newer release wrote it. */
export function letterIn(
  letterId: string,
  remembered: string | undefined,
): SummarizedLetter | undefined {
  const summary = form.read(remembered);
  if (!summary) return undefined;
  const { family, reason, why, code, attempts, at, event, gone } = summary;
  return { letterId, family, reason, why, code, attempts, at: Date.parse(at), event, gone };
}

function entryOf(summary: LetterSummary): LetterWrite {
  const { event, gone, at } = summary;
  return {
    ...{ version: 0, uncertain: false, remembered: form.write(summary), outcomes: [] },
    ...expiresAfter(DEAD_LETTER_DAYS, new Date(at)),
    listed: gone
      ? { list: 'gone', at: gone.at }
      : { list: 'open', at, ...(event && { about: event }) },
  };
}

function factsOf({ family, reason, why, code, attempts, at }: LetterFacts): LetterSummary {
  return { family, reason, why, code, attempts, at: new Date(at).toISOString() };
}

function summaryOf(event: QueuedEvent): SummaryOfEvent {
  const { shop, kind, id, topic, receivedAt, replays } = event;
  const triggeredAt = isStoreEvent(event) ? event.triggeredAt : undefined;
  const body = isStoreEvent(event) ? event.body : undefined;
  return {
    ...{ shop, kind, id, topic, receivedAt, ...(triggeredAt && { triggeredAt }) },
    ...(replays && { replays: replays.slice(-REPLAYS_KEPT) }),
    isInTheStore: canBeReadFromStore(event, body ? hashBody(body) : ''),
  };
}

/** How long a dead letter waits: the longest that SQS keeps a message. */
export const DEAD_LETTER_DAYS = 14;

/** Where the rejected messages of one queue wait for a person. `source` is the message exactly as it was received. */
export interface DeadLetters {
  readonly family: QueueFamily;
  park(
    source: { readonly messageId: string; readonly body: string },
    reason: DeadLetterReason,
  ): Promise<void>;
}

/** What a letter says of itself, also where its message cannot be read. */
export interface LetterFacts {
  /** See `letterIdOf`; of a letter that SQS moved, the id of its message. */
  readonly letterId: string;
  readonly family: QueueFamily;
  readonly reason: LetterReason;
  readonly why: string;
  readonly code: string | undefined;
  /** How often the worker tried; undefined where it was not recorded. */
  readonly attempts: number | undefined;
  /** Epoch milliseconds: when it was given up. */
  readonly at: number;
}

/** What is known of a letter without its message. */
export interface ListedLetter extends LetterFacts {
  /** Undefined: its envelope cannot be read. */
  readonly event: ListedEvent | undefined;
}

/** What a list shows of an event. */
export interface ListedEvent
  extends Pick<EventHead, 'shop' | 'kind' | 'id' | 'topic' | 'receivedAt' | 'replays'>,
    Pick<StoreEvent, 'triggeredAt'> {}

/** A message in a dead-letter queue, held by the caller that received it. */
export interface DeadLetter extends LetterFacts {
  readonly messageId: string;
  readonly receiptHandle: string;
  readonly body: string;
  /** Orders the letters of one queue: a later one has a larger number. */
  readonly sequenceNumber: string;
}

interface LetterCounts {
  readonly visible: number;
  /** Received by a caller and not given back yet. */
  readonly inFlight: number;
  /** How long the queue keeps a letter. */
  readonly retentionSeconds: number;
}

/** One dead-letter queue, for a person to go through. */
export interface LetterQueue {
  readonly family: QueueFamily;
  /**
   * Up to ten letters that no other caller holds; they stay hidden from all others for this long, or
   * until they are given back. Empty only when the queue has none to give.
   */
  receive(hiddenSeconds: number): Promise<readonly DeadLetter[]>;
  /** Puts the letters back exactly as they were. One whose hiding time is over is back already. */
  giveBack(receiptHandles: readonly string[]): Promise<void>;
  /** Rejects when any could not be removed: that one returns when its hiding time is over. */
  remove(receiptHandles: readonly string[]): Promise<void>;
  /** Approximate, as SQS counts: at times a minute late. */
  counts(): Promise<LetterCounts>;
}

/** The outcome of an entity whose dead letter a person dropped: it is not healed before it changes. */
export const DROPPED = 'dropped';

const MOST_WRITES = 5;

/** Adds a line after the rejection that the letter was about. Without one there is nothing to keep from healing. */
export async function noteDropped(
  key: EntityKey,
  topic: string,
  { ledger, now }: { readonly ledger: Pick<Ledger, 'readMany' | 'write'>; readonly now: Date },
): Promise<void> {
  for (let tries = 0; tries < MOST_WRITES; tries += 1) {
    const entry = await readEntry(ledger, key);
    const rejected = entry?.outcomes.findLast(({ outcome }) => outcome === 'rejected');
    if (!entry || !rejected) return;
    const { version } = rejected;
    if (entry.outcomes.findLast((line) => line.version === version) !== rejected) return;
    const line = { at: now.toISOString(), outcome: DROPPED, version, topic };
    const { revision: _, ...kept } = entry;
    const next = { ...kept, outcomes: withOutcome(entry, line) };
    if (await replaceEntry(ledger, key, next, entry)) return;
  }
  throw new Error(`the ledger entry of ${key.kind} ${key.id} changes all the time`);
}
