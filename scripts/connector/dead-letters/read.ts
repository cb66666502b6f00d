import { setTimeout as pause } from 'node:timers/promises';
import { DynamoDB } from '@aws-sdk/client-dynamodb';
import { SQS } from '@aws-sdk/client-sqs';
import type { ReadSettings } from '../../../shared/aws/ledger-item.ts';
import { readLetters, readLettersAbout } from '../../../shared/aws/read-ledger.ts';
import {
  createSqsDeadLetterQueue,
  createSqsEventQueue,
  createSqsQueueDepth,
} from '../../../shared/aws/sqs-queues.ts';
import type { Connector } from '../../../shared/config/connector-config.ts';
import {
  type DeadLetter,
  type DeadLetterQueue,
  type ListedDeadLetter,
  restoreSummaries,
  retireSummaries,
  type SummarizedDeadLetter,
  summarize,
} from '../../../shared/core/batch/dead-letter.ts';
import { decodeEvent } from '../../../shared/core/events/decode-event.ts';
import {
  type BulkQueue,
  type EntityKey,
  type EventKind,
  type QueueDepth,
  type QueuedEvent,
  type QueueFamily,
  queueFamilyOf,
} from '../../../shared/core/events/event.ts';
import type { DeadLetterReason } from '../../../shared/core/events/outcome.ts';
import type { Ledger } from '../../../shared/core/ledger/ledger.ts';
import { type Deployment, QUEUE_OUTPUTS } from '../deployment/deployment.ts';

/** Which dead letters are meant; what is not given matches all. */
export interface LetterFilter {
  readonly kind?: EventKind;
  readonly topic?: string;
  readonly shop?: string;
  readonly queue?: QueueFamily;
  /** Of dead letters, or of what they are about: one of these. */
  readonly id?: readonly string[];
  /** The loyalty service's error name. */
  readonly code?: string;
  readonly reason?: DeadLetterReason;
  /** Stands in what a list shows of the dead letter; in capitals or not. */
  readonly text?: string;
  /** Epoch milliseconds, on the time at which the dead letter was given up. */
  readonly since?: number;
  readonly until?: number;
}

export function matchesFilter(letter: ListedDeadLetter, filter: LetterFilter): boolean {
  const { event, at, letterId } = letter;
  const same = (wanted: string | undefined, found: string | undefined) =>
    wanted === undefined || wanted === found;
  return (
    same(filter.kind, event?.kind) &&
    same(filter.topic, event?.topic) &&
    same(filter.shop, event?.shop) &&
    same(filter.code, letter.code) &&
    same(filter.reason, letter.reason) &&
    same(filter.queue, letter.family) &&
    (filter.id?.some((id) => [letterId, event?.id].includes(id)) ?? true) &&
    (filter.text === undefined || contains(letter, filter.text)) &&
    at >= (filter.since ?? Number.NEGATIVE_INFINITY) &&
    at <= (filter.until ?? Number.POSITIVE_INFINITY)
  );
}

function contains({ event, why, code, reason }: ListedDeadLetter, text: string): boolean {
  const { shop, kind, id, topic } = event ?? {};
  return [why, code, reason, shop, kind, id, topic].some((part) =>
    part?.toLowerCase().includes(text.toLowerCase()),
  );
}

/** The filter as options of a command, to be shown and repeated. */
export function optionsOf({ since, until, ...filter }: LetterFilter) {
  const moment = (epochMs: number | undefined) =>
    epochMs === undefined ? undefined : new Date(epochMs).toISOString();
  return { ...filter, since: moment(since), until: moment(until) };
}

const STORE_QUEUES = ['orders', 'products', 'coupons'] as const;

/** The deployed queues in which such dead letters can be. */
export function familiesOf(
  { kind, queue }: LetterFilter,
  { storefront }: Pick<Connector, 'storefront'>,
): readonly QueueFamily[] {
  const deployed: readonly QueueFamily[] = storefront
    ? [...STORE_QUEUES, 'balances']
    : STORE_QUEUES;
  return deployed.filter(
    (one) =>
      (kind === undefined || one === queueFamilyOf(kind)) && (queue === undefined || one === queue),
  );
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

export function openSummaries({ aws, output }: Pick<Deployment, 'aws' | 'output'>): ReadSettings {
  const client = new DynamoDB(aws);
  return { client, table: output('LedgerTable'), pause, random: Math.random };
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

export interface SurveySettings {
  readonly queues: readonly DeadLetterQueue[];
  readonly filter: LetterFilter;
  readonly signal: AbortSignal;
  /** How many of how many were seen, from time to time. */
  readonly onProgress: (seen: number, total: number) => void;
  /** Some that match, while this process holds them; each dead letter once. */
  readonly onMatch?: (letters: readonly ReadLetter[]) => void | Promise<void>;
  /** No more than this match: the survey ends when it has seen them. */
  readonly most?: number | undefined;
}

export interface Survey {
  readonly matching: number;
  /**
   * What SQS counted before, beyond what it gave: in other hands, or behind others of their group. Undefined when the
   * survey ended before it had seen all.
   */
  readonly notSeen: number | undefined;
}

/** Looks at every dead letter and changes none. */
export async function surveyLetters(settings: SurveySettings): Promise<Survey> {
  const { queues, filter, onProgress, onMatch = () => {}, most } = settings;
  const found = new AbortController();
  const signal = AbortSignal.any([settings.signal, found.signal]);
  const total = await countIn(queues);
  let seen = 0;
  let matching = 0;
  const scans = queues.map((queue) =>
    scanLetters({ queue, signal }, async (letters) => {
      const fitting = letters.map(readLetter).filter((one) => matchesFilter(one, filter));
      seen += letters.length;
      matching += fitting.length;
      if (matching >= (most ?? Number.POSITIVE_INFINITY)) found.abort();
      await onMatch(fitting);
      onProgress(seen, total);
      return letters;
    }),
  );
  await Promise.all(scans);
  return { matching, notSeen: signal.aborted ? undefined : Math.max(total - seen, 0) };
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
  settings: Pick<SurveySettings, 'queues' | 'signal' | 'onProgress'>,
  ledger: Pick<Ledger, 'readMany' | 'write'>,
): Promise<Rebuilt> {
  const listed = new Set(list.map(({ letterId }) => letterId));
  const received = new Set<string>();
  let restored = 0;
  const survey = await surveyLetters({
    ...settings,
    filter: {},
    async onMatch(some) {
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

/** Of a longer queue only `dead-letters scan` finds them: each dead letter that is read is hidden meanwhile. */
const MOST_SCANNED = 1_000;

/**
 * The dead letters about one entity, by their summaries. The queue itself is read where it has dead letters without one,
 * which SQS moved there because every worker died on them.
 */
export async function lettersAbout(
  deployment: Deployment,
  about: EntityKey,
  settings: Pick<SurveySettings, 'signal' | 'onProgress'>,
): Promise<readonly SummarizedDeadLetter[]> {
  const { shop, kind, id } = about;
  const now = new Date();
  const found = await readLettersAbout(openSummaries(deployment), about, now);
  if (found.length > 0) return found;
  const queues = openLetterQueues(deployment, familiesOf({ kind }, deployment.connector));
  const total = await countIn(queues);
  // Most queues are empty: then no list has to be read.
  if (total === 0 || total > MOST_SCANNED) return [];
  const list = await readSummaries(openSummaries(deployment), now);
  const families = queues.map(({ family }) => family);
  if (list.filter(({ family }) => families.includes(family)).length >= total) return [];
  const letters: SummarizedDeadLetter[] = [];
  const onMatch = (some: readonly ReadLetter[]) => {
    letters.push(...some.map((letter) => summarize(letter, letter.event)));
  };
  await surveyLetters({ queues, filter: { shop, kind, id: [id] }, ...settings, onMatch });
  return letters.toSorted(newestFirst);
}
