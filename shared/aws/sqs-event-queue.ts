import { setTimeout as sleep } from 'node:timers/promises';
import type { SendMessageBatchRequestEntry } from '@aws-sdk/client-sqs';
import { inBatches } from '../core/batch/run-batch.ts';
import {
  type BulkQueue,
  deduplicationIdOf,
  groupIdOf,
  type QueueDepth,
  type QueuedEvent,
  type QueueFamily,
  queueFamilyOf,
  type RefusedEvent,
} from '../core/events/event.ts';
import { encodeEvent } from '../core/events/message-body.ts';
import type { SqsCalls } from './aws-calls.ts';

/** The queues that a program sends to; a function knows only those that it needs. */
export type QueueUrls = Readonly<Partial<Record<QueueFamily, string>>>;

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
      // An entry without a result was not accepted: a replay deletes the letters of those that were.
      left = left.filter(({ Id }) => codes.has(Id) || !held.has(Id));
      const isOver = tries >= MAX_TRIES || failed.some(({ SenderFault }) => SenderFault === true);
      if (left.length === 0 || isOver) {
        return left.map(({ event, Id }) => ({ event, code: codes.get(Id) ?? 'unknown' }));
      }
      await pause(FIRST_PAUSE_MS * 2 ** (tries - 1));
    }
  }

  return {
    async send(event) {
      await sqs.sendMessage({
        QueueUrl: urlOf(event, urls),
        MessageBody: encodeEvent(event),
        MessageGroupId: groupIdOf(event),
        MessageDeduplicationId: deduplicationIdOf(event),
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
