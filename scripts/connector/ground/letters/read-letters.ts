import { SQS } from '@aws-sdk/client-sqs';
import type { ReadSettings } from '../../../../shared/aws/ledger-item.ts';
import { readLetters, readLettersAbout } from '../../../../shared/aws/read-ledger.ts';
import { createSqsDeadLetterQueue } from '../../../../shared/aws/sqs-queues.ts';
import {
  type DeadLetter,
  type DeadLetterQueue,
  type ListedDeadLetter,
  restoreSummaries,
  retireSummaries,
  type SummarizedDeadLetter,
  summarize,
} from '../../../../shared/core/batch/dead-letter.ts';
import { decodeEvent } from '../../../../shared/core/events/decode-event.ts';
import {
  type EntityKey,
  type EventKind,
  isEntityKind,
  type QueuedEvent,
  type QueueFamily,
  queueFamilyOf,
} from '../../../../shared/core/events/event.ts';
import type { DeadLetterReason } from '../../../../shared/core/events/outcome.ts';
import {
  type Ledger,
  type LedgerEntry,
  ledgerKeyText,
} from '../../../../shared/core/ledger/ledger.ts';
import { adviceOn } from '../../../../shared/loyalty/error-advice.ts';
import { type Deployment, openLedger, openLists, QUEUE_OUTPUTS } from '../session/deployment.ts';
import { isDenied } from '../session/explain-aws-error.ts';

/** Which dead letters are meant; what is not given matches all. */
export interface LetterFilter {
  readonly kind?: EventKind;
  readonly shop?: string;
  readonly queue?: QueueFamily;
  /** Of dead letters, or of what they are about: one of these. */
  readonly id?: readonly string[];
  readonly code?: string;
  readonly reason?: DeadLetterReason;
  /** Stands in what a list shows of the dead letter, the name of its order included; in capitals or not. */
  readonly text?: string;
  /** Whether the loyalty service got what it is about since: see `isDelivered`. */
  readonly delivered?: 'yes' | 'no';
  /** Epoch milliseconds, on the time at which the dead letter was given up. */
  readonly since?: number;
  readonly until?: number;
}

/** What a summary itself does not say. */
export interface Known {
  /** See `isDelivered`. */
  readonly delivered?: boolean;
  /** Of an order or a product, as the store has it: `#1007`. */
  readonly name?: string | undefined;
}

export function matchesFilter(letter: ListedDeadLetter & Known, filter: LetterFilter): boolean {
  const { event, at, letterId, why, code, reason, name, delivered = false } = letter;
  const same = (wanted: string | undefined, found: string | undefined) =>
    wanted === undefined || wanted === found;
  const of = [event?.shop, event?.kind, event?.id, event?.topic, name];
  const words = [why, code, reason, adviceOn(code), ...of];
  const text = filter.text?.toLowerCase();
  return (
    same(filter.kind, event?.kind) &&
    same(filter.shop, event?.shop) &&
    same(filter.code, code) &&
    same(filter.reason, reason) &&
    same(filter.queue, letter.family) &&
    same(filter.delivered, delivered ? 'yes' : 'no') &&
    (filter.id?.some((id) => [letterId, event?.id].includes(id)) ?? true) &&
    (text === undefined || words.some((one) => one?.toLowerCase().includes(text))) &&
    at >= (filter.since ?? Number.NEGATIVE_INFINITY) &&
    at <= (filter.until ?? Number.POSITIVE_INFINITY)
  );
}

/** The filter as options of a command, to be shown and repeated. */
export function optionsOf({ since, until, ...filter }: LetterFilter) {
  const moment = (epochMs: number | undefined) =>
    epochMs === undefined ? undefined : new Date(epochMs).toISOString();
  return { ...filter, since: moment(since), until: moment(until) };
}

/** A dead letter and the event in it, as far as this release can read it. */
export interface ReadLetter extends DeadLetter {
  /** Undefined when not even the envelope can be read. */
  readonly event: QueuedEvent | undefined;
  readonly undecodable: string | undefined;
  /** A newer release wrote it: the command of that release can show and replay it. */
  readonly isNewer: boolean;
}

export function readLetter(letter: DeadLetter): ReadLetter {
  const decoded = decodeEvent(letter.body);
  return decoded.kind === 'event'
    ? { ...letter, event: decoded.event, undecodable: undefined, isNewer: false }
    : { ...letter, event: undefined, undecodable: decoded.why, isNewer: decoded.kind === 'newer' };
}

export function openLetterQueues(
  deployment: Deployment,
  families: readonly QueueFamily[],
): readonly DeadLetterQueue[] {
  const client = new SQS(deployment.aws);
  return families.map((family) =>
    createSqsDeadLetterQueue(client, deployment.output(QUEUE_OUTPUTS[family].letters), family),
  );
}

/** All listed dead letters since that moment, the newest first. `onProgress` says how many were read so far. */
export async function readSummaries(
  settings: ReadSettings,
  now: Date,
  { since = 0, onProgress = (_: number): void => {} } = {},
): Promise<readonly SummarizedDeadLetter[]> {
  const letters: SummarizedDeadLetter[] = [];
  for await (const some of readLetters(settings, { since, now })) {
    letters.push(...some);
    onProgress(letters.length);
  }
  return letters.toSorted(newestFirst);
}

export function newestFirst(one: ListedDeadLetter, other: ListedDeadLetter): number {
  return other.at - one.at || (one.letterId < other.letterId ? 1 : -1);
}

interface ScanSettings {
  readonly queue: DeadLetterQueue;
  /** Ends the scan after the dead letters that were received last. */
  readonly signal: AbortSignal;
}

/**
 * Long enough for tens of thousands of dead letters. Dead letters that a killed run received are visible again within
 * the five minutes in which SQS recognises a message that is sent twice.
 */
const HIDDEN_SECONDS = 240;

/**
 * In a long replay, dead letters that stay in the queue are received again when their hiding time is over. After
 * this many receives without a new dead letter there are more of them than can be hidden, and the scan ends.
 */
const FRUITLESS_RECEIVES = 2_000;

/**
 * Receives every dead letter of a queue once. `visit` removes some and returns the others. Those stay hidden, so
 * that SQS gives the rest of the queue, and are put back unchanged at the end: when all were seen, when the
 * scan is interrupted, and when it fails. A killed process puts nothing back; SQS then does it later.
 *
 * SQS gives the dead letters of one group in order, so a dead letter that stays hides those behind it. Dead letters that a
 * worker parked have a group each; those that SQS moved itself keep the group of their entity.
 */
export async function scanLetters(
  { queue, signal }: ScanSettings,
  visit: (letters: readonly DeadLetter[]) => Promise<readonly DeadLetter[]>,
): Promise<void> {
  const held = new Map<string, string>();
  const seen = new Set<string>();
  let fruitless = 0;
  const giveBack = () => queue.giveBack([...held.values()]);
  try {
    while (!signal.aborted && fruitless < FRUITLESS_RECEIVES) {
      const letters = await queue.receive(HIDDEN_SECONDS);
      if (letters.length === 0) break;
      for (const { messageId, receiptHandle } of letters) held.set(messageId, receiptHandle);
      const fresh = letters.filter(({ messageId }) => !seen.has(messageId));
      for (const { messageId } of letters) seen.add(messageId);
      fruitless = fresh.length === 0 ? fruitless + 1 : 0;
      const kept = new Set((await visit(fresh)).map(({ messageId }) => messageId));
      for (const { messageId } of fresh) if (!kept.has(messageId)) held.delete(messageId);
    }
  } catch (error) {
    // Dead letters that cannot be given back are visible again by themselves: the first error matters more.
    await giveBack().catch(() => {});
    throw error;
  }
  await giveBack();
}

export interface TakeSettings {
  readonly queues: readonly DeadLetterQueue[];
  readonly letterIds: ReadonlySet<string>;
  readonly signal: AbortSignal;
  /** Gets the chosen ones among those that were received, and returns those that it removed from the queue. */
  readonly take: (
    letters: readonly ReadLetter[],
    queue: DeadLetterQueue,
  ) => Promise<readonly DeadLetter[]>;
}

/** Receives the chosen dead letters, one queue after the other, until all were found. Returns how many were. */
export async function takeLetters(settings: TakeSettings): Promise<number> {
  const { queues, letterIds, take } = settings;
  // A message that was parked twice is two dead letters with one id.
  const found = new Set<string>();
  const all = new AbortController();
  const signal = AbortSignal.any([settings.signal, all.signal]);
  for (const queue of queues) {
    await scanLetters({ queue, signal }, async (letters) => {
      const chosen = letters.map(readLetter).filter(({ letterId }) => letterIds.has(letterId));
      for (const { letterId } of chosen) found.add(letterId);
      const gone = new Set((await take(chosen, queue)).map(({ messageId }) => messageId));
      if (found.size >= letterIds.size) all.abort();
      return letters.filter(({ messageId }) => !gone.has(messageId));
    });
  }
  return found.size;
}

export interface SurveySettings {
  readonly queues: readonly DeadLetterQueue[];
  readonly signal: AbortSignal;
  /** How many of how many were seen, from time to time. */
  readonly onProgress: (seen: number, total: number) => void;
  /** Some, while this process holds them; each dead letter once. */
  readonly onLetters: (letters: readonly ReadLetter[]) => void | Promise<void>;
}

interface Survey {
  readonly received: number;
  /** What SQS counted beyond what it gave: in other hands. Undefined when the survey ended early. */
  readonly notSeen: number | undefined;
}

/** Looks at every dead letter and changes none. */
export async function surveyLetters(settings: SurveySettings): Promise<Survey> {
  const { queues, signal, onProgress, onLetters } = settings;
  const total = await countIn(queues);
  let received = 0;
  const scans = queues.map((queue) =>
    scanLetters({ queue, signal }, async (letters) => {
      received += letters.length;
      await onLetters(letters.map(readLetter));
      onProgress(received, total);
      return letters;
    }),
  );
  await Promise.all(scans);
  return { received, notSeen: signal.aborted ? undefined : Math.max(total - received, 0) };
}

export const NOT_SEEN =
  'another person or a killed run has received them, or they wait behind an earlier dead letter of the same entity. Look again in five minutes.';

/** As SQS counts: at times a minute late. */
async function countIn(queues: readonly DeadLetterQueue[]): Promise<number> {
  const counts = await Promise.all(queues.map((queue) => queue.counts()));
  return counts.reduce((sum, { visible, inFlight }) => sum + visible + inFlight, 0);
}

interface Rebuilt extends Survey {
  readonly restored: number;
  readonly removed: number;
}

/**
 * Receives all dead letters and makes the list equal to them: writes the summaries that are missing, each while its dead
 * letter is in hand, and takes from the list what no queue has. The latter only if SQS gave as many as it counts: another
 * person may hold the rest. `list` is the list as it was before.
 */
export async function rebuildSummaries(
  list: readonly SummarizedDeadLetter[],
  settings: Omit<SurveySettings, 'onLetters'>,
  ledger: Pick<Ledger, 'readMany' | 'write'>,
): Promise<Rebuilt> {
  const listed = new Set(list.map(({ letterId }) => letterId));
  const received = new Set<string>();
  let restored = 0;
  const survey = await surveyLetters({
    ...settings,
    async onLetters(some) {
      for (const { letterId } of some) received.add(letterId);
      const missing = some.filter(({ letterId }) => !listed.has(letterId));
      const summaries = missing.map((letter) => summarize(letter, letter.event));
      await restoreSummaries(summaries, { ledger, now: new Date() });
      restored += summaries.length;
    },
  });
  const gone = survey.notSeen === 0 ? list.filter(({ letterId }) => !received.has(letterId)) : [];
  await retireSummaries(gone, 'removed', { ledger, now: new Date() });
  return { ...survey, restored, removed: gone.length };
}

/** The dead letters about one entity, by their summaries, or as the queue has them. */
export async function lettersAbout(
  deployment: Deployment,
  about: EntityKey,
  settings: Pick<SurveySettings, 'signal' | 'onProgress'>,
): Promise<readonly SummarizedDeadLetter[]> {
  const found = await readLettersAbout(openLists(deployment), about, new Date());
  if (found.length > 0) return found;
  const { shop, kind, id } = about;
  const filter = { shop, kind, id: [id] };
  const letters = await findUnlisted(deployment, [queueFamilyOf(kind)], filter, settings);
  return letters.map((letter) => summarize(letter, letter.event));
}

/** Of a longer queue only `dead-letters scan` finds them: each dead letter that is read is hidden meanwhile. */
const MOST_SCANNED = 1_000;

/** Where a queue has dead letters without a summary, which SQS moved there because every worker died on them. */
export async function findUnlisted(
  deployment: Deployment,
  families: readonly QueueFamily[],
  filter: LetterFilter,
  settings: Pick<SurveySettings, 'signal' | 'onProgress'>,
): Promise<readonly ReadLetter[]> {
  const queues = openLetterQueues(deployment, families);
  const total = await countIn(queues);
  // Most queues are empty: then no list has to be read.
  if (total === 0 || total > MOST_SCANNED) return [];
  const list = await readSummaries(openLists(deployment), new Date());
  if (list.filter(({ family }) => families.includes(family)).length >= total) return [];
  const letters: ReadLetter[] = [];
  const onLetters = (some: readonly ReadLetter[]) => {
    letters.push(...some.filter((one) => matchesFilter(one, filter)));
  };
  await surveyLetters({ queues, ...settings, onLetters }).catch((error: unknown) => {
    // Whoever may only look receives none, because that would hide it from others.
    if (!isDenied(error)) throw error;
  });
  return letters.toSorted(newestFirst);
}

/** What has one state that each message holds whole: a newer one makes an older one obsolete. A merge of customers is no state. */
const SNAPSHOTS: ReadonlySet<EventKind> = new Set(['order', 'product', 'coupon']);

/**
 * Whether the ledger proves that the loyalty service has what the dead letter is about, as it was then or newer. The
 * rejection has a line with its version; of an unreadable message only the store's moment is known.
 */
export function isDelivered(
  { event, at }: ListedDeadLetter,
  entry: Pick<LedgerEntry, 'outcomes' | 'uncertain'> | undefined,
): boolean {
  if (!event || !SNAPSHOTS.has(event.kind) || !entry || entry.uncertain) return false;
  const rejected = entry.outcomes.filter(
    (one) => one.outcome === 'rejected' && one.at >= event.receivedAt && Date.parse(one.at) <= at,
  );
  const then = Math.max(...rejected.map(({ version }) => version));
  const version = rejected.length > 0 ? then : Date.parse(event.triggeredAt ?? '');
  return entry.outcomes.some(
    (one) =>
      (one.outcome === 'applied' || one.outcome === 'unchanged') &&
      (one.version > version || (one.version === version && Date.parse(one.at) > at)),
  );
}

/** More would take longer than a person waits: the older ones then stay for a decision. */
const MOST_COMPARED = 1_000;

/** Which were delivered since, as far as the ledger was asked. */
export async function withDelivered<Letter extends ListedDeadLetter>(
  letters: readonly Letter[],
  ledger: Pick<Ledger, 'readMany'>,
): Promise<readonly (Letter & Known)[]> {
  const asked = letters.slice(0, MOST_COMPARED).map(entityIn);
  const entries = await ledger.readMany(asked.flatMap((key) => key ?? []));
  return letters.map((letter, index) => {
    const key = asked[index];
    return { ...letter, delivered: isDelivered(letter, key && entries.get(ledgerKeyText(key))) };
  });
}

/** For `status`: how many dead letters of each queue are about what was delivered since. */
export async function countDelivered(
  deployment: Deployment,
): Promise<Partial<Record<QueueFamily, number>>> {
  const letters = await readSummaries(openLists(deployment), new Date());
  const known = await withDelivered(letters, openLedger(deployment));
  const byFamily = Map.groupBy(
    known.filter(({ delivered }) => delivered),
    ({ family }) => family,
  );
  return Object.fromEntries([...byFamily].map(([family, { length }]) => [family, length]));
}

/** The entity that it is about; undefined for a person, the shop and all else without an entry of the ledger. */
export function entityIn({ event }: Pick<ListedDeadLetter, 'event'>): EntityKey | undefined {
  if (!event || !isEntityKind(event.kind)) return undefined;
  return { shop: event.shop, kind: event.kind, id: event.id };
}
