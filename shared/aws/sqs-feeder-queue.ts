import { setTimeout as sleep } from 'node:timers/promises';
import {
  type BatchResultErrorEntry,
  SendMessageBatchCommand,
  type SendMessageBatchRequestEntry,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import { encodeEvent } from '../core/events/encode-event.ts';
import type { FeederQueue } from '../core/events/feeder-queue.ts';
import { deduplicationIdOf, groupIdOf } from '../core/events/message-ids.ts';
import { queueFamilyOf } from '../core/events/queue-family.ts';
import type { QueueUrls } from './sqs-event-queue.ts';

/** SQS, SendMessageBatch: so many messages, and 1 MiB of them together. */
const MESSAGES_PER_REQUEST = 10;
const BYTES_PER_REQUEST = 1_000_000;
const REQUESTS_AT_ONCE = 4;
const MOST_TRIES = 4;
const FIRST_PAUSE_MS = 200;

type Entry = SendMessageBatchRequestEntry & { readonly MessageBody: string };

/** Ten messages a request. The same groups and deduplication as a webhook's own event. */
export function createSqsFeederQueue(
  client: SQSClient,
  urls: QueueUrls,
  pause: (milliseconds: number) => Promise<unknown> = sleep,
): FeederQueue {
  async function sendBatch(url: string, entries: readonly Entry[]): Promise<void> {
    let left = entries;
    for (let tries = 1; left.length > 0; tries += 1) {
      const { Failed: failed = [] } = await client.send(
        new SendMessageBatchCommand({ QueueUrl: url, Entries: [...left] }),
      );
      if (failed.length === 0) return;
      if (tries >= MOST_TRIES || failed.some(({ SenderFault }) => SenderFault === true)) {
        throw new Error(`SQS did not take ${failed.length} messages: ${codesOf(failed)}`);
      }
      const ids = new Set(failed.map(({ Id }) => Id));
      left = left.filter(({ Id }) => ids.has(Id));
      await pause(FIRST_PAUSE_MS * 2 ** (tries - 1));
    }
  }

  return {
    async sendAll(events) {
      const families = Map.groupBy(events, ({ kind }) => queueFamilyOf(kind));
      const requests = [...families].flatMap(([family, some]) =>
        packEntries(some.map(toEntry)).map((entries) => ({ url: urls[family], entries })),
      );
      for (let start = 0; start < requests.length; start += REQUESTS_AT_ONCE) {
        const some = requests.slice(start, start + REQUESTS_AT_ONCE);
        await Promise.all(some.map(({ url, entries }) => sendBatch(url, entries)));
      }
    },
  };
}

function toEntry(event: Parameters<typeof encodeEvent>[0], index: number): Entry {
  return {
    Id: String(index),
    MessageBody: encodeEvent(event),
    MessageGroupId: groupIdOf(event),
    MessageDeduplicationId: deduplicationIdOf(event),
  };
}

/** Messages are ASCII: their length is their size. */
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

function codesOf(failed: readonly BatchResultErrorEntry[]): string {
  return [...new Set(failed.map(({ Code }) => Code ?? 'unknown'))].join(', ');
}
