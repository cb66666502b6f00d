import { setTimeout as sleep } from 'node:timers/promises';
import type { SendMessageBatchRequestEntry } from '@aws-sdk/client-sqs';
import { inBatches } from '../core/batch/in-batches.ts';
import { encodeEvent } from '../core/events/encode-event.ts';
import { type QueuedEvent, type QueueFamily, queueFamilyOf } from '../core/events/event.ts';
import { deduplicationIdOf, groupIdOf } from '../core/events/message-ids.ts';
import type { BulkQueue, QueueDepth, RefusedEvent } from '../core/events/queues.ts';
import type { SqsCalls } from './aws-calls.ts';

/** The queues that a program sends to; functions know only those that they need. */
export type QueueUrls = Readonly<Partial<Record<QueueFamily, string>>>;

/** SQS, SendMessageBatch: so many messages, and 1 MiB of them together. */
const MESSAGES_PER_REQUEST = 10;
const BYTES_PER_REQUEST = 1_000_000;
const MOST_TRIES = 4;
const FIRST_PAUSE_MS = 200;

interface SendSettings {
  /** More than one: faster, and without any order. */
  readonly requestsAtOnce?: number;
  readonly pause?: (milliseconds: number) => Promise<unknown>;
}

/** Both clients compare the checksum of what SQS holds and reject when it is another. */
export function createSqsEventQueue(
  sqs: Pick<SqsCalls, 'sendMessage' | 'sendMessageBatch'>,
  urls: QueueUrls,
  { requestsAtOnce = 1, pause = sleep }: SendSettings = {},
): BulkQueue {
  /** Tries again what SQS itself failed at; gives what it did not take in the end. */
  async function sendPack(url: string, pack: readonly Entry[]): Promise<readonly RefusedEvent[]> {
    let left = pack;
    for (let tries = 1; ; tries += 1) {
      const Entries = left.map(({ event: _, ...entry }) => entry);
      const { Failed: failed = [] } = await sqs.sendMessageBatch({ QueueUrl: url, Entries });
      const codes = new Map(failed.map(({ Id, Code }) => [Id, Code ?? 'unknown']));
      left = left.filter(({ Id }) => codes.has(Id));
      const isOver = tries >= MOST_TRIES || failed.some(({ SenderFault }) => SenderFault === true);
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
  if (url === undefined) throw new Error(`nothing here is sent to the queue of ${family}`);
  return url;
}

/** As many in a request as SQS allows. Messages are ASCII: their length is their size. */
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

/** SQS counts about a minute behind; nothing is decided by it but the pace. */
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
