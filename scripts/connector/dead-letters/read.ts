import { setTimeout as pause } from 'node:timers/promises';
import { DynamoDB } from '@aws-sdk/client-dynamodb';
import { SQS } from '@aws-sdk/client-sqs';
import type { ReadSettings } from '../../../shared/aws/ledger-item.ts';
import { readLetters, readLettersById } from '../../../shared/aws/read-ledger.ts';
import {
  createSqsDeadLetterQueue,
  createSqsEventQueue,
  createSqsQueueDepth,
} from '../../../shared/aws/sqs-queues.ts';
import {
  DEAD_LETTER_DAYS,
  type DeadLetter,
  type DeadLetterFacts,
  type DeadLetterQueue,
  type ListedDeadLetter,
  type ListedEvent,
  retireSummaries,
  type SummarizedDeadLetter,
  type WayOut,
} from '../../../shared/core/batch/dead-letter.ts';
import { decodeEvent } from '../../../shared/core/events/decode-event.ts';
import {
  type BulkQueue,
  isStoreEvent,
  type QueueDepth,
  type QueuedEvent,
  type QueueFamily,
} from '../../../shared/core/events/event.ts';
import { type Deployment, openLedger, QUEUE_OUTPUTS } from '../deployment/deployment.ts';
import { familiesOf, type LetterFilter, matchesFilter } from './filter.ts';
import { createLetterGroups, type LetterGroup } from './groups.ts';

/** A dead letter and the event in it, as far as this release can read it. */
export interface ReadLetter extends DeadLetter {
  /** Undefined when not even the envelope can be read. */
  readonly event: QueuedEvent | undefined;
  readonly undecodable: string | undefined;
  /** A newer release wrote it: the command of that release can show and replay it. */
  readonly isNewer: boolean;
}

/** What a list shows of it, without the message. */
export function listedOf(letter: ReadLetter): ListedDeadLetter {
  const { letterId, family, reason, why, code, attempts, at, event } = letter;
  return { letterId, family, reason, why, code, attempts, at, event: event && headOf(event) };
}

function headOf(event: QueuedEvent): ListedEvent {
  const { shop, kind, id, topic, receivedAt, replays } = event;
  const triggeredAt = isStoreEvent(event) ? event.triggeredAt : undefined;
  return {
    ...{ shop, kind, id, topic, receivedAt },
    ...(triggeredAt && { triggeredAt }),
    ...(replays && { replays }),
  };
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

/** The queues that dead letters go back to. */
export function openSourceQueues(
  deployment: Deployment,
  families: readonly QueueFamily[],
): { readonly queue: BulkQueue; readonly depth: QueueDepth } {
  const sqs = new SQS(deployment.aws);
  const urls = Object.fromEntries(
    families.map((family) => [family, deployment.output(QUEUE_OUTPUTS[family].queue)]),
  );
  return { queue: createSqsEventQueue(sqs, urls), depth: createSqsQueueDepth(sqs, urls) };
}

type Place = Pick<Deployment, 'aws' | 'output'>;

export function openSummaries({ aws, output }: Place): ReadSettings {
  const client = new DynamoDB(aws);
  return { client, table: output('LedgerTable'), pause, random: Math.random };
}

interface Known {
  readonly letters: Map<string, SummarizedDeadLetter>;
  /** Epoch milliseconds: up to when each list was read. */
  readonly open: number;
  readonly gone: number;
}

/** What this process has read: a console asks again every few seconds, and then reads only what is new. */
const known = new Map<string, Known>();

/** Longer than a worker takes to write a summary, and the index to show it. */
const OVERLAP_MS = 2 * 60_000;
/** The clock of an operator dates what is gone. AWS refuses requests of one that is wrong by more than this. */
const CLOCKS_DIFFER_MS = 15 * 60_000;

/** All dead letters that have a summary, the newest first. `onProgress` says how many were read so far. */
export async function readSummaries(
  settings: ReadSettings,
  { aws }: Pick<Deployment, 'aws'>,
  now: Date,
  onProgress: (read: number) => void = () => {},
): Promise<readonly SummarizedDeadLetter[]> {
  const key = JSON.stringify([aws.region, aws.endpoint, aws.profile, settings.table]);
  const { letters, open, gone } = known.get(key) ?? {
    ...{ letters: new Map<string, SummarizedDeadLetter>(), open: 0, gone: now.getTime() },
  };
  let newest = open;
  for await (const some of readLetters(settings, 'open', { since: open - OVERLAP_MS, now })) {
    for (const letter of some) {
      letters.set(letter.letterId, letter);
      newest = Math.max(newest, letter.at);
    }
    onProgress(letters.size);
  }
  // Read after the open ones: what leaves in between is in both.
  let left = gone;
  for await (const some of readLetters(settings, 'gone', { since: gone - CLOCKS_DIFFER_MS, now })) {
    for (const letter of some) {
      letters.delete(letter.letterId);
      if (letter.gone) left = Math.max(left, Date.parse(letter.gone.at));
    }
  }
  const oldest = now.getTime() - DEAD_LETTER_DAYS * 86_400_000;
  for (const { letterId, at } of letters.values()) if (at < oldest) letters.delete(letterId);
  // The next read begins there, even if thousands came or left in one minute and none since.
  const settled = now.getTime() - CLOCKS_DIFFER_MS;
  const upTo = { open: Math.max(newest, settled), gone: Math.max(left, settled) };
  // Only now: a read that failed half-way has left some out.
  known.set(key, { letters, ...upTo });
  return [...letters.values()].toSorted(newestFirst);
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
  const scanned = await visitAll({ queue, signal }, held, visit).then(
    () => undefined,
    (error: unknown) => ({ error }),
  );
  const givenBack = await queue.giveBack([...held.values()]).then(
    () => undefined,
    (error: unknown) => ({ error }),
  );
  // Dead letters that could not be given back are visible again by themselves: the first error matters more.
  const failed = scanned ?? givenBack;
  if (failed) throw failed.error;
}

async function visitAll(
  { queue, signal }: ScanSettings,
  held: Map<string, string>,
  visit: (letters: readonly DeadLetter[]) => Promise<readonly DeadLetter[]>,
): Promise<void> {
  const seen = new Set<string>();
  let fruitless = 0;
  while (!signal.aborted && fruitless < FRUITLESS_RECEIVES) {
    const letters = await queue.receive(HIDDEN_SECONDS);
    if (letters.length === 0) return;
    for (const { messageId, receiptHandle } of letters) held.set(messageId, receiptHandle);
    const fresh = letters.filter(({ messageId }) => !seen.has(messageId));
    for (const { messageId } of letters) seen.add(messageId);
    fruitless = fresh.length === 0 ? fruitless + 1 : 0;
    const kept = new Set((await visit(fresh)).map(({ messageId }) => messageId));
    for (const { messageId } of fresh) if (!kept.has(messageId)) held.delete(messageId);
  }
}

export interface Survey {
  /** What was read: summaries of the ledger, or the dead letters themselves. */
  readonly source: 'summaries' | 'queues';
  readonly groups: readonly LetterGroup[];
  readonly matching: number;
  readonly queues: readonly QueueSurvey[];
}

interface QueueSurvey {
  readonly family: QueueFamily;
  readonly seen: number;
  readonly matching: number;
  /**
   * What SQS counted before, beyond what was seen: without a summary; or, where the queue was read, in other hands,
   * or behind others of its group.
   */
  readonly notSeen: number;
  /** Summaries beyond what SQS counts: their dead letters were removed without this command line. */
  readonly gone: number;
  readonly retentionSeconds: number;
}

interface SurveySettings {
  readonly queues: readonly DeadLetterQueue[];
  readonly filter: LetterFilter;
  readonly signal: AbortSignal;
  /** How many of how many were seen, from time to time. */
  readonly onProgress: (seen: number, total: number) => void;
  /** Every dead letter that matches, once. */
  readonly onMatch?: (letter: ReadLetter) => void;
  /** No more than this match: the survey ends when it has seen them. */
  readonly most?: number | undefined;
}

/** Groups the summaries, and receives no dead letter. */
export async function surveySummaries({
  queues,
  filter,
  letters,
  onMatch,
}: Pick<SurveySettings, 'queues' | 'filter'> & {
  readonly letters: readonly SummarizedDeadLetter[];
  readonly onMatch: (letter: SummarizedDeadLetter) => void;
}): Promise<Survey> {
  const groups = createLetterGroups();
  const chosen = letters.filter((letter) => matchesFilter(letter, filter));
  for (const letter of chosen) {
    groups.add(letter);
    onMatch(letter);
  }
  const inFamily = (some: readonly SummarizedDeadLetter[], family: QueueFamily) =>
    some.reduce((sum, one) => sum + (one.family === family ? 1 : 0), 0);
  const surveyed = queues.map(async (queue): Promise<QueueSurvey> => {
    const { family } = queue;
    const { visible, inFlight, retentionSeconds } = await queue.counts();
    const seen = inFamily(letters, family);
    return {
      ...{ family, seen, matching: inFamily(chosen, family), retentionSeconds },
      notSeen: Math.max(visible + inFlight - seen, 0),
      gone: Math.max(seen - visible - inFlight, 0),
    };
  });
  return {
    source: 'summaries',
    groups: groups.all(),
    matching: chosen.length,
    queues: await Promise.all(surveyed),
  };
}

/** Looks at every dead letter and changes none. */
export async function surveyLetters(settings: SurveySettings): Promise<Survey> {
  const { queues, filter, onProgress, onMatch = () => {}, most } = settings;
  const found = new AbortController();
  const signal = AbortSignal.any([settings.signal, found.signal]);
  const groups = createLetterGroups();
  const counts = await Promise.all(queues.map((queue) => queue.counts()));
  const total = counts.reduce((sum, { visible, inFlight }) => sum + visible + inFlight, 0);
  let seenInAll = 0;
  let matchingInAll = 0;
  const surveyed = queues.map(async (queue, index): Promise<QueueSurvey> => {
    let seen = 0;
    let matching = 0;
    await scanLetters({ queue, signal }, async (letters) => {
      for (const letter of letters.map(readLetter)) {
        if (!matchesFilter(letter, filter)) continue;
        matching += 1;
        matchingInAll += 1;
        if (matchingInAll === most) found.abort();
        groups.add(letter);
        onMatch(letter);
      }
      seen += letters.length;
      seenInAll += letters.length;
      onProgress(seenInAll, total);
      return letters;
    });
    const { visible = 0, inFlight = 0, retentionSeconds = 0 } = counts[index] ?? {};
    const notSeen = found.signal.aborted ? 0 : Math.max(visible + inFlight - seen, 0);
    return { family: queue.family, seen, matching, notSeen, gone: 0, retentionSeconds };
  });
  const all = await Promise.all(surveyed);
  return { source: 'queues', groups: groups.all(), matching: matchingInAll, queues: all };
}

/** Where the dead letters of a filter can be, and how they leave the lists. */
interface SearchScope {
  readonly families: readonly QueueFamily[];
  /** How many they are at most; undefined when not known. */
  readonly most: number | undefined;
  retire(letters: readonly DeadLetterFacts[], how: WayOut): Promise<void>;
}

/** The ids of dead letters say which queue is to be read, and when the search is over; other ids do not. */
export async function searchScope(
  deployment: Deployment,
  filter: LetterFilter,
): Promise<SearchScope> {
  const all = familiesOf(filter, deployment.connector);
  const scope = {
    async retire(letters: readonly DeadLetterFacts[], how: WayOut) {
      await retireSummaries(letters, how, { ledger: openLedger(deployment), now: new Date() });
    },
  };
  const ids = new Set(filter.id);
  const named = await readLettersById(openSummaries(deployment), [...ids], new Date());
  if (ids.size === 0 || named.length < ids.size)
    return { ...scope, families: all, most: undefined };
  const theirs = new Set(named.map(({ family }) => family));
  return { ...scope, families: all.filter((one) => theirs.has(one)), most: ids.size };
}
