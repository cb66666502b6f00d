import { setTimeout as sleep } from 'node:timers/promises';
import type {
  Message,
  MessageAttributeValue,
  SendMessageBatchRequestEntry,
  SQS,
} from '@aws-sdk/client-sqs';
import type { DeadLetter, DeadLetterQueue, DeadLetters } from '../core/batch/dead-letter.ts';
import {
  type BulkQueue,
  batchesOf,
  deadLetterIdOf,
  deduplicationIdOf,
  groupIdOf,
  inBatches,
  type QueueDepth,
  type QueuedEvent,
  type QueueFamily,
  queueFamilyOf,
  type ReceivedMessage,
  type RefusedEvent,
  type SourceQueue,
} from '../core/events/event.ts';
import { encodeEvent, escapeToAscii } from '../core/events/message-body.ts';
import {
  DEAD_LETTER_REASONS,
  type DeadLetterReason,
  type ParkingReason,
} from '../core/events/outcome.ts';
import type { SqsCalls } from './aws-client.ts';

/** The queues that a program sends to; a function knows only those that it needs. */
type QueueUrls = Readonly<Partial<Record<QueueFamily, string>>>;

/** SQS, SendMessageBatch: ten messages, and 1 MiB together. */
const MESSAGES_PER_REQUEST = 10;
const BYTES_PER_REQUEST = 1_000_000;
const MAX_TRIES = 4;
const FIRST_PAUSE_MS = 200;

interface SendSettings {
  /** More than one is faster, but does not keep the order. */
  readonly requestsAtOnce?: number;
  readonly pause?: (milliseconds: number) => Promise<unknown>;
}

/** Rejects if SQS returns the checksum of another text; the clients check it. */
export function createSqsEventQueue(
  sqs: Pick<SqsCalls, 'sendMessage' | 'sendMessageBatch'>,
  urls: QueueUrls,
  { requestsAtOnce = 1, pause = sleep }: SendSettings = {},
): BulkQueue {
  /** Retries failures of SQS itself; returns the events that SQS did not accept. */
  async function sendPack(url: string, pack: readonly Entry[]): Promise<readonly RefusedEvent[]> {
    let left = pack;
    for (let tries = 1; ; tries += 1) {
      const Entries = left.map(({ event: _, ...entry }) => entry);
      const answer = await sqs.sendMessageBatch({ QueueUrl: url, Entries });
      const { Successful: successful = [], Failed: failed = [] } = answer;
      const codes = new Map(failed.map(({ Id, Code }) => [Id, Code ?? 'unknown']));
      const held = new Set(successful.map(({ Id }) => Id));
      // An entry without a result was not accepted: a replay deletes the dead letters of those that were.
      left = left.filter(({ Id }) => codes.has(Id) || !held.has(Id));
      const isOver = tries >= MAX_TRIES || failed.some(({ SenderFault }) => SenderFault === true);
      if (left.length === 0 || isOver) {
        return left.map(({ event, Id }) => ({ event, code: codes.get(Id) ?? 'unknown' }));
      }
      await pause(FIRST_PAUSE_MS * 2 ** (tries - 1));
    }
  }

  return {
    async send(event, deduplicationId = deduplicationIdOf(event)) {
      await sqs.sendMessage({
        QueueUrl: urlOf(event, urls),
        MessageBody: encodeEvent(event),
        MessageGroupId: groupIdOf(event),
        MessageDeduplicationId: deduplicationId,
      });
    },

    async sendAll(events, nameOf = deduplicationIdOf) {
      const byQueue = Map.groupBy(events, (event) => urlOf(event, urls));
      const packs = [...byQueue].flatMap(([url, some]) => {
        const entries = some.map((event, index) => ({
          event,
          Id: String(index),
          MessageBody: encodeEvent(event),
          MessageGroupId: groupIdOf(event),
          MessageDeduplicationId: nameOf(event),
        }));
        return packEntries(entries).map((pack) => ({ url, pack }));
      });
      const refused: RefusedEvent[] = [];
      const sendOne = async ({ url, pack }: (typeof packs)[number]) => {
        refused.push(...(await sendPack(url, pack)));
      };
      await inBatches(packs, sendOne, requestsAtOnce);
      return refused;
    },
  };
}

type Entry = SendMessageBatchRequestEntry & {
  readonly event: QueuedEvent;
  readonly MessageBody: string;
};

function urlOf({ kind }: QueuedEvent, urls: QueueUrls): string {
  const family = queueFamilyOf(kind);
  const url = urls[family];
  if (url === undefined) throw new Error(`this program does not send to the queue of ${family}`);
  return url;
}

/** As many per request as SQS allows. Messages are ASCII, so their length is their size. */
export function packEntries<E extends { readonly MessageBody: string }>(
  entries: readonly E[],
): readonly (readonly E[])[] {
  const packs: E[][] = [];
  let bytes = Number.POSITIVE_INFINITY;
  for (const entry of entries) {
    const { length } = entry.MessageBody;
    const full = (packs.at(-1)?.length ?? 0) >= MESSAGES_PER_REQUEST;
    if (full || bytes + length > BYTES_PER_REQUEST) {
      packs.push([]);
      bytes = 0;
    }
    packs.at(-1)?.push(entry);
    bytes += length;
  }
  return packs;
}

/** SQS's counts are about a minute old; they are only used for the pace of sending. */
export function createSqsQueueDepth(
  sqs: Pick<SqsCalls, 'getQueueAttributes'>,
  urls: QueueUrls,
): QueueDepth {
  return {
    async of(family) {
      const { Attributes: counts = {} } = await sqs.getQueueAttributes({
        QueueUrl: urls[family],
        AttributeNames: [
          'ApproximateNumberOfMessages',
          'ApproximateNumberOfMessagesNotVisible',
          'ApproximateNumberOfMessagesDelayed',
        ],
      });
      const count = (name: keyof typeof counts) => Number(counts[name] ?? 0);
      return {
        ready: count('ApproximateNumberOfMessages'),
        hidden:
          count('ApproximateNumberOfMessagesNotVisible') +
          count('ApproximateNumberOfMessagesDelayed'),
      };
    },
  };
}

/** SQS, for receiving, deleting and changing visibility. */
const MESSAGES_PER_CALL = 10;

/**
 * SQS allows 12 hours, counted from the receipt and not from now, and refuses more. A function may have
 * held the message for up to 15 minutes.
 */
const MAX_DELAY_SECONDS = 12 * 60 * 60 - 15 * 60;

/**
 * SQS hands out no more than 120,000 messages of a FIFO queue before some are deleted, and looks no further
 * than that for a group that is free ("Avoid large message backlogs with the same message group ID").
 */
export const MOST_HIDDEN = 100_000;
/** The number that SQS gives is an estimate, which settles within a minute. */
const ESTIMATE_MS = 60_000;

export function createSqsSourceQueue(sqs: SqsCalls, queueUrl: string): SourceQueue {
  let askedAt = Number.NEGATIVE_INFINITY;
  let hidden: Promise<number> = Promise.resolve(0);

  async function readHidden(): Promise<number> {
    const name = 'ApproximateNumberOfMessagesNotVisible';
    // Without an answer nothing is given up.
    const answer = await sqs
      .getQueueAttributes({ QueueUrl: queueUrl, AttributeNames: [name] })
      .catch(() => undefined);
    return Number(answer?.Attributes?.[name] ?? 0);
  }

  return {
    async isCrowded() {
      if (Date.now() - askedAt >= ESTIMATE_MS) {
        askedAt = Date.now();
        hidden = readHidden();
      }
      return (await hidden) >= MOST_HIDDEN;
    },

    async delay(messages, afterSeconds) {
      const seconds = Math.min(Math.max(Math.ceil(afterSeconds), 0), MAX_DELAY_SECONDS);
      const calls = batchesOf(messages, MESSAGES_PER_CALL).map((chunk) =>
        delayChunk(sqs, queueUrl, chunk, seconds),
      );
      // All calls end before an error is thrown, so that one failure does not affect other messages.
      const faults = (await Promise.allSettled(calls)).filter((call) => call.status === 'rejected');
      if (faults.length > 0) {
        throw new AggregateError(
          faults.map((fault) => fault.reason),
          'some messages keep their old visibility',
        );
      }
    },
  };
}

async function delayChunk(
  sqs: SqsCalls,
  queueUrl: string,
  messages: readonly ReceivedMessage[],
  seconds: number,
): Promise<void> {
  const { Failed: failed = [] } = await sqs.changeMessageVisibilityBatch({
    QueueUrl: queueUrl,
    Entries: messages.map(({ receiptHandle }, index) => ({
      Id: String(index),
      ReceiptHandle: receiptHandle,
      VisibilityTimeout: seconds,
    })),
  });
  if (failed.length === 0) return;
  const codes = [...new Set(failed.map(({ Code }) => Code))].join(', ');
  throw new Error(`SQS left the visibility of ${failed.length} messages as it was: ${codes}`);
}

/**
 * Attributes count towards the 1 MiB of a message, of which an envelope leaves 48 KB. SQS refuses to
 * park a larger message of another sender; the queue's own redrive moves it in the end.
 */
const ATTRIBUTE_MAX_CHARS = 1_000;

export function createSqsDeadLetters(
  sqs: SqsCalls,
  queueUrl: string,
  family: QueueFamily,
): DeadLetters {
  return {
    family,

    async park(source, reason) {
      await sqs.sendMessage({
        QueueUrl: queueUrl,
        MessageBody: source.body,
        MessageDeduplicationId: deadLetterIdOf(source),
        MessageGroupId: deadLetterIdOf(source),
        MessageAttributes: attributesOf(reason),
      });
    },
  };
}

function attributesOf(reason: ParkingReason): Record<string, MessageAttributeValue> {
  const { attempts, ...texts } = reason;
  const attributes: Record<string, MessageAttributeValue> = {
    attempts: { DataType: 'Number', StringValue: String(attempts) },
  };
  for (const [name, text] of Object.entries(texts)) {
    const value = escapeToAscii(text).slice(0, ATTRIBUTE_MAX_CHARS);
    // SQS refuses an empty value.
    if (value !== '') attributes[name] = { DataType: 'String', StringValue: value };
  }
  return attributes;
}

/** Long polling queries all servers of SQS, so an empty answer means an empty queue. */
const WAIT_SECONDS = 1;

export function createSqsDeadLetterQueue(
  client: Pick<
    SQS,
    'receiveMessage' | 'changeMessageVisibilityBatch' | 'deleteMessageBatch' | 'getQueueAttributes'
  >,
  queueUrl: string,
  family: QueueFamily,
): DeadLetterQueue {
  return {
    family,

    async receive(hiddenSeconds) {
      const { Messages: messages = [] } = await client.receiveMessage({
        QueueUrl: queueUrl,
        MaxNumberOfMessages: MESSAGES_PER_CALL,
        VisibilityTimeout: hiddenSeconds,
        WaitTimeSeconds: WAIT_SECONDS,
        MessageSystemAttributeNames: ['All'],
        MessageAttributeNames: ['All'],
      });
      return messages.map((message) => toDeadLetter(message, family));
    },

    async giveBack(receiptHandles) {
      for (const handles of batchesOf(receiptHandles, MESSAGES_PER_CALL)) {
        const { Failed: failed = [] } = await client.changeMessageVisibilityBatch({
          QueueUrl: queueUrl,
          Entries: handles.map((ReceiptHandle, index) => ({
            Id: String(index),
            ReceiptHandle,
            VisibilityTimeout: 0,
          })),
        });
        // Called the sender's fault: dead letters whose time-out has passed. They are visible again anyway.
        const [unknown] = failed.filter(({ SenderFault: isOurs }) => !isOurs);
        if (unknown) throw new Error(`SQS did not give dead letters back: ${unknown.Code}`);
      }
    },

    async remove(receiptHandles) {
      for (const handles of batchesOf(receiptHandles, MESSAGES_PER_CALL)) {
        const { Failed: failed = [] } = await client.deleteMessageBatch({
          QueueUrl: queueUrl,
          Entries: handles.map((ReceiptHandle, index) => ({ Id: String(index), ReceiptHandle })),
        });
        if (failed.length === 0) continue;
        throw new Error(`SQS did not remove ${failed.length} dead letters: ${failed[0]?.Code}`);
      }
    },

    async counts() {
      const { Attributes: counts = {} } = await client.getQueueAttributes({
        QueueUrl: queueUrl,
        AttributeNames: ['All'],
      });
      return {
        visible: Number(counts.ApproximateNumberOfMessages ?? 0),
        inFlight: Number(counts.ApproximateNumberOfMessagesNotVisible ?? 0),
      };
    },
  };
}

/** A message that SQS moved after `maxReceiveCount` has no reason attribute. */
const CRASHED = {
  reason: 'crashed',
  why: 'the worker crashed every time, until SQS moved the message here',
} as const;

function reasonOf(
  written: string | undefined,
  why: string,
): { readonly reason: DeadLetterReason; readonly why: string } {
  if (written === undefined) return CRASHED;
  const reason = DEAD_LETTER_REASONS.find((one) => one === written);
  return reason ? { reason, why } : { reason: 'unknown', why: `${written}: ${why}` };
}

function toDeadLetter(message: Message, family: QueueFamily): DeadLetter {
  const { Attributes: facts = {}, MessageAttributes: attributes = {} } = message;
  const text = (name: string) => attributes[name]?.StringValue;
  const parkedAt = Date.parse(text('at') ?? '');
  const attempts = Number(text('attempts'));
  const messageId = message.MessageId ?? '';
  // Only a dead letter has a group of its own.
  const isParked = text('reason') !== undefined;
  return {
    family,
    letterId: (isParked ? facts.MessageGroupId : undefined) ?? messageId,
    messageId,
    receiptHandle: message.ReceiptHandle ?? '',
    body: message.Body ?? '',
    sequenceNumber: facts.SequenceNumber ?? '0',
    ...reasonOf(text('reason'), text('why') ?? ''),
    code: text('code'),
    attempts: Number.isFinite(attempts) ? attempts : undefined,
    at: Number.isFinite(parkedAt) ? parkedAt : Number(facts.SentTimestamp ?? 0),
  };
}
