import { SQS } from '@aws-sdk/client-sqs';
import { type FoundRecord, listRecords } from '../../../../shared/aws/read-ledger.ts';
import {
  recordWoken,
  type WaitingMessage,
  type WaitsFor,
  waitingIn,
} from '../../../../shared/core/batch/waiting.ts';
import { changeControl, woken } from '../../../../shared/core/calls/shop-pause.ts';
import { batchesOf, type QueueFamily } from '../../../../shared/core/events/event.ts';
import { AFTER_UNKNOWN_OUTCOME_SECONDS } from '../../../../shared/core/events/outcome.ts';
import type { Ledger } from '../../../../shared/core/ledger/ledger.ts';
import { type Deployment, openLedger, openLists, QUEUE_OUTPUTS } from '../session/deployment.ts';
import { counted, utcText } from '../terminal/text.ts';

export interface WaitingInShop extends WaitingMessage {
  readonly shop: string;
  /** How often it had been received when it began to wait. */
  readonly receives: number;
  readonly revision: number;
}

/** Completes "it waits …". */
export const FOR_WHAT: Readonly<Record<WaitsFor, string>> = {
  loyalty: 'for the loyalty service',
  store: 'for the store',
  throttled: 'because the loyalty service asked for fewer calls',
  misconfigured: 'because credentials, scopes or an address were refused',
  paused: 'for the end of a pause',
  connector: 'for the connector or AWS',
  patience: 'for something that may take hours',
  planned: 'for its next step',
};

/** Names that say nothing to a person. Empty: `FOR_WHAT` has said it. */
const WHY: Readonly<Record<string, string>> = {
  'shop-paused': '',
  'shop-busy': 'its shop has a backlog and leaves workers to other shops',
  misconfigured: '',
  throttled: '',
  'no-credentials': 'no usable credentials are stored',
  forbidden: 'the answer was 403',
  connection: 'no connection',
  'time-out': 'no answer in time',
  unavailable: 'it answered with a server error',
  'loyalty-unavailable': 'calls are stopped for a while, because others failed',
  'call-under-way': 'an earlier call may still be executed',
  'broke-off': 'the worker met an unexpected error',
  overtaken: 'another worker updated the same entry',
  'ledger-unavailable': 'the ledger did not answer',
  'store-says-gone': 'the store does not have it, and is asked again for ten minutes',
  'store-lags': 'it does not show the newest state yet',
  'customer-not-found': 'the service does not know the customer yet',
  'redemption-open': 'a redemption is not finished',
};

export function whysText(whys: readonly WaitingMessage['why'][]): string {
  const words = whys.map((why) => WHY[why] ?? why).filter(Boolean);
  return words.length === 0 ? '' : ` (${words.join(', ')})`;
}

/** Of each shop, to be shown. More would say no more, and take longer than a person waits. */
export const MOST_SHOWN_WAITS = 1_000;

/** What waits now, of these shops, the next to be tried first; or a part of it, if `most` is exceeded. */
export async function readWaiting(
  deployment: Pick<Deployment, 'aws' | 'output'>,
  shops: readonly string[],
  now: Date,
  most?: number,
): Promise<readonly WaitingInShop[]> {
  const found = await Promise.all(shops.map((shop) => readAttempts(deployment, shop, most)));
  return stillWaiting(found.flat(), now);
}

/** Also those whose wait is over: each is kept for an hour after it. */
export async function readAttempts(
  deployment: Pick<Deployment, 'aws' | 'output'>,
  shop: string,
  most?: number,
): Promise<readonly WaitingInShop[]> {
  return attemptsIn(shop, await listRecords(openLists(deployment), shop, 'waiting', most));
}

const attemptsIn = (shop: string, records: readonly FoundRecord[]) =>
  records.flatMap(({ id, entry: { remembered, revision } }): readonly WaitingInShop[] => {
    const waiting = waitingIn(remembered);
    const receives = Number(id.slice(id.lastIndexOf('/') + 1));
    return waiting ? [{ ...waiting, shop, receives, revision }] : [];
  });

/** Only the newest of a message says whether it waits. The next to be tried first. */
export const stillWaiting = (attempts: readonly WaitingInShop[], now: Date) =>
  [...Map.groupBy(attempts, ({ shop, messageId }) => `${shop}/${messageId}`).values()]
    .flatMap((same) => same.toSorted((one, other) => other.receives - one.receives)[0] ?? [])
    .filter(({ until, ended }) => !ended && until > now.getTime())
    .toSorted((one, other) => one.until - other.until);

export const waitsIn = (shop: string, records: readonly FoundRecord[], now: Date) =>
  stillWaiting(attemptsIn(shop, records), now);

/** No command can have it tried while an earlier call may still be executed. */
export const mayBeWoken = ({ notBefore = 0 }: WaitingMessage, now: Date) =>
  notBefore <= now.getTime();

export interface Woken {
  readonly woken: readonly WokenMessage[];
  /** Received or settled since they were recorded. */
  readonly gone: number;
}

export interface WokenMessage extends WaitingInShop {
  readonly inSeconds: number;
  /** By an earlier call for it, which may still be executed. */
  readonly isHeldBack: boolean;
}

interface WakeDeps {
  readonly ledger: Pick<Ledger, 'readMany' | 'write'>;
  readonly now: Date;
  /** Returns those whose wait is over already. */
  readonly endWaits: (
    queue: QueueFamily,
    waits: readonly WokenMessage[],
  ) => Promise<ReadonlySet<WokenMessage>>;
}

/** SQS, ChangeMessageVisibilityBatch. */
const MESSAGES_PER_CALL = 10;

/**
 * Ends the waits, lets every process try a call, and ends the pause that refused credentials began: without these
 * they would only wait again. The workers keep the distance from an earlier call themselves, too: the clock of this
 * machine may be wrong.
 */
export async function wakeAll(
  waiting: readonly WaitingInShop[],
  { ledger, now, endWaits }: WakeDeps,
  afterSeconds = 0,
): Promise<Woken> {
  for (const shop of new Set(waiting.map((one) => one.shop))) {
    await changeControl(ledger, shop, (control) => woken(control, now));
  }
  const ended: WokenMessage[] = [];
  const asked = waiting.map((one) => {
    const leftMs = (one.notBefore ?? 0) - now.getTime();
    const underWay = Math.min(Math.ceil(leftMs / 1_000), AFTER_UNKNOWN_OUTCOME_SECONDS);
    const isHeldBack = underWay > afterSeconds;
    return { ...one, isHeldBack, inSeconds: isHeldBack ? underWay : afterSeconds };
  });
  for (const [queue, messages] of Map.groupBy(asked, (one) => one.queue)) {
    for (const chunk of batchesOf(messages, MESSAGES_PER_CALL)) {
      const over = await endWaits(queue, chunk);
      ended.push(...chunk.filter((one) => !over.has(one)));
      await Promise.all(
        chunk.map(({ shop, receives, revision, inSeconds, isHeldBack: _, ...one }) => {
          const until = now.getTime() + inSeconds * 1_000;
          return recordWoken(shop, one, { until, receives, revision }, ledger);
        }),
      );
    }
  }
  return { woken: ended, gone: waiting.length - ended.length };
}

export async function wake(
  deployment: Deployment,
  waiting: readonly WaitingInShop[],
  afterSeconds?: number,
): Promise<Woken> {
  const sqs = new SQS(deployment.aws);
  const endWaits: WakeDeps['endWaits'] = async (queue, waits) => {
    const { Failed: failed = [] } = await sqs.changeMessageVisibilityBatch({
      QueueUrl: deployment.output(QUEUE_OUTPUTS[queue].queue),
      Entries: waits.map(({ receiptHandle, inSeconds }, index) => ({
        Id: String(index),
        ReceiptHandle: receiptHandle,
        VisibilityTimeout: inSeconds,
      })),
    });
    const refused = failed.find(({ SenderFault }) => !SenderFault);
    if (refused) throw new Error(`SQS could not end a wait: ${refused.Code}`);
    return new Set(failed.flatMap(({ Id }) => waits[Number(Id)] ?? []));
  };
  const deps = { ledger: openLedger(deployment), now: new Date(), endWaits };
  return wakeAll(waiting, deps, afterSeconds);
}

/** `Retrying 11 messages now: orders 9, coupons 2.` Apart, with the time of day: those that an open call holds back. */
export function wokenTexts(
  woken: readonly WokenMessage[],
  when = 'now',
  now = new Date(),
): readonly string[] {
  const late = woken.filter(({ isHeldBack }) => isHeldBack);
  const early = woken.filter(({ isHeldBack }) => !isHeldBack);
  const longest = Math.max(0, ...late.map(({ inSeconds }) => inSeconds));
  const latest = utcText(now.getTime() + longest * 1_000).slice(-8);
  return [
    ...tried(early, when),
    ...tried(late, `by ${latest} UTC`).map(
      (words) => `${words} Until then, an earlier call may still be under way.`,
    ),
  ];
}

function tried(messages: readonly WokenMessage[], when: string): readonly string[] {
  if (messages.length === 0) return [];
  const byQueue = [...Map.groupBy(messages, ({ queue }) => queue)];
  const parts = byQueue.map(([queue, some]) => `${queue} ${some.length}`);
  return [`Retrying ${counted(messages.length, 'message')} ${when}: ${parts.join(', ')}.`];
}
