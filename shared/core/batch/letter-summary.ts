import {
  DEAD_LETTER_DAYS,
  type DeadLetterReason,
  type LetterFacts,
  type ListedEvent,
  type ListedLetter,
} from '../events/dead-letter.ts';
import { canBeReadFromStore } from '../events/encode-event.ts';
import { isStoreEvent, type QueuedEvent, type QueueFamily } from '../events/event.ts';
import { hashBody, letterIdOf } from '../events/message-ids.ts';
import { expiresAfter, type Ledger, type LetterWrite } from '../ledger/ledger.ts';
import { ledgerKeyText, type RecordKey } from '../ledger/ledger-key.ts';
import { rememberedForm } from '../ledger/remembered-form.ts';

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
