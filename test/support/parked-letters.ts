import { SendMessageBatchCommand, type SQSClient } from '@aws-sdk/client-sqs';
import {
  type LetterFilter,
  matchesFilter,
  surveyLetters,
} from '../../scripts/connector/ground/letters/read-letters.ts';
import {
  type DeadLetter,
  type DeadLetterQueue,
  writeSummary,
} from '../../shared/core/batch/dead-letter.ts';
import type { QueueFamily, StoreEvent } from '../../shared/core/events/event.ts';
import { encodeEvent } from '../../shared/core/events/message-body.ts';
import type { ParkingReason } from '../../shared/core/events/outcome.ts';
import type { Ledger } from '../../shared/core/ledger/ledger.ts';
import { sequenceNumber } from './memory-queue.ts';

export const LETTER_SHOP = 'example-store.myshopify.com';

export interface ParkedLetter {
  readonly event: StoreEvent | string;
  /** Undefined means as SQS moves a message automatically, without a reason and in its own group. */
  readonly reason: ParkingReason | undefined;
  readonly group?: string;
}

const AT_ONCE = 10;
let calls = 0;

/**
 * Parks many dead letters in few calls, in this order, like `createSqsDeadLetters`. With `summaries` they
 * have some, as those of this release do.
 */
export async function parkLetters(
  client: SQSClient,
  queueUrl: string,
  letters: readonly ParkedLetter[],
  summaries?: { readonly ledger: Pick<Ledger, 'write'>; readonly family: QueueFamily },
): Promise<void> {
  calls += 1;
  const call = `source-${calls}`;
  for (let start = 0; start < letters.length; start += AT_ONCE) {
    await client.send(
      new SendMessageBatchCommand({
        QueueUrl: queueUrl,
        Entries: letters.slice(start, start + AT_ONCE).map(({ event, reason, group }, index) => ({
          Id: String(index),
          MessageBody: typeof event === 'string' ? event : encodeEvent(event),
          MessageGroupId: group ?? `${call}-${start + index}`,
          MessageDeduplicationId: `${group ?? call}-${start + index}`,
          ...(reason && { MessageAttributes: attributesOf(reason) }),
        })),
      }),
    );
  }
  if (!summaries) return;
  const { ledger, family } = summaries;
  for (const [index, { event, reason, group }] of letters.entries()) {
    if (!reason) continue;
    const known = typeof event === 'string' ? undefined : event;
    const source = { messageId: group ?? `${call}-${index}`, body: '' };
    await writeSummary(source, known, { ...reason, family }, ledger);
  }
}

function attributesOf({ attempts, ...texts }: ParkingReason) {
  const attributes = Object.entries(texts).map(([name, text]) => [
    name,
    { DataType: 'String', StringValue: String(text) },
  ]);
  return {
    ...Object.fromEntries(attributes),
    attempts: { DataType: 'Number', StringValue: String(attempts) },
  };
}

/** An event that any version can read: it has no body, so the worker reads the store. */
export function letterEvent(changes: Partial<StoreEvent> = {}): StoreEvent {
  return {
    shop: LETTER_SHOP,
    kind: 'order',
    id: '1001',
    claim: 'changed',
    origin: 'webhook',
    topic: 'orders/updated',
    deliveryId: 'delivery-1',
    receivedAt: '2026-10-09T12:00:00.000Z',
    body: undefined,
    ...changes,
  };
}

/** An order's snapshot as a webhook brought it at that moment. */
export function orderEvent(id: number, payload: object, at: string): StoreEvent {
  return letterEvent({
    id: String(id),
    deliveryId: `delivery-${id}-${at}`,
    receivedAt: at,
    body: new TextEncoder().encode(JSON.stringify(payload)),
  });
}

export function letterReason(changes: Partial<ParkingReason> = {}): ParkingReason {
  return {
    reason: 'rejected',
    why: 'sendOrder was refused: the customer has no name',
    attempts: 1,
    at: '2026-10-09T12:05:00.000Z',
    ...changes,
  };
}

/** The ids of the dead letters that queues have, in their order; the dead letters stay. */
export async function letterIdsIn(
  queues: readonly DeadLetterQueue[],
  filter: LetterFilter = {},
): Promise<readonly string[]> {
  const ids: string[] = [];
  await surveyLetters({
    ...{ queues, signal: new AbortController().signal, onProgress: () => {} },
    onLetters(letters) {
      const fitting = letters.filter((one) => matchesFilter(one, filter));
      ids.push(...fitting.map(({ letterId }) => letterId));
    },
  });
  return ids;
}

export const LETTER_AT = Date.parse('2026-10-09T12:00:00Z');

/** A dead letter as its queue gives it; a text is a body that no release wrote. */
export function deadLetter(event: Partial<StoreEvent> | string, changes: Partial<DeadLetter> = {}) {
  return {
    ...({ family: 'orders', reason: 'rejected', why: 'refused' } as const),
    ...{ letterId: 'letter-1', messageId: 'message-1', receiptHandle: 'handle' },
    body: typeof event === 'string' ? event : encodeEvent(letterEvent(event)),
    ...{
      sequenceNumber: sequenceNumber(1),
      code: 'Order_InvalidTotal',
      attempts: 1,
      at: LETTER_AT,
    },
    ...changes,
  };
}
